"""Scored runs in a file of their own, so that one page of a hundred thousand answers is one query."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import msgspec
import numpy as np

from qassay.errors import DataError, SpecError
from qassay.io.parsing.rows import to_example
from qassay.io.scores.scored_files import ScoredRow, read_scored
from qassay.meta.comparison.stored_scores import correct_sampled, table_of_rows
from qassay.meta.correlation.joined_scores import join_rows
from qassay.meta.judge_column import sampled_in_rows
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.records import attempted, references_hash
from qassay.scoring.scorer import SEED, score_examples
from qassay.web.http.refusal import invalid, unknown
from qassay.web.study.creation import as_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.meta.accuracy.sampled_judge import SampledJudge
    from qassay.records import Example
    from qassay.scoring.progress import Progress

_SHOWN = 300
"""Characters of a text in a list."""
_SOME_ONLY = (
    "only answers with its verdict on both, most of them doubtful ones; the means of the systems are corrected for "
    "that, this difference is not"
)
"""Of differences under a judge that was asked about some answers only."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which answers are meant."""

    system: str | None = None
    metric: str | None = None
    low: float | None = None
    high: float | None = None
    text: str | None = None
    attempted: bool | None = None
    judged: bool | None = None


@dataclass(eq=False)
class Runs:
    """Scored answers of one or several systems."""

    path: Path
    metrics: tuple[str, ...]
    """Canonical specs, or the names that a file gives its scores."""
    systems: tuple[tuple[str, int], ...]
    has_texts: bool
    has_judgements: bool
    size: int
    sampled: Mapping[str, SampledJudge] = field(default_factory=dict)
    """Of judges that were asked about some answers only, how; their means are corrected for that."""
    _local: threading.local = field(default_factory=threading.local)
    _open: list[sqlite3.Connection] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _distributions: dict[tuple[str, int, str | None], dict[str, Any]] = field(default_factory=dict)
    """By metric, bins and system: every reaction of the page shows one, and they never change."""

    @cached_property
    def overview(self) -> dict[str, Any]:
        """What there is, with each system's mean scores."""
        return {
            "answers": self.size,
            "systems": [{"name": name, "n": n} for name, n in self.systems],
            "metrics": [{**_described(spec), "note": self._note(spec)} for spec in self.metrics],
            "has_texts": self.has_texts,
            "has_judgements": self.has_judgements,
            "aggregates": self._aggregates(),
        }

    def prepare(self) -> None:
        """Find the overview before somebody waits for it: intervals of many answers take seconds."""
        _ = self.overview

    def page(self, wanted: Filter, *, sort: str | None, descending: bool, offset: int, limit: int) -> dict[str, Any]:
        """Return some of the answers that a filter leaves, and how many there are."""
        condition, values = self._condition(wanted)
        order = "DESC" if descending else "ASC"
        column = "row" if sort is None else self._sortable(sort)
        ordered = f"ORDER BY {column} {order} NULLS LAST, row {order}"
        # The page is found by its column alone, which has an index, before its texts are read.
        rows = self._rows(
            "SELECT * FROM answer WHERE row IN "  # noqa: S608 - of fixed texts
            f"(SELECT row FROM answer WHERE {condition} {ordered} LIMIT ? OFFSET ?) {ordered}",
            [*values, limit, offset],
        )
        (total,) = self._rows(f"SELECT count(*) FROM answer WHERE {condition}", values)[0]  # noqa: S608
        return {"total": total, "rows": [self._document(row, shortened=True) for row in rows]}

    def answer(self, row: int) -> dict[str, Any]:
        """Return one answer, whole."""
        return self._document(self._one(row), shortened=False)

    def example(self, row: int) -> Example:
        """Return one answer as it can be explained, or raise a `RefusedError` where its texts are not known."""
        held = self._one(row)["example_json"]
        if held is None:
            raise unknown("text of this answer; serve the answers together with the scores")
        return to_example(msgspec.json.decode(held), "answer", row, "")

    def distribution(self, metric: str, bins: int, system: str | None) -> dict[str, Any]:
        """Return how many answers of each system have a score in each of equal ranges."""
        if system is not None and system not in dict(self.systems):
            raise unknown("system of that name")
        if (metric, bins, system) not in self._distributions:
            self._distributions[metric, bins, system] = self._distribution(metric, bins, system)
        return self._distributions[metric, bins, system]

    def _distribution(self, metric: str, bins: int, system: str | None) -> dict[str, Any]:
        column = self._column(metric)
        source = "FROM answer WHERE ?1 IS NULL OR system = ?1"
        lowest, highest = self._rows(f"SELECT min({column}), max({column}) {source}", [system])[0]
        top = max(highest or 0.0, _maximum(metric) or 0.0) or 1.0
        edges = np.linspace(min(0.0, lowest or 0.0), top, bins + 1)
        found: dict[str, dict[str, Any]] = {}
        for name, place, count in self._rows(
            f"SELECT system, min(cast(({column} - ?2) * ?3 / (?4 - ?2) AS INTEGER), ?3 - 1) AS place, count(*) "
            f"{source} GROUP BY system, place ORDER BY min(row)",
            [system, float(edges[0]), bins, top],
        ):
            own = found.setdefault(name, {"name": name, "counts": [0] * bins, "missing": 0})
            if place is None:
                own["missing"] = count
            else:
                own["counts"][place] = count
        return {"metric": metric, "edges": edges.tolist(), "systems": list(found.values())}

    def differences(self, a: str, b: str, metric: str, *, descending: bool, offset: int, limit: int) -> dict[str, Any]:
        """Return the questions that two systems answered, by how far their scores differ."""
        for name in (a, b):
            if name not in dict(self.systems):
                raise unknown("system of that name")
        column = self._column(metric)
        source = (
            "FROM answer AS one JOIN answer AS other ON other.id = one.id AND other.system = ? "
            f"WHERE one.system = ? AND one.{column} IS NOT NULL AND other.{column} IS NOT NULL"
        )
        total, mean, better, worse = self._rows(
            f"SELECT count(*), avg(one.{column} - other.{column}), sum(one.{column} > other.{column}), "
            f"sum(one.{column} < other.{column}) {source}",
            [b, a],
        )[0]
        rows = self._rows(
            f"SELECT one.id, one.question, one.row AS a_row, one.candidate AS a_candidate, one.{column} AS a_score, "
            f"other.row AS b_row, other.candidate AS b_candidate, other.{column} AS b_score, "
            f"one.{column} - other.{column} AS difference {source} "
            f"ORDER BY difference {'DESC' if descending else 'ASC'}, one.row LIMIT ? OFFSET ?",
            [b, a, limit, offset],
        )
        return {
            "total": total,
            "mean": mean,
            "note": _SOME_ONLY if metric in self.sampled else None,
            "better": {"a": better or 0, "b": worse or 0, "equal": total - (better or 0) - (worse or 0)},
            "rows": [
                {
                    "id": row["id"],
                    "question": _cut(row["question"]),
                    "a": {"row": row["a_row"], "candidate": _cut(row["a_candidate"]), "score": row["a_score"]},
                    "b": {"row": row["b_row"], "candidate": _cut(row["b_candidate"]), "score": row["b_score"]},
                    "difference": row["difference"],
                }
                for row in rows
            ],
        }

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            for each in self._open:
                each.close()

    def _aggregates(self) -> list[dict[str, Any]]:
        columns = ", ".join(self._column(spec) for spec in self.metrics)
        rows = [
            ScoredRow(str(number), row["system"], dict(zip(self.metrics, tuple(row)[1:], strict=True)))
            for number, row in enumerate(self._rows(f"SELECT system, {columns} FROM answer ORDER BY row", []))  # noqa: S608
        ]
        found = correct_sampled(table_of_rows([rows], ["runs"], seed=SEED), self.sampled).aggregates
        return [
            {name: getattr(each, name) for name in ("system", "metric", "value", "low", "high", "n", "unscored")}
            for each in found
        ]

    def _note(self, spec: str) -> str | None:
        """Return what is to be known of a metric's means, if anything."""
        return self.sampled[spec].note if spec in self.sampled else None

    def _condition(self, wanted: Filter) -> tuple[str, list[Any]]:
        parts: list[str] = ["1"]
        values: list[Any] = []
        if wanted.system is not None:
            parts.append("system = ?")
            values.append(wanted.system)
        if wanted.low is not None or wanted.high is not None:
            if wanted.metric is None:
                raise invalid("low and high are limits of a metric's score; name the metric")
            column = self._column(wanted.metric)
            low = -np.inf if wanted.low is None else wanted.low
            parts.append(f"{column} BETWEEN ? AND ?")
            values += [low, np.inf if wanted.high is None else wanted.high]
        if wanted.text:
            parts.append("(instr(folded, ?) OR id = ?)")
            values += [_fold(wanted.text), wanted.text]
        if wanted.attempted is not None:
            parts.append("attempted = ?")
            values.append(int(wanted.attempted))
        if wanted.judged is not None:
            parts.append(f"judgement IS {'NOT ' if wanted.judged else ''}NULL")
        return " AND ".join(parts), values

    def _sortable(self, name: str) -> str:
        return name if name in {"id", "system", "judgement"} else self._column(name)

    def _column(self, spec: str) -> str:
        """Return the column of a metric; names that a request gives never enter a query."""
        if spec not in self.metrics:
            raise unknown("metric of that name among these scores")
        return f"m{self.metrics.index(spec)}"

    def _document(self, row: sqlite3.Row, *, shortened: bool) -> dict[str, Any]:
        def text(name: str) -> str | None:
            held: str | None = row[name]
            return _cut(held) if shortened else held

        references = msgspec.json.decode(row["references_json"])
        return {
            "row": row["row"],
            "id": row["id"],
            "system": row["system"],
            "question": text("question"),
            "candidate": text("candidate"),
            "references": [_cut(each) for each in references] if shortened else references,
            **({} if shortened else {"context": row["context"]}),
            "scores": {spec: row[self._column(spec)] for spec in self.metrics},
            "unscored": msgspec.json.decode(row["unscored_json"]),
            "asserted": msgspec.json.decode(row["asserted_json"]),
            "attempted": None if row["attempted"] is None else bool(row["attempted"]),
            "judgement": row["judgement"],
        }

    def _one(self, row: int) -> sqlite3.Row:
        found = self._rows("SELECT * FROM answer WHERE row = ?", [row])
        if not found:
            raise unknown("answer")
        return found[0]

    def _rows(self, query: str, values: Sequence[Any]) -> list[sqlite3.Row]:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            self._local.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection.execute(query, values).fetchall()


def open_runs(
    path: Path,
    scored: Sequence[str],
    answers: Sequence[Example],
    *,
    metrics: Sequence[str] = (),
    progress: Progress | None = None,
) -> Runs:
    """Index scored files, with the texts of answers that come beside them; answers alone are scored first."""
    if scored:
        if metrics:
            raise SpecError("--metric scores answers, and these files hold scores already; leave it out")
        rows = join_rows([_named(row, name) for name in scored for row in read_scored(name)])
    elif answers:
        table = score_examples(answers, metrics or None, progress=progress)
        rows = [
            ScoredRow(
                each.id,
                each.system,
                {spec: table.score(spec, i).value for spec in table.scores},
                {spec: why for spec in table.scores if (why := table.score(spec, i).reason)},
                each.judgement,
                each.question_type,
                {},
                each.question,
                references_hash(each),
                table.notes_of(i),
            )
            for i, each in enumerate(table.examples)
        ]
    else:
        raise DataError("there is nothing to look into; give files that `qassay score -o` wrote, or answers")
    if not rows:
        raise DataError("holds no scores; give files that `qassay score -o` wrote", scored[0] if scored else None)
    specs = tuple(dict.fromkeys(spec for row in rows for spec in row.scores))
    texts = _texts(answers)
    with closing(sqlite3.connect(path)) as connection:
        columns = ", ".join(f"m{i} REAL" for i in range(len(specs)))
        connection.execute(
            "CREATE TABLE answer (row INTEGER PRIMARY KEY, id TEXT NOT NULL, system TEXT NOT NULL, "
            "question TEXT NOT NULL, candidate TEXT, references_json TEXT NOT NULL, context TEXT, judgement REAL, "
            "attempted INTEGER, unscored_json TEXT NOT NULL, asserted_json TEXT NOT NULL, example_json TEXT, "
            "folded TEXT NOT NULL, "
            f"{columns})"
        )
        marks = ", ".join("?" * (12 + len(specs)))
        named = "id, system, question, candidate, references_json, context, judgement, attempted, unscored_json, "
        connection.executemany(
            f"INSERT INTO answer ({named} asserted_json, example_json, folded, "  # noqa: S608
            f"{', '.join(f'm{i}' for i in range(len(specs)))}) VALUES ({marks})",
            (_cells(row, texts.get((row.system, row.id)) or texts.get(("", row.id)), specs) for row in rows),
        )
        connection.execute("CREATE INDEX by_system ON answer (system, id)")
        for i in range(len(specs)):
            connection.execute(f"CREATE INDEX by_m{i} ON answer (m{i}, system)")
        connection.commit()
        systems = connection.execute("SELECT system, count(*) FROM answer GROUP BY system ORDER BY min(row)").fetchall()
        judged, with_texts = connection.execute("SELECT count(judgement), count(example_json) FROM answer").fetchone()
    runs = Runs(
        path,
        specs,
        tuple((name, n) for name, n in systems),
        bool(with_texts),
        bool(judged),
        len(rows),
        sampled_in_rows(rows),
    )
    runs.prepare()
    return runs


def _named(row: ScoredRow, file: str) -> ScoredRow:
    return row if row.system else replace(row, system=Path(file).name.partition(".")[0])


def _texts(answers: Iterable[Example]) -> dict[tuple[str, str], Example]:
    return {(each.system, each.id): each for each in answers}


def _cells(row: ScoredRow, example: Example | None, specs: Sequence[str]) -> tuple[Any, ...]:
    noted = attempted(row.notes)
    question = row.question or ("" if example is None else example.question)
    candidate = None if example is None else example.candidate
    return (
        row.id,
        row.system,
        question,
        candidate,
        _json([] if example is None else [each.text for each in example.references]),
        None if example is None else example.context,
        row.judgement if row.judgement is not None or example is None else example.judgement,
        None if noted is None else int(noted),
        _json(row.unscored),
        _json({spec: note.asserted for spec, note in row.notes.items()}),
        None if example is None else msgspec.json.encode(as_row(example), enc_hook=str).decode(),
        _fold(f"{question}\n{candidate or ''}"),
        *(row.scores.get(spec) for spec in specs),
    )


def _fold(text: str) -> str:
    """Return a text without differences of case and composition; SQLite's own `lower` knows ASCII alone."""
    return normalize("NFC", text.casefold())


def _json(content: object) -> str:
    return msgspec.json.encode(content).decode()


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _maximum(spec: str) -> float | None:
    try:
        return CATALOGUE[parse_spec(spec).name].declaration.maximum
    except SpecError:
        return None


def _described(spec: str) -> dict[str, Any]:
    try:
        declared = CATALOGUE[parse_spec(spec).name].declaration
    except SpecError:
        return {"spec": spec, "maximum": None, "summary": "scores of a file"}
    return {"spec": spec, "maximum": declared.maximum, "summary": declared.summary}
