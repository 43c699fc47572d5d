"""How metrics agree with people, for the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.correlation import Correlation
    from qassay.meta.evaluation import Agreement
    from qassay.meta.significance import Difference
    from qassay.meta.sweep import SweepPoint

_SURE = 0.05
_LISTED = 12


def agreement_table(
    agreements: Sequence[Agreement], differences: Sequence[Difference], points: Sequence[SweepPoint] = ()
) -> Group:
    """Show each metric's coefficients with intervals, then the differences that are sure, then any sweep.

    Metrics statistically tied with the best are marked with a star.
    """
    parts: list[RenderableType] = []
    for by, rows in groupby(agreements, key=lambda each: each.by):
        parts.append(_coefficients(by, list(rows)))
    parts += _notes(agreements)
    parts += _differences(differences)
    if points:
        parts.append(_sweep(points))
    return Group(*parts)


def _coefficients(by: str | None, rows: Sequence[Agreement]) -> Table:
    title = None if by is None else by
    table = Table(title=title, title_justify="left", title_style="bold", box=None, header_style="bold")
    table.add_column(f"{rows[0].level} level", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for coefficient in rows[0].correlations:
        table.add_column(str(coefficient), justify="right", no_wrap=True)
    ranked = sorted(rows, key=lambda each: -(next(iter(each.correlations.values())).value or -2))
    for row in ranked:
        counts = " / ".join(dict.fromkeys(str(each.n) for each in row.correlations.values()))
        name = Text(row.metric + (" *" if row.tied else ""))
        table.add_row(name, counts, *(_cell(each) for each in row.correlations.values()))
    return table


def _cell(found: Correlation) -> str:
    if found.value is None:
        return "-"
    if found.interval is None:
        return _short(found.value)
    return f"{_short(found.value)} ({_short(found.interval.low)} {_short(found.interval.high)})"


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1)


def _notes(agreements: Sequence[Agreement]) -> list[Text]:
    lines = []
    if any(each.tied for each in agreements):
        lines.append("* statistically tied with the best (one-sided, Holm-corrected, 5 %)")
    for each in agreements:
        name = each.metric if each.by is None else f"{each.metric}, {each.by}"
        first = next(iter(each.correlations.values()))
        reasons = "; ".join(sorted({found.reason for found in each.correlations.values() if found.reason}))
        if reasons:
            lines.append(f"{name}: undefined: {reasons}")
        elif first.undefined:
            lines.append(f"{name}: {first.undefined} without a value of their own were left out")
        if first.missing and each.by is None:
            lines.append(f"{name}: {first.missing} answers without score or judgement were left out")
    return [Text(line, style="dim") for line in lines]


def _differences(differences: Sequence[Difference]) -> list[RenderableType]:
    sure = [each for each in differences if each.adjusted is not None and each.adjusted < _SURE]
    if not differences:
        return []
    table = Table(box=None, header_style="bold")
    for heading in ("agrees better", "than", "by"):
        table.add_column(heading, no_wrap=heading != "than")
    for heading in ("difference", "p", "p (Holm)"):
        table.add_column(heading, justify="right")
    for each in sure[:_LISTED]:
        difference = each.difference or 0.0
        better, worse = (each.a, each.b) if difference > 0 else (each.b, each.a)
        table.add_row(
            better, worse, str(each.coefficient), f"{abs(difference):.3f}", f"{each.p:.4f}", f"{each.adjusted:.4f}"
        )
    test = differences[0].test
    said = f"{len(sure)} of {len(differences)} differences are sure ({test}, two-sided, Holm-corrected, 5 %)"
    more = f"; {len(sure) - _LISTED} more with --json" if len(sure) > _LISTED else ""
    return [Text(said + more, style="dim"), *([table] if sure else [])]


def _sweep(points: Sequence[SweepPoint]) -> Table:
    table = Table(title=f"sweep of {points[0].param}", title_justify="left", box=None, header_style="bold")
    columns = list(dict.fromkeys((each.metric, each.by, each.coefficient) for each in points))
    table.add_column(points[0].param, justify="right")
    for metric, by, coefficient in columns:
        table.add_column(f"{metric}{'' if by is None else f', {by}'} {coefficient}", justify="right")
    found = {(each.value, each.metric, each.by, each.coefficient): each.correlation for each in points}
    for value in dict.fromkeys(each.value for each in points):
        cells = [found[value, *column] for column in columns]
        table.add_row(f"{value:g}", *("-" if cell is None else f"{cell:.3f}" for cell in cells))
    return table
