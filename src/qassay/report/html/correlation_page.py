"""The page of `qassay correlate`: how each metric agrees with people, how sure that is, and where it goes wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from qassay.meta.correlation.levels import Level, system_pairs
from qassay.report.answers import system_names
from qassay.report.figures.correlation import (
    NAMED,
    PARTS,
    colours_of,
    intervals_figure,
    parts_figure,
    ranked,
    scatter_figure,
    sweep_figure,
    systems_figure,
)
from qassay.report.figures.drawing import Figure
from qassay.report.figures.inline import interval, ticks
from qassay.report.html.document import render, write_page
from qassay.report.html.wrong_answers import MOST, most_wrong, wrong_answers, wrong_answers_table
from qassay.report.terminal.correlation import SIGNIFICANCE, better_first, remarks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from qassay.meta.correlation.correlate import Correlation
    from qassay.meta.correlation.evaluation import Agreement, JudgedScores, Options
    from qassay.meta.correlation.significance import Difference
    from qassay.meta.correlation.sweep import SweepPoint
    from qassay.report.figures.drawing import Drawing
    from qassay.report.html.wrong_answers import WrongAnswer

_AT_ONCE = 12
"""How many differences are shown at first."""


@dataclass(frozen=True, slots=True)
class CorrelationReport:
    """What the page shows."""

    title: str
    evidence: JudgedScores
    options: Options
    by: str | None
    agreements: Sequence[Agreement]
    differences: Sequence[Difference]
    points: Sequence[SweepPoint]
    skipped: int = 0
    call: str = ""
    """The command line or Python call that made the page."""


@dataclass(frozen=True, slots=True)
class _Cell:
    name: str
    found: Correlation
    strip: Markup


@dataclass(frozen=True, slots=True)
class _Line:
    agreement: Agreement
    colour: str
    cells: Sequence[_Cell]


@dataclass(frozen=True, slots=True)
class _Plot:
    metric: str
    colour: str
    drawing: Drawing
    coefficients: Sequence[tuple[str, float | None]]
    answers: Sequence[WrongAnswer]
    kinds: Sequence[tuple[str, int]]
    """Which parts the most wrong answers belong to, the most frequent first."""
    looked_at: int


def write_correlation_page(report: CorrelationReport, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_correlation(report), path)


def correlation_figures(report: CorrelationReport) -> list[Figure]:
    """Return every figure of the page."""
    wrong = most_wrong(report.evidence, NAMED)
    figures = [intervals_figure(report.agreements), scatter_figure(report.evidence, wrong)]
    if report.options.level is Level.SYSTEM:
        figures.append(systems_figure(_systems(report.evidence)))
    if report.by is not None:
        figures.append(parts_figure(report.agreements, report.by))
    if report.points:
        figures.append(sweep_figure(report.points, colours_of(report.agreements)))
    return figures


def correlation_tables(report: CorrelationReport) -> list[Figure]:
    """Return the tables without a picture: the differences, and the most wrong answers."""
    columns = ("a", "b", "coefficient", "difference", "p", "p_holm", "test", "n")
    rows = [
        (each.a, each.b, str(each.coefficient), each.difference, each.p, each.adjusted, str(each.test), each.n)
        for each in report.differences
    ]
    return [Figure("differences", "", (), columns, rows), wrong_answers_table(report.evidence)]


def render_correlation(report: CorrelationReport) -> str:
    """Return the page's HTML."""
    evidence, options = report.evidence, report.options
    whole = ranked(each for each in report.agreements if each.by is None)
    low, high = _range(whole)
    sweep = sweep_figure(report.points, colours_of(report.agreements)) if report.points else None
    parts = None if report.by is None else parts_figure(report.agreements, report.by)
    by_coefficient = {
        str(coefficient): sorted(rows, key=lambda each: -abs(each.difference or 0.0))
        for coefficient, rows in groupby(report.differences, key=lambda each: each.coefficient)
    }
    return render(
        "correlation.html",
        scripts=("theme.js", "correlation.js"),
        call=report.call,
        report=report,
        panel=evidence.panel,
        judged=int((evidence.panel.judgement == evidence.panel.judgement).sum()),
        options=options,
        lines=[_line(each, colours_of(report.agreements), low, high) for each in whole],
        ticks=ticks(high, minimum=low, parts=3 if low == -0.5 else 4),  # noqa: PLR2004 - halves, as below
        coefficients=[str(each) for each in options.coefficients],
        interval=next((each.first.interval for each in whole if each.first.interval is not None), None),
        tested=any(each.tied is not None for each in whole),
        differences={name: [better_first(each) for each in rows] for name, rows in by_coefficient.items()},
        sure=SIGNIFICANCE,
        at_once=_AT_ONCE,
        plots=_plots(report),
        systems=systems_figure(_systems(evidence)).drawings if options.level is Level.SYSTEM else (),
        parts=parts,
        part_count=len({each.by for each in report.agreements} - {None}),
        part_limit=PARTS,
        sweep=sweep,
        remarks=remarks(report.agreements, evidence.unlabelled(report.by), report.by),
    )


def _range(whole: Sequence[Agreement]) -> tuple[float, float]:
    """Return the axis of all strips: up to 1, and as far below 0 as any interval goes."""
    ends = [0.0]
    for agreement in whole:
        for found in agreement.correlations.values():
            ends += [] if found.value is None else [found.value]
            ends += [] if found.interval is None else [found.interval.low]
    lowest = min(ends)
    return (0.0 if lowest >= 0 else -0.5 if lowest >= -0.5 else -1.0), 1.0  # noqa: PLR2004 - round ends


def _line(agreement: Agreement, colours: Mapping[str, str], low: float, high: float) -> _Line:
    cells = []
    for coefficient, found in agreement.correlations.items():
        limits = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
        strip = interval(found.value, *limits, minimum=low, maximum=high, label=_interval_label(found))
        cells.append(_Cell(str(coefficient), found, strip))
    return _Line(agreement, colours[agreement.metric], cells)


def _interval_label(found: Correlation) -> str:
    if found.value is None:
        return f"{found.coefficient} undefined: {found.reason}"
    limits = "" if found.interval is None else f", from {found.interval.low:.3f} to {found.interval.high:.3f}"
    return f"{found.coefficient} {found.value:.3f}{limits}"


def _systems(evidence: JudgedScores) -> dict[str, list[tuple[str, float, float]]]:
    panel = evidence.panel
    names = list(system_names(panel.systems).values())
    found = {}
    for metric in panel.scores:
        scores, judgements = system_pairs(panel, metric, panel.complete(metric).nonzero()[0])
        found[metric] = [
            (name, score, judgement)
            for name, score, judgement in zip(names, scores.tolist(), judgements.tolist(), strict=True)
            if score == score and judgement == judgement  # noqa: PLR0124 - NaN where a system has no pair
        ]
    return found


def _inspected(evidence: JudgedScores) -> int:
    """Return how many answers are inspected: a tenth, as in Lee et al. 2021, and at most a hundred."""
    return max(NAMED, min(MOST, len(evidence.panel) // 10))


def _plots(report: CorrelationReport) -> list[_Plot]:
    evidence = report.evidence
    wrong = most_wrong(evidence, _inspected(evidence))
    drawings = scatter_figure(evidence, wrong, linked=True).drawings
    whole = {each.metric: each for each in report.agreements if each.by is None}
    labels = None if report.by is None else evidence.fields[report.by]
    plots = []
    for number, (metric, drawing) in enumerate(zip(evidence.panel.scores, drawings, strict=True)):
        found = wrong[metric]
        kinds = Counter(labels[each.row] or "none" for each in found) if labels is not None else Counter[str]()
        plots.append(
            _Plot(
                metric,
                colours_of(report.agreements)[metric],
                drawing,
                [(str(name), each.value) for name, each in whole[metric].correlations.items()],
                wrong_answers(evidence, number, found[:NAMED]),
                kinds.most_common(5),
                len(found),
            )
        )
    return plots
