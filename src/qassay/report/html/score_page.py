"""The report: one self-contained HTML page with a run's aggregates, distributions and answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from qassay.metrics.registry import CATALOGUE
from qassay.report.answers import system_names
from qassay.report.figures.inline import TINTS, histogram, interval, ticks
from qassay.report.html.document import render, write_page
from qassay.report.html.payload import ANSWER_SCRIPTS, answers_section
from qassay.scoring.aggregates.aggregation import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Ints
    from qassay.report.answers import AnswerRow, Ordering, PageAnswers
    from qassay.scoring.table import Aggregate, IntervalFigure


MOST_SYSTEMS, MOST_LINES = 100, 60
"""Systems that are drawn, and lines of remarks and signatures."""
_MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class Report:
    """What a report shows."""

    title: str
    aggregates: Sequence[Aggregate]
    histograms: Mapping[str, Mapping[str, Ints]]
    """By system and spec, how many scores fall in each of equal bins from 0 to the metric's maximum."""
    ordering: Ordering
    answers: PageAnswers[AnswerRow]
    skipped: int
    notes: Mapping[str, int]
    seed: int
    call: str = ""
    """The command line or Python call that made the page."""


@dataclass(frozen=True, slots=True)
class _SystemLine:
    system: str
    tint: int
    aggregate: Aggregate
    best: bool
    distribution: Markup
    whisker: Markup


@dataclass(frozen=True, slots=True)
class _LineGroup:
    """The systems under one heading: the metric's own scores have none."""

    heading: str
    lines: Sequence[_SystemLine]


@dataclass(frozen=True, slots=True)
class _MetricCard:
    spec: str
    summary: str
    pooled: bool
    groups: Sequence[_LineGroup]
    ticks: Markup


def write_report(report: Report, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_report(report), path)


def render_report(report: Report) -> str:
    """Return the page's HTML."""
    specs = list(dict.fromkeys(each.metric for each in report.aggregates))
    systems = list(dict.fromkeys(each.system for each in report.aggregates))
    drawn = _drawn_systems(report, systems, specs)
    shown = [each for each in report.aggregates if each.system in drawn]
    given = [row.example.system for row in report.answers.rows]
    names = system_names([each.system for each in shown] + given if len(drawn) < len(systems) else systems + given)
    unscored, signatures = _unscored(shown, names, len(specs)), _signatures(shown, names)
    return render(
        "report.html",
        scripts=("theme.js", *ANSWER_SCRIPTS),
        call=report.call,
        report=report,
        specs=specs,
        systems=len({*systems, *given}),
        drawn=len(drawn),
        confidence=f"{CONFIDENCE:.0%}".replace("%", " %"),
        cards=[_card(report, spec, [each for each in shown if each.metric == spec], names) for spec in specs],
        unscored=unscored[:MOST_LINES],
        unscored_more=max(0, len(unscored) - MOST_LINES),
        signatures=signatures[:MOST_LINES],
        signatures_more=max(0, len(signatures) - MOST_LINES),
        **answers_section(report.answers, specs, names, report.ordering),
    )


def _drawn_systems(report: Report, systems: Sequence[str], specs: Sequence[str]) -> set[str]:
    """Return the systems that are drawn: all, or of very many the highest and the lowest by the leading metric."""
    if len(systems) <= MOST_SYSTEMS:
        return set(systems)
    leading = report.ordering.leading(specs)[0]
    values = {each.system: each.value for each in report.aggregates if each.metric == leading}
    ranked = sorted(systems, key=lambda system: (values.get(system) is None, values.get(system) or 0.0))
    return {*ranked[: MOST_SYSTEMS // 2], *ranked[-MOST_SYSTEMS // 2 :]}


def _card(report: Report, spec: str, aggregates: Sequence[Aggregate], names: Mapping[str, str]) -> _MetricCard:
    place = {system: i for i, system in enumerate(names)}
    counts = {each.system: _counts(report, each) for each in aggregates}
    peak = max((max(row, default=0) / (sum(row) or 1) for row in counts.values()), default=0.0)
    values = {each.value for each in aggregates if each.value is not None}
    maximum = report.ordering.maxima.get(spec, 1.0)
    lines = [
        _SystemLine(
            system=names[each.system],
            tint=place[each.system] % TINTS,
            aggregate=each,
            best=len(values) > 1 and each.value == max(values),
            distribution=histogram(
                counts[each.system], peak=peak, label=_distribution_label(counts[each.system], maximum)
            ),
            whisker=interval(each.value, each.low, each.high, maximum=maximum, label=_interval_label(each)),
        )
        for each in aggregates
    ]
    groups = [_LineGroup("", lines)]
    for heading, figure_of, top in (
        ("Share of answers that are attempts", _attempted, 1.0),
        ("Score of the attempted answers", _given_attempted, maximum),
    ):
        found = [(line, figure) for line in lines if (figure := figure_of(line.aggregate)) is not None]
        if found:
            groups.append(_LineGroup(heading, [_figure_line(line, figure, top) for line, figure in found]))
    entry = CATALOGUE.get(spec.partition(",")[0].partition(":")[0])
    declaration = entry.declaration if entry else None
    return _MetricCard(
        spec=spec,
        summary=declaration.summary if declaration else "",
        pooled=declaration is not None and declaration.corpus == "pooled",
        groups=groups,
        ticks=ticks(maximum),
    )


def _attempted(aggregate: Aggregate) -> IntervalFigure | None:
    return aggregate.attempted


def _given_attempted(aggregate: Aggregate) -> IntervalFigure | None:
    return aggregate.given_attempted


def _figure_line(line: _SystemLine, figure: IntervalFigure, maximum: float) -> _SystemLine:
    """Return the line of a figure that belongs to a system's score: without a distribution, never the best."""
    shown = replace(
        line.aggregate, value=figure.value, low=figure.low, high=figure.high, n=figure.n, unscored=0, reasons={}
    )
    strip = interval(figure.value, figure.low, figure.high, maximum=maximum, label=_interval_label(shown))
    return replace(line, aggregate=shown, best=False, distribution=Markup(), whisker=strip)


def _counts(report: Report, aggregate: Aggregate) -> list[int]:
    found = report.histograms.get(aggregate.system, {}).get(aggregate.metric)
    return [] if found is None else [int(count) for count in found]


def _distribution_label(counts: Sequence[int], maximum: float) -> str:
    """Return the text alternative of a distribution."""
    total = sum(counts)
    if not total:
        return "no scores"
    half = len(counts) // 2
    return f"{sum(counts[half:]) / total:.0%} of {total:,} scores are {maximum / 2:g} or higher"


def _interval_label(aggregate: Aggregate) -> str:
    if aggregate.value is None:
        return "no score"
    if aggregate.low is None or aggregate.high is None:
        return f"{aggregate.value:.3f}"
    return f"{aggregate.value:.3f}, from {aggregate.low:.3f} to {aggregate.high:.3f}"


def _unscored(
    aggregates: Sequence[Aggregate], names: Mapping[str, str], metrics: int
) -> list[tuple[str, str, int, dict[str, int]]]:
    """List which systems have unscored answers under which metrics, and why; equal lines are one."""
    found: dict[tuple[str, int, tuple[tuple[str, int], ...]], list[str]] = defaultdict(list)
    for each in aggregates:
        if each.unscored:
            found[names[each.system], each.unscored, tuple(each.reasons.items())].append(each.metric)
    return [
        (system, "every metric" if len(specs) == metrics else ", ".join(specs), count, dict(reasons))
        for (system, count, reasons), specs in found.items()
    ]


def _signatures(aggregates: Sequence[Aggregate], names: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """List the distinct signatures with the systems they hold for."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in aggregates:
        found[each.signature].append(names[each.system])
    return [
        (signature, [*listed[:_MOST_NAMES], *([f"{len(listed) - _MOST_NAMES:,} more"] if listed[_MOST_NAMES:] else [])])
        for signature, listed in found.items()
    ]
