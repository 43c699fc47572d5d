"""The page of `qassay compare`: every pair of systems with its test, and the questions side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from qassay.report.answers import AnswerRow, select_answers, system_names
from qassay.report.figures.inline import TINTS, interval, shares, ticks
from qassay.report.html.document import render, write_page
from qassay.report.html.payload import ANSWER_SCRIPTS, answers_section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from qassay.meta.comparison.systems import SystemComparison
    from qassay.report.answers import Ordering
    from qassay.scoring.table import ScoreTable

_SIGNIFICANCE = 0.05
_AT_ONCE, MOST_PAIRS = 6, 100
"""How many pairs of systems are expanded, and how many the page holds."""
_ENDS = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Where the axis of differences may end, as shares of the metrics' maxima."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """What the page shows."""

    title: str
    table: ScoreTable
    comparisons: Sequence[SystemComparison]
    ordering: Ordering
    skipped: int = 0
    call: str = ""
    """The command line or Python call that made the page."""


@dataclass(frozen=True, slots=True)
class _Line:
    comparison: SystemComparison
    strip: Markup
    won: Markup
    sure: bool


@dataclass(frozen=True, slots=True)
class _Pair:
    a: str
    b: str
    a_tint: int
    b_tint: int
    questions: int
    unshared: int
    lines: Sequence[_Line]
    ticks: Markup


def write_comparison_page(report: ComparisonReport, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_comparison(report), path)


def render_comparison(report: ComparisonReport) -> str:
    """Return the page's HTML."""
    names = system_names(example.system for example in report.table.examples)
    specs = list(report.table.scores)
    first = report.comparisons[0].result
    grouped = [list(rows) for _, rows in groupby(report.comparisons, key=lambda each: (each.a, each.b))]
    return render(
        "comparison.html",
        scripts=("theme.js", *ANSWER_SCRIPTS),
        call=report.call,
        report=report,
        specs=specs,
        systems=list(names.values()),
        pairs=[_pair(report, rows, names) for rows in grouped[:MOST_PAIRS]],
        pair_count=len(grouped),
        at_once=_AT_ONCE,
        attempts=bool(report.table.answer_notes),
        draws=first.draws,
        confidence=f"{100 * first.confidence:g}",
        **answers_section(
            select_answers(lambda: table_rows(report.table), report.ordering),
            specs,
            names,
            report.ordering,
            by_question=True,
        ),
    )


def table_rows(table: ScoreTable) -> Iterator[AnswerRow]:
    """Yield a table's answers with their scores."""
    for i, example in enumerate(table.examples):
        scores = {spec: None if np.isnan(values[i]) else float(values[i]) for spec, values in table.scores.items()}
        reasons = {spec: why[i] for spec, why in table.unscored.items() if i in why}
        yield AnswerRow(example, scores, reasons, table.notes_of(i))


def _pair(report: ComparisonReport, rows: Sequence[SystemComparison], names: Mapping[str, str]) -> _Pair:
    first = rows[0]
    order = list(names)
    end = _axis_end(report, rows)
    return _Pair(
        a=names[first.a],
        b=names[first.b],
        a_tint=order.index(first.a) % TINTS,
        b_tint=order.index(first.b) % TINTS,
        questions=first.result.n + first.result.missing,
        unshared=first.unshared,
        lines=[_line(each, report.ordering.maxima.get(each.metric, 1.0), end) for each in rows],
        ticks=ticks(end, minimum=-end),
    )


def _axis_end(report: ComparisonReport, rows: Sequence[SystemComparison]) -> float:
    """Return the shortest axis that holds all differences and their intervals."""
    ends = [
        abs(value) / report.ordering.maxima.get(each.metric, 1.0)
        for each in rows
        for value in (each.result.difference, each.result.low, each.result.high)
        if value is not None
    ]
    return next((end for end in _ENDS if end >= max(ends, default=0.0)), 1.0)


def _line(comparison: SystemComparison, maximum: float, end: float) -> _Line:
    result = comparison.result
    value, low, high = (
        None if each is None else each / maximum for each in (result.difference, result.low, result.high)
    )
    limits = "" if result.low is None or result.high is None else f", from {result.low:+.3f} to {result.high:+.3f}"
    said = "undefined" if result.difference is None else f"difference {result.difference:+.3f}{limits}"
    counts = {"win": result.wins, "tie": result.ties, "loss": result.losses}
    return _Line(
        comparison,
        interval(value, low, high, maximum=end, minimum=-end, label=said),
        shares(counts, label=f"won {result.wins:,}, tied {result.ties:,}, lost {result.losses:,}"),
        sure=comparison.p_holm is not None and comparison.p_holm < _SIGNIFICANCE,
    )
