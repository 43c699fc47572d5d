"""Every pair of systems compared on the questions that both answered."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError
from qassay.meta.comparison.paired_test import Comparison, compare_systems
from qassay.meta.correlation.significance import DRAWS_A_PAIR, holm
from qassay.metrics.base import mean
from qassay.metrics.registry import CATALOGUE, create
from qassay.records import read_field
from qassay.scoring.aggregates.attempts import attempt_quantities, attempt_stats
from qassay.scoring.aggregates.bootstrap import Resampled
from qassay.validation import check_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.records import Example
    from qassay.scoring.table import ScoreTable

_ON_A_DOCUMENT = ("feqa", "factcc")
_MADE_ID = re.compile(r"(?P<file>.*):(?P<line>\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """System `a` against system `b` under one metric, on the questions that both answered."""

    metric: str
    a: str
    b: str
    result: Comparison
    unshared: int
    """Answers of either system whose question the other did not answer."""
    p_holm: float | None = None
    """The permutation's p-value, corrected for the number of pairs of systems under the metric (Holm 1979)."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `compare --json` prints them."""
        result = asdict(self.result)
        values = {"a_value": result.pop("a"), "b_value": result.pop("b")}
        if result["reason"] is None:
            del result["reason"]
        names = {"metric": self.metric, "a": self.a, "b": self.b}
        return {**names, **values, **result, "p_holm": self.p_holm, "unshared": self.unshared}


def name_systems(files: Iterable[tuple[str, Iterable[Example]]]) -> list[Example]:
    """Name the system of answers without one after their file; a name that two files use is extended by the file.

    Files of one name are numbered in their order.
    """
    read = [(name, list(examples)) for name, examples in files]
    names = _distinct([name for name, _ in read])
    users: dict[str, set[str]] = {}
    for name, (_, examples) in zip(names, read, strict=True):
        for example in examples:
            users.setdefault(example.system, set()).add(name)
    return [
        replace(example, system=_system_name(example.system, name, users))
        for name, (_, examples) in zip(names, read, strict=True)
        for example in examples
    ]


def compare_table(table: ScoreTable, *, draws: int = 1000, codes: Ints | None = None) -> list[SystemComparison]:
    """Compare every later system with every earlier one, metric by metric, on the same resampled questions.

    There are at least 80 draws for each pair, so that p-values can be small after correction for their number. `codes`
    are the answers' clusters, which are then resampled as wholes.
    """
    return _compare(
        table,
        {spec: Resampled(stats, finish_of(table, spec)) for spec, stats in table.stats.items()},
        draws,
        codes,
    )


def compare_attempts(table: ScoreTable, *, draws: int = 1000, codes: Ints | None = None) -> list[SystemComparison]:
    """Compare the systems' shares of attempted answers, and their scores on the questions that both attempted.

    The metrics are those that note what answers assert; the comparisons are named `ava attempted` and `ava given
    attempted`.
    """
    quantities: dict[str, Resampled] = {}
    for spec, notes in table.answer_notes.items():
        quantities |= attempt_quantities(spec, attempt_stats(table.stats[spec], notes), finish_of(table, spec))
    return _compare(table, quantities, draws, codes)


def shared_rows(table: ScoreTable, a: str, b: str) -> tuple[Ints, Ints, int]:
    """Return the rows of the questions that two systems share, and how many answers of either have no counterpart."""
    return _shared(table, _rows_by_question(table.examples, a), _rows_by_question(table.examples, b), a, b)


def _compare(
    table: ScoreTable, quantities: Mapping[str, Resampled], draws: int, codes: Ints | None
) -> list[SystemComparison]:
    check_whole("draws", draws, least=1)
    systems = list(dict.fromkeys(example.system for example in table.examples))
    if len(systems) < 2:  # noqa: PLR2004 - a comparison takes two
        raise DataError(f'there is only one system, "{systems[0]}"; give answers of two, in one file or in two')
    rows = {name: _rows_by_question(table.examples, name) for name in systems}
    pairs = list(combinations(systems, 2))
    draws = max(draws, DRAWS_A_PAIR * len(pairs))
    results = []
    for a, b in pairs:
        left, right, unshared = _shared(table, rows[a], rows[b], a, b)
        for name, (stats, finish) in quantities.items():
            comparison = compare_systems(
                stats[left],
                stats[right],
                finish,
                rng=np.random.default_rng(table.seed),
                draws=draws,
                clusters=None if codes is None else codes[left],
                shown=(table.scores[name][left], table.scores[name][right]) if name in table.corrected else None,
            )
            results.append(SystemComparison(name, a, b, comparison, unshared))
    return _corrected(results)


def _corrected(comparisons: Sequence[SystemComparison]) -> list[SystemComparison]:
    """Correct each metric's p-values for the number of pairs, as `compare_metrics` does; the order stays."""
    corrected: dict[tuple[str, str, str], float | None] = {}
    for metric in dict.fromkeys(each.metric for each in comparisons):
        pairs = [each for each in comparisons if each.metric == metric]
        adjusted = holm([each.result.p_permutation for each in pairs])
        corrected.update({(metric, each.a, each.b): p for each, p in zip(pairs, adjusted, strict=True)})
    return [replace(each, p_holm=corrected[each.metric, each.a, each.b]) for each in comparisons]


def finish_of(table: ScoreTable, spec: str) -> Callable[[Floats], Floats]:
    """Return what turns statistics into scores; stored scores, summaries and pairs are averaged."""
    if spec in table.stored:
        return mean
    name = re.split("[:,]", spec)[0]
    return create(spec).finish if name in CATALOGUE else mean


def _distinct(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    often = Counter(names)
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if often[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def _system_name(stated: str, file: str, users: dict[str, set[str]]) -> str:
    if not stated:
        return file
    return stated if len(users[stated]) == 1 else f"{stated} ({file})"


def _rows_by_question(examples: Sequence[Example], system: str) -> dict[str, int]:
    return {example.id: i for i, example in enumerate(examples) if example.system == system}


def _shared(
    table: ScoreTable, a: dict[str, int], b: dict[str, int], a_name: str, b_name: str
) -> tuple[Ints, Ints, int]:
    if not a.keys() & b.keys():
        a, b = _by_line(a), _by_line(b)
    keys = [key for key in a if key in b]
    if not keys:
        raise DataError(f'"{a_name}" and "{b_name}" share no id; give both files the same ids')
    # What a system retrieved is its own; the document of a summary is not.
    own = {"contexts"} | (set() if any(spec.startswith(_ON_A_DOCUMENT) for spec in table.stats) else {"context"})
    fields = ("question", "references", *sorted(table.reads - own))
    for key in keys:
        one, other = table.examples[a[key]], table.examples[b[key]]
        unlike = [each for each in fields if (read_field(one, each) or None) != (read_field(other, each) or None)]
        if not _same_references(table, a[key], b[key]):
            unlike.append("references")
        if unlike:
            raise DataError(
                f'"{a_name}" and "{b_name}" have unlike signatures: "{unlike[0]}" of id "{one.id}" is not the same in '
                "both; score both against the same questions and references"
            )
    left = np.array([a[key] for key in keys], np.int64)
    right = np.array([b[key] for key in keys], np.int64)
    return left, right, len(a) + len(b) - 2 * len(keys)


def _same_references(table: ScoreTable, one: int, other: int) -> bool:
    """Whether two stored scores are against the same references, as far as the files say."""
    known = {table.references_hashes[row] for row in (one, other)} - {""} if table.references_hashes else set()
    return len(known) <= 1


def _by_line(rows: dict[str, int]) -> dict[str, int]:
    """Reduce ids that were made from a file's name and line to the line."""
    made = {key: _MADE_ID.fullmatch(key) for key in rows}
    if any(found is None for found in made.values()) or len({found["file"] for found in made.values() if found}) > 1:
        return rows
    return {found["line"]: rows[key] for key, found in made.items() if found}
