"""How metrics agree with people, for the terminal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qassay.report.figures.correlation import moves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.correlation.correlate import Correlation
    from qassay.meta.correlation.evaluation import Agreement
    from qassay.meta.correlation.significance import Difference
    from qassay.meta.correlation.sweep import SweepPoint

SIGNIFICANCE = 0.05
"""A difference whose corrected p-value is below this is significant."""
_LISTED = 12


def agreement_table(
    agreements: Sequence[Agreement],
    differences: Sequence[Difference],
    points: Sequence[SweepPoint] = (),
    *,
    by: str | None = None,
    unlabelled: int = 0,
) -> Group:
    """Show each metric's coefficients with intervals, then the significant differences, then any sweep.

    Metrics statistically tied with the best are marked with a star.
    """
    parts: list[RenderableType] = []
    for label, rows in groupby(agreements, key=lambda each: each.by):
        parts.append(_coefficients(label, list(rows)))
    parts += _notes(agreements, by, unlabelled)
    parts += _differences(differences)
    parts += _sweep(points)
    return Group(*parts)


def remarks(agreements: Sequence[Agreement], unlabelled: int = 0, by: str | None = None) -> list[str]:
    """Return remarks on missing values and on what was left out; metrics with the same remark share a line."""
    found: dict[str, list[str]] = defaultdict(list)
    whole = [each.metric for each in agreements if each.by is None]
    for each in agreements:
        part = "" if each.by is None else f"{each.by}: "
        correlations = each.correlations.values()
        valueless = sorted({one.reason for one in correlations if one.value is None and one.reason})
        if valueless:
            found[f"{part}undefined: {'; '.join(valueless)}"].append(each.metric)
        elif each.undefined:
            found[f"{part}{_parts_without_value(each)}"].append(each.metric)
        unsure = sorted({one.reason for one in correlations if one.value is not None and one.reason})
        if unsure:
            found[f"{part}{'; '.join(unsure)}"].append(each.metric)
        if each.first.missing and each.by is None:
            count = each.first.missing
            answers = (
                "1 answer without score or judgement was"
                if count == 1
                else f"{count:,} without score or judgement were"
            )
            found[f"{answers} left out"].append(each.metric)
    lines = [
        f"{'every metric' if names == whole and len(whole) > 1 else ', '.join(names)}: {what}"
        for what, names in found.items()
    ]
    if unlabelled:
        have, are = ("1 answer has", "is") if unlabelled == 1 else (f"{unlabelled:,} answers have", "are")
        lines.append(f'{have} no "{by}" and {are} in no part')
    return lines


def better_first(difference: Difference) -> Difference:
    """Reverse a difference whose second metric is the better one."""
    if difference.difference is None or difference.difference >= 0:
        return difference
    return replace(difference, a=difference.b, b=difference.a, difference=-difference.difference)


def _parts_without_value(agreement: Agreement) -> str:
    what = {"input": "question", "system": "system", "overall": "draw"}.get(str(agreement.level), "coefficient")
    count = agreement.undefined
    if count == 1:
        return f"1 {what} without a value of its own was left out"
    return f"{count:,} {what}s without a value of their own were left out"


def _coefficients(by: str | None, rows: Sequence[Agreement]) -> Table:
    table = Table(
        title=None if by is None else Text(by), title_justify="left", title_style="bold", box=None, header_style="bold"
    )
    table.add_column(f"{rows[0].level} level", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for coefficient in rows[0].correlations:
        table.add_column(str(coefficient), justify="right", no_wrap=True)
    ordered = sorted(rows, key=lambda each: -2 if each.first.value is None else each.first.value, reverse=True)
    for row in ordered:
        counts = " / ".join(dict.fromkeys(str(each.n) for each in row.correlations.values()))
        name = Text(row.metric + (" *" if row.tied else ""))
        table.add_row(name, counts, *(_cell(each) for each in row.correlations.values()))
    return table


def _cell(found: Correlation) -> str:
    if found.value is None:
        return "undefined"
    if found.interval is None:
        return _short(found.value)
    return f"{_short(found.value)} ({_short(found.interval.low)} {_short(found.interval.high)})"


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1)


def _notes(agreements: Sequence[Agreement], by: str | None, unlabelled: int) -> list[Text]:
    lines = remarks(agreements, unlabelled, by)
    if any(each.tied for each in agreements):
        lines.insert(0, "* statistically tied with the best (one-sided, Holm-corrected, 5 %)")
    return [Text(line, style="dim") for line in lines]


def _differences(differences: Sequence[Difference]) -> list[RenderableType]:
    if not differences:
        return []
    sure = [better_first(each) for each in differences if each.adjusted is not None and each.adjusted < SIGNIFICANCE]
    order = list(dict.fromkeys(each.coefficient for each in differences))
    sure.sort(key=lambda each: (order.index(each.coefficient), -(each.difference or 0.0)))
    table = Table(box=None, header_style="bold")
    for heading in ("agrees better", "than"):
        table.add_column(heading, overflow="fold")
    table.add_column("by", no_wrap=True)
    for heading in ("difference", "p", "p (Holm)"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in sure[:_LISTED]:
        numbers = (f"{each.difference:.3f}", f"{each.p:.4f}", f"{each.adjusted:.4f}")
        table.add_row(Text(each.a), Text(each.b), str(each.coefficient), *numbers)
    untested = [each for each in differences if each.p is None]
    test = differences[0].test
    counted = f"{len(sure)} of {len(differences)} difference{'' if len(differences) == 1 else 's'}"
    counted += " is" if 1 in {len(sure), len(differences)} else " are"
    said = f"{counted} significant ({test}, two-sided, Holm-corrected, 5 %)"
    said += f"; {len(sure) - _LISTED} more with --json or --report" if len(sure) > _LISTED else ""
    lines = [Text(said, style="dim")]
    for reason in dict.fromkeys(each.reason for each in untested if each.reason):
        count = sum(each.reason == reason for each in untested)
        lines.append(Text(f"{count} not tested: {reason}", style="dim"))
    return [*lines, *([table] if sure else [])]


def _sweep(points: Sequence[SweepPoint]) -> list[RenderableType]:
    """Show the first coefficient at every value, one table for each part that the parameter changes."""
    coefficient = points[0].coefficient if points else None
    shown: list[RenderableType] = []
    still = []
    drawn = [each for each in points if each.coefficient is coefficient]
    for label, rows in groupby(drawn, key=lambda each: each.by):
        part = list(rows)
        if label is not None and not moves(part):
            still.append(label)
            continue
        title = f"{coefficient} against {part[0].param}" + ("" if label is None else f", {label}")
        shown += [Text(title, style="bold"), _sweep_table(part)]
    if still:
        shown.append(Text(f"{points[0].param} changes nothing in: {', '.join(still)}", style="dim"))
    return shown


def _sweep_table(part: Sequence[SweepPoint]) -> Table:
    """Return a table of values by metrics; the highest of a column is bold."""
    table = Table(box=None, header_style="bold")
    table.add_column(Text(part[0].param), justify="right", no_wrap=True)
    found: dict[str, dict[float, float | None]] = defaultdict(dict)
    for each in part:
        found[each.metric][each.value] = each.correlation
    for metric in found:
        table.add_column(Text(metric), justify="right", overflow="fold")
    best = {
        metric: max((value for value in column.values() if value is not None), default=None)
        for metric, column in found.items()
    }
    for value in dict.fromkeys(each.value for each in part):
        table.add_row(f"{value:g}", *(_swept(column[value], best[metric]) for metric, column in found.items()))
    return table


def _swept(value: float | None, best: float | None) -> Text:
    if value is None:
        return Text("undefined", style="dim")
    return Text(f"{value:.3f}", style="bold" if value == best else "")
