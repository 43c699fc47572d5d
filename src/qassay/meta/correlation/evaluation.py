"""From scored answers with judgements to the table that says how far each metric can be trusted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError, option
from qassay.meta.comparison.stored_scores import example_of_row
from qassay.meta.correlation.correlate import Correlation, correlate
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.metric_comparison import compare_metrics, standings
from qassay.meta.correlation.significance import DRAWS_A_PAIR, DifferenceTest
from qassay.meta.statistics.panel import Panel, Pooling
from qassay.metrics.registry import create
from qassay.scoring.aggregates.clusters import cluster_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Ints
    from qassay.io.scores.scored_files import ScoredRow
    from qassay.meta.correlation.judgements import Judgements
    from qassay.meta.correlation.levels import ResamplingUnit
    from qassay.meta.correlation.significance import Difference
    from qassay.meta.statistics.weighted import Coefficient
    from qassay.records import Example
    from qassay.scoring.table import ScoreTable

_MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class JudgedScores:
    """Scores with judgements, and the fields by which they may be divided."""

    panel: Panel
    fields: Mapping[str, Sequence[str | None]]
    """By name (`system`, `question_type` or a field of the input), one value per row."""
    ids: Sequence[str]
    """The answers' ids, one per row."""
    examples: Sequence[Example] = ()
    """The answers themselves, where they are known, in the panel's order."""

    def rows(self, by: str | None) -> dict[str | None, Ints]:
        """Number the rows of the whole, and of its parts by a field when one is named."""
        rows: dict[str | None, Ints] = {None: np.arange(len(self.panel))}
        if by is None:
            return rows
        if by not in self.fields or not any(value is not None for value in self.fields[by]):
            known = ", ".join(sorted(name for name, values in self.fields.items() if any(values))) or "none"
            raise DataError(f'no answer has a field "{by}" to divide by; there are: {known}')
        members: dict[str, list[int]] = {}
        for i, label in enumerate(self.fields[by]):
            if label is not None:
                members.setdefault(label, []).append(i)
        if len(members) > _MOST_PARTS:
            raise DataError(f'"{by}" has {len(members)} different values; divide by a field with at most {_MOST_PARTS}')
        return rows | {label: np.array(found, np.int64) for label, found in members.items()}

    def unlabelled(self, by: str | None) -> int:
        """Count the rows that are in no part."""
        return 0 if by is None else sum(label is None for label in self.fields[by])


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric's agreement with people at one level, over all answers or a part of them."""

    metric: str
    level: Level
    by: str | None
    correlations: Mapping[Coefficient, Correlation]
    tied: bool | None = None
    """Whether it is statistically tied with the best by its first coefficient; None where not tested."""

    @property
    def first(self) -> Correlation:
        """The coefficient that was asked for first, by which metrics are ranked."""
        return next(iter(self.correlations.values()))

    @property
    def reasons(self) -> list[str]:
        """Why coefficients have no value."""
        return sorted({found.reason for found in self.correlations.values() if found.reason})

    @property
    def undefined(self) -> int:
        """How many questions, systems or draws have no value at this level, or else how many coefficients."""
        return self.first.undefined or sum(found.value is None for found in self.correlations.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `correlate --json` prints them."""
        row: dict[str, Any] = {"metric": self.metric, "level": str(self.level), "by": self.by, "n": self.first.n}
        for coefficient, found in self.correlations.items():
            limits = found.interval
            row[str(coefficient)] = found.value
            row[f"{coefficient}_low"] = None if limits is None else limits.low
            row[f"{coefficient}_high"] = None if limits is None else limits.high
            row[f"{coefficient}_p"] = found.p
        row |= {"undefined": self.undefined, "missing": self.first.missing}
        if self.reasons:
            row["reason"] = "; ".join(self.reasons)
        if self.tied is not None:
            row["tied_with_best"] = self.tied
        return row


@dataclass(frozen=True, slots=True)
class Options:
    """How agreement is measured and tested."""

    level: Level
    coefficients: Sequence[Coefficient]
    test: DifferenceTest
    draws: int
    """Resamples; 0 leaves out intervals, and all tests that resample."""
    seed: int
    unit: ResamplingUnit | None = None
    size: int = 30
    times: int = 100


def evidence_of_table(
    table: ScoreTable, judgements: Judgements | None = None, cluster: str | None = None
) -> JudgedScores:
    """Join a score table's answers with their judgements, or with those of a file."""
    examples = table.examples
    if judgements is not None:
        found = judgements.of([(each.id, each.system) for each in examples])
        examples = tuple(replace(each, judgement=value) for each, value in zip(examples, found, strict=True))
    metrics = [create(spec) for spec in table.scores if spec not in table.stored]
    panel = Panel.build(
        [_number(each.judgement) for each in examples],
        dict(table.scores),
        [each.system for each in examples],
        _questions([(each.id, each.system, each.question) for each in examples])
        if cluster is None
        else [cluster_of(each, cluster) for each in examples],
        {
            str(metric.spec): Pooling(table.stats[str(metric.spec)], metric.finish)
            for metric in metrics
            if metric.declaration.corpus == "pooled"
        },
    )
    return JudgedScores(_judged(panel), _fields(examples), [each.id for each in examples], examples)


def evidence_of_rows(
    rows: Sequence[ScoredRow], judgements: Judgements | None = None, cluster: str | None = None
) -> JudgedScores:
    """Join stored scores with their judgements; raise `DataError` if an answer comes twice."""
    ((name, system), times), *_ = Counter((row.id, row.system) for row in rows).most_common(1) or [(("", ""), 0)]
    if times > 1:
        of_system = f' of system "{system}"' if system else ""
        raise DataError(f'the scores of "{name}"{of_system} appear {times} times; give each file once')
    specs = dict.fromkeys(spec for row in rows for spec in row.scores)
    if not specs:
        raise DataError("there is no score in these files; write them with `qassay score -o`")
    known = [row.judgement for row in rows]
    if judgements is not None:
        known = judgements.of([(row.id, row.system) for row in rows])
    panel = Panel.build(
        [_number(value) for value in known],
        {spec: [_number(row.scores.get(spec)) for row in rows] for spec in specs},
        [row.system for row in rows],
        _questions([(row.id, row.system, row.question) for row in rows])
        if cluster is None
        else [cluster_of(example_of_row(row), cluster) for row in rows],
    )
    return JudgedScores(_judged(panel), _fields(rows), [row.id for row in rows])


def measure(
    evidence: JudgedScores, options: Options, by: str | None = None
) -> tuple[list[Agreement], list[Difference]]:
    """Correlate every metric with people, whole and in parts, and test every pair of metrics on the whole."""
    agreements = []
    for label, rows in evidence.rows(by).items():
        panel = evidence.panel if label is None else evidence.panel.where(rows)
        found = correlate_part(panel, options, label, draws=options.draws)
        tied = _tied(panel, options) if label is None else {}
        for metric in panel.scores:
            own = {each.coefficient: each for each in found if each.metric == metric}
            agreements.append(Agreement(metric, options.level, label, own, tied.get(metric)))
    return agreements, _differences(evidence.panel, options)


def correlate_part(panel: Panel, options: Options, by: str | None = None, *, draws: int = 0) -> list[Correlation]:
    """Correlate all metrics as the options say; a part too small for the draws of level overall is undefined."""
    if by is not None and options.level is Level.OVERALL and len(panel.questions) < options.size:
        reason = f"{len(panel.questions)} questions; a draw takes {options.size}"
        return [
            Correlation(metric, options.level, coefficient, None, None, 0, 0, 0, reason, None, by)
            for metric in panel.scores
            for coefficient in options.coefficients
        ]
    return correlate(
        panel,
        options.level,
        options.coefficients,
        draws=draws,
        rng=np.random.default_rng(options.seed),
        unit=options.unit,
        size=options.size,
        times=options.times,
        by=by,
    )


def _differences(panel: Panel, options: Options) -> list[Difference]:
    if not _tested(panel, options):
        return []
    pairs = len(panel.scores) * (len(panel.scores) - 1) // 2
    return [
        difference
        for coefficient in options.coefficients
        for difference in compare_metrics(
            panel,
            test=options.test,
            level=options.level,
            coefficient=coefficient,
            rng=np.random.default_rng(options.seed),
            draws=max(options.draws, DRAWS_A_PAIR * pairs),
            unit=options.unit,
            size=options.size,
            times=options.times,
        )
    ]


def _tied(panel: Panel, options: Options) -> dict[str, bool]:
    if not _tested(panel, options):
        return {}
    found = standings(
        panel,
        test=options.test,
        level=options.level,
        coefficient=options.coefficients[0],
        rng=np.random.default_rng(options.seed),
        draws=max(options.draws, DRAWS_A_PAIR * len(panel.scores)),
        unit=options.unit,
        size=options.size,
        times=options.times,
    )
    return {
        each.correlation.metric: each.tied
        for each in found
        if each.correlation.value is not None and each.tied is not None
    }


def _tested(panel: Panel, options: Options) -> bool:
    return len(panel.scores) > 1 and (options.draws > 0 or options.test is DifferenceTest.WILLIAMS)


def _fields(rows: Sequence[Example] | Sequence[ScoredRow]) -> dict[str, Sequence[str | None]]:
    fields: dict[str, Sequence[str | None]] = {
        "system": [row.system or None for row in rows],
        "question_type": [row.question_type for row in rows],
    }
    for name in dict.fromkeys(key for row in rows for key in row.extra):
        fields[name] = [_label(row.extra.get(name)) for row in rows]
    return fields


def _questions(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return which answers belong to one question: the same id of several systems, else the same question text."""
    if len({system for _, system, _ in rows}) > 1:
        return [name for name, _, _ in rows]
    shared = Counter(question for *_, question in rows if question)
    return [question if shared[question] > 1 else name for name, _, question in rows]


def _judged(panel: Panel) -> Panel:
    if np.isnan(panel.judgement).all():
        raise DataError(
            f'no answer has a "judgement"; add a person\'s score to the answers, or give {option("judgements")}'
        )
    return panel


def _label(value: object) -> str | None:
    return None if value is None or isinstance(value, dict | list) else str(value)


def _number(value: float | None) -> float:
    return np.nan if value is None else value
