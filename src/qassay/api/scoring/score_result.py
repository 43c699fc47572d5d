"""Scores of answers as a result: in memory, or, of whole files, with their rows on disk."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np

from qassay.api.inputs import LeftOut  # noqa: TC001 - a field
from qassay.api.result import Result, data_frame, page_path
from qassay.errors import NoSuchScoreError
from qassay.io.scores.score_tables import columns_of
from qassay.io.scores.scored_files import ScoredRow
from qassay.io.scores.scores_folder import written_lines
from qassay.metrics.registry import parse_spec
from qassay.records import references_hash, without_fields
from qassay.report.answers import AnswerRow, Ordering, select_answers, worst_first
from qassay.scoring.aggregates.aggregation import BINS
from qassay.scoring.aggregates.clusters import cluster_of
from qassay.scoring.aggregates.sample_aggregates import Sample, SampleAggregate, sample_aggregates
from qassay.scoring.table import ScoreTable
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from qassay.arrays import Ints
    from qassay.report.answers import PageAnswers
    from qassay.scoring.file_run import RunResult, ScoringRun
    from qassay.scoring.scorer import Scorer
    from qassay.scoring.table import Aggregate, IntervalFigure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreResult(ScoreTable, Result):
    """Scores of answers in memory, for one metric as for ten: a `ScoreTable` that can be written as a page."""

    scorer: Scorer | None = None
    title: str = "answers in memory"

    @classmethod
    def of(cls, table: ScoreTable, **more: Any) -> Self:  # noqa: ANN401 - fields of subclasses
        """Make a result out of a table."""
        return cls(**{each.name: getattr(table, each.name) for each in fields(ScoreTable)}, **more)

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay score --json` prints."""
        document = score_document(self.aggregates, len(self.examples), 0, self.seed, self.notes)
        return _with_samples(document, self.samples())

    def samples(self) -> list[SampleAggregate]:
        """Return what several samples of a question amount to: their mean, any, all, and the majority's answer."""
        cluster = None if self.scorer is None else self.scorer.cluster
        return [] if cluster is None else sample_aggregates(_samples(self.answers(), cluster), self.seed)

    def answers(self) -> Iterator[AnswerRow]:
        """Yield each answer with its scores, and the reasons for missing ones."""
        for i, example in enumerate(self.examples):
            scores = {spec: self.score(spec, i) for spec in self.scores}
            reasons = {spec: score.reason for spec, score in scores.items() if score.reason}
            yield AnswerRow(example, {spec: score.value for spec, score in scores.items()}, reasons, self.notes_of(i))

    def scored_rows(self) -> Iterator[ScoredRow]:
        """Yield each answer's scores as a file of scores has them."""
        for row in self.answers():
            one = without_fields(row.example, self.consumed_fields)
            yield ScoredRow(
                one.id,
                one.system,
                dict(row.scores),
                dict(row.unscored),
                one.judgement,
                one.question_type,
                one.extra,
                one.question,
                references_hash(one),
                row.notes,
            )

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        ordering = Ordering.of(self.scorer.metrics) if self.scorer is not None else Ordering()
        selected = select_answers(self.answers, ordering)
        page = ScorePage(self.title, self.aggregates, self._histograms(ordering), ordering, self.notes, self.seed, call)
        return page.write(path, selected, self.scorer, skipped=0)

    def _histograms(self, ordering: Ordering) -> dict[str, dict[str, Ints]]:
        systems = np.array([each.system for each in self.examples], dtype=object)
        found: dict[str, dict[str, Ints]] = {}
        for system in dict.fromkeys(systems.tolist()):
            found[system] = {}
            for spec, values in self.scores.items():
                known = values[(systems == system) & ~np.isnan(values)]
                bins = np.clip(known / ordering.maxima.get(spec, 1.0) * BINS, 0, BINS - 1).astype(np.int64)
                found[system][spec] = np.bincount(bins, minlength=BINS)
        return found

    def _rows(self) -> list[dict[str, Any]]:
        return [shown_aggregate(each) for each in self.aggregates]

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per answer, with the columns of the tables that `qassay score -o` writes (needs pandas)."""
        return ScoreTable.to_pandas(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class StoredScores(Result):
    """Scores of whole files: aggregates in memory, rows on disk.

    The rows are in the output file where there is one, else in a temporary file, which goes with this object, with
    `close()`, or at the end of a `with` block.
    """

    aggregates: tuple[Aggregate, ...]
    examples: int
    """How many answers were scored."""
    left_out: LeftOut
    notes: Mapping[str, int]
    seed: int
    title: str
    run: ScoringRun
    finished: RunResult
    closing: ExitStack = field(default_factory=ExitStack)
    can_reread: bool = True
    """Whether the answers can be read once more: not where they came in a pipe and were not kept."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.examples:,} answers; metrics: {', '.join(self.specs)}>"

    def __len__(self) -> int:
        return self.examples

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove temporary files."""
        self.closing.close()

    @property
    def specs(self) -> list[str]:
        """The metrics' canonical specs, in order."""
        return self.run.scorer.specs

    def aggregate(self, spec: str, system: str | None = None) -> Aggregate:
        """Find a system's aggregate; the system may be left out when there is only one."""
        name = spec if spec in self.specs else str(parse_spec(spec))
        found = [each for each in self.aggregates if each.metric == name and system in (None, each.system)]
        if len(found) != 1:
            systems = sorted({each.system for each in self.aggregates})
            raise NoSuchScoreError(f"{len(found)} aggregates of {name}; name one of {systems}")
        return found[0]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each answer as `qassay score -o` writes it."""
        return map(msgspec.json.decode, written_lines(self.finished.rows))

    def answers(self) -> Iterator[AnswerRow]:
        """Yield each answer with its scores; the files are read once more."""
        return (AnswerRow(*row) for row in self.run.answers(self.finished))

    def worst(self, limit: int) -> list[AnswerRow]:
        """Return the answers with the lowest scores, the lowest first."""
        return worst_first(self.answers(), Ordering.of(self.run.scorer.metrics), limit=limit)

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay score --json` prints."""
        document = score_document(self.aggregates, self.examples, self.left_out.skipped_total, self.seed, self.notes)
        return _with_samples(document, self.samples())

    def samples(self) -> list[SampleAggregate]:
        """Return what several samples of a question amount to; the files are read once more."""
        cluster = self.run.scorer.cluster
        return [] if cluster is None else sample_aggregates(_samples(self.answers(), cluster), self.seed)

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page; the files are read once more."""
        ordering = Ordering.of(self.run.scorer.metrics)
        histograms = {name: totals.histograms for name, totals in self.finished.totals.systems.items()}
        page = ScorePage(self.title, self.aggregates, histograms, ordering, self.notes, self.seed, call)
        scorer = self.run.scorer if self._explained else None
        return page.write(path, select_answers(self.answers, ordering), scorer, skipped=self.left_out.skipped_total)

    @property
    def _explained(self) -> bool:
        """Whether the page shows which words match."""
        return True

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per answer, with the columns of the tables that `qassay score -o` writes (needs pandas)."""
        rows = list(self.rows())
        columns = columns_of(rows, tuple(self.specs))
        return data_frame([{each.name: each.value_in(row) for each in columns} for row in rows])

    def _rows(self) -> list[dict[str, Any]]:
        return [shown_aggregate(each) for each in self.aggregates]


@dataclass(frozen=True, slots=True)
class ScorePage:
    """What a page of scores shows beside the answers."""

    title: str
    aggregates: Sequence[Aggregate]
    histograms: Mapping[str, Mapping[str, Ints]]
    ordering: Ordering
    notes: Mapping[str, int]
    seed: int
    call: str

    def write(self, path: str | Path, answers: PageAnswers[AnswerRow], scorer: Scorer | None, *, skipped: int) -> Path:
        """Write the page, with the words that match where there is a scorer to find them."""
        from qassay.report.explain.evidence import gather_evidence  # noqa: PLC0415 - only for a page
        from qassay.report.html.score_page import Report, write_report  # noqa: PLC0415 - as above

        page = page_path(path)
        if scorer is not None:
            found = gather_evidence([row.example for row in answers.rows], scorer)
            rows = [
                # What was written has no places; an answer without a score has no notes.
                replace(row, evidence=each, notes={spec: each.notes.get(spec, row.notes[spec]) for spec in row.notes})
                for row, each in zip(answers.rows, found, strict=True)
            ]
            answers = replace(answers, rows=rows)
        report = Report(
            title=self.title,
            aggregates=list(self.aggregates),
            histograms=self.histograms,
            ordering=self.ordering,
            answers=answers,
            skipped=skipped,
            notes=self.notes,
            seed=self.seed,
            call=self.call,
        )
        write_report(report, page)
        return page


def _samples(answers: Iterable[AnswerRow], cluster: str) -> Iterator[Sample]:
    for row in answers:
        example = row.example
        yield Sample(example.system, cluster_of(example, cluster), example.candidate, dict(row.scores))


def _with_samples(document: dict[str, Any], samples: Sequence[SampleAggregate]) -> dict[str, Any]:
    return {**document, "samples": [each.to_dict() for each in samples]} if samples else document


def score_document(
    aggregates: Sequence[Aggregate], examples: int, skipped: int, seed: int, notes: Mapping[str, int]
) -> dict[str, Any]:
    """Return what `qassay score --json` prints."""
    document: dict[str, Any] = {
        "aggregates": [each.to_dict() for each in aggregates],
        "examples": examples,
        "skipped": skipped,
        "seed": seed,
        "version": __version__,
    }
    return {**document, "notes": dict(notes)} if notes else document


def shown_aggregate(aggregate: Aggregate) -> dict[str, Any]:
    """Return an aggregate as tables show it."""
    names = ("system", "metric", "value", "low", "high", "n", "unscored")
    row = {name: getattr(aggregate, name) for name in names}
    for name in ("attempted", "given_attempted"):
        figure: IntervalFigure | None = getattr(aggregate, name)
        if figure is not None:
            row[name] = figure.value
    return row
