"""From scored answers with judgements to the table that says how far each metric can be trusted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError
from qassay.meta.correlation import Correlation, correlate
from qassay.meta.metric_comparison import compare_metrics, standings
from qassay.meta.panel import Panel, Pooling
from qassay.metrics.catalogue import create

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.data.scored import ScoredRow
    from qassay.meta.levels import Level, Unit
    from qassay.meta.significance import Difference, DifferenceTest
    from qassay.meta.weighted import Coefficient
    from qassay.records import Example
    from qassay.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Evidence:
    """Scores beside judgements, with the fields by which they may be divided."""

    panel: Panel
    fields: Mapping[str, Sequence[str | None]]
    """By name (`system`, `question_type` or a field of the input), one value a row."""
    examples: Sequence[Example] = ()
    """The answers themselves, where they are known, in the panel's order."""

    def parts(self, by: str | None) -> dict[str | None, Panel]:
        """Give the whole, and its parts by a field when one is named."""
        if by is None:
            return {None: self.panel}
        if by not in self.fields or not any(value is not None for value in self.fields[by]):
            known = ", ".join(sorted(name for name, values in self.fields.items() if any(values))) or "none"
            raise DataError(f'no answer has a field "{by}" to divide by; there are: {known}')
        parts: dict[str | None, Panel] = {None: self.panel}
        parts.update(self.panel.split(self.fields[by]))
        return parts


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric's agreement with people at one level, over all answers or a part of them."""

    metric: str
    level: Level
    by: str | None
    correlations: Mapping[Coefficient, Correlation]
    tied: bool | None = None
    """Whether it is statistically tied with the best by its first coefficient; None where not tested."""

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as `correlate --json` prints them."""
        first = next(iter(self.correlations.values()))
        row: dict[str, Any] = {"metric": self.metric, "level": str(self.level), "by": self.by, "n": first.n}
        for coefficient, found in self.correlations.items():
            name = str(coefficient)
            row[name] = found.value
            if found.interval is not None:
                row[f"{name}_low"], row[f"{name}_high"] = found.interval.low, found.interval.high
            row[f"{name}_p"] = found.p
        reasons = {found.reason for found in self.correlations.values() if found.reason}
        row |= {"undefined": first.undefined, "missing": first.missing}
        if reasons:
            row["reason"] = "; ".join(sorted(reasons))
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
    seed: int
    unit: Unit | None = None
    size: int = 30
    times: int = 100


def evidence_of_table(table: ScoreTable, judgements: Mapping[tuple[str, str], float] | None = None) -> Evidence:
    """Put a score table's answers beside their judgements, or beside those given by (id, system)."""
    examples = table.examples
    if judgements is not None:
        examples = tuple(replace(each, judgement=judgements.get((each.id, each.system))) for each in examples)
    fields: dict[str, Sequence[str | None]] = {
        "system": [each.system or None for each in examples],
        "question_type": [each.question_type for each in examples],
    }
    for name in dict.fromkeys(key for each in examples for key in each.extra):
        fields[name] = [_label(each.extra.get(name)) for each in examples]
    metrics = [create(spec) for spec in table.scores]
    panel = Panel.build(
        [np.nan if each.judgement is None else each.judgement for each in examples],
        dict(table.scores),
        [each.system for each in examples],
        _questions([(each.id, each.system, each.question) for each in examples]),
        {
            str(metric.spec): Pooling(table.stats[str(metric.spec)], metric.finish)
            for metric in metrics
            if metric.declaration.corpus == "pooled"
        },
    )
    return Evidence(_judged(panel), fields, examples)


def evidence_of_rows(rows: Sequence[ScoredRow], judgements: Mapping[tuple[str, str], float] | None = None) -> Evidence:
    """Put scores that were written earlier beside their judgements."""
    specs = dict.fromkeys(spec for row in rows for spec in row.scores)
    known = [row.judgement if judgements is None else judgements.get((row.id, row.system)) for row in rows]
    fields: dict[str, Sequence[str | None]] = {
        "system": [row.system or None for row in rows],
        "question_type": [row.question_type for row in rows],
    }
    for name in dict.fromkeys(key for row in rows for key in row.extra):
        fields[name] = [_label(row.extra.get(name)) for row in rows]
    panel = Panel.build(
        [np.nan if value is None else value for value in known],
        {spec: [_number(row.scores.get(spec)) for row in rows] for spec in specs},
        [row.system for row in rows],
        _questions([(row.id, row.system, str(row.extra.get("question", ""))) for row in rows]),
    )
    return Evidence(_judged(panel), fields)


def measure(evidence: Evidence, options: Options, by: str | None = None) -> tuple[list[Agreement], list[Difference]]:
    """Correlate every metric with people, whole and in parts, and test every pair of metrics on the whole."""
    agreements = []
    for label, panel in evidence.parts(by).items():
        rng = np.random.default_rng(options.seed)
        found = correlate(
            panel,
            options.level,
            options.coefficients,
            draws=options.draws,
            rng=rng,
            unit=options.unit,
            size=options.size,
            times=options.times,
            by=label,
        )
        tied = _tied(panel, options) if label is None and len(panel.scores) > 1 else {}
        for metric in panel.scores:
            own = {each.coefficient: each for each in found if each.metric == metric}
            agreements.append(Agreement(metric, options.level, label, own, tied.get(metric)))
    if len(evidence.panel.scores) < 2:  # noqa: PLR2004 - a difference takes two
        return agreements, []
    differences = [
        difference
        for coefficient in options.coefficients
        for difference in compare_metrics(
            evidence.panel,
            test=options.test,
            level=options.level,
            coefficient=coefficient,
            rng=np.random.default_rng(options.seed),
            draws=max(options.draws, 100),
            unit=options.unit,
        )
    ]
    return agreements, differences


def _tied(panel: Panel, options: Options) -> dict[str, bool]:
    found = standings(
        panel,
        test=options.test,
        level=options.level,
        coefficient=options.coefficients[0],
        rng=np.random.default_rng(options.seed),
        draws=max(options.draws, 100),
        unit=options.unit,
    )
    return {each.correlation.metric: each.tied for each in found if each.correlation.value is not None}


def _questions(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Tell which answers belong to one question: the same id of several systems, else the same question text."""
    if len({system for _, system, _ in rows}) > 1:
        return [name for name, _, _ in rows]
    shared = Counter(question for *_, question in rows if question)
    return [question if shared[question] > 1 else name for name, _, question in rows]


def _judged(panel: Panel) -> Panel:
    if np.isnan(panel.judgement).all():
        raise DataError('no answer has a "judgement"; add a person\'s score to the answers, or give --judgements FILE')
    return panel


def _label(value: object) -> str | None:
    return None if value is None or isinstance(value, dict | list) else str(value)


def _number(value: float | None) -> float:
    return np.nan if value is None else value
