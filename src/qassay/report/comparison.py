"""Comparisons of systems for the terminal: one table a pair of systems."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.comparison import Comparison
    from qassay.meta.systems import SystemComparison

_SURE = 0.05


def comparison_tables(comparisons: Sequence[SystemComparison]) -> Group:
    """Show each pair's scores, their difference with its interval, p-values, and questions won, tied and lost.

    Rows whose permutation p-value is below .05 are bold; what has no value says why below.
    """
    parts: list[RenderableType] = []
    for (a, b, unshared), rows in groupby(comparisons, key=lambda each: (each.a, each.b, each.unshared)):
        pair = list(rows)
        parts += [_pair(a, b, unshared, pair), *_remarks(pair)]
    return Group(*parts)


def _remarks(rows: Sequence[SystemComparison]) -> list[Text]:
    lines = []
    for each in rows:
        if each.result.missing:
            lines.append(f"{each.metric}: {each.result.missing} questions without a score of both were left out")
        if each.result.reason:
            undefined = "undefined: " if each.result.difference is None else ""
            lines.append(f"{each.metric}: {undefined}{each.result.reason}")
    return [Text(line, style="dim") for line in lines]


def _pair(a: str, b: str, unshared: int, rows: Sequence[SystemComparison]) -> Table:
    shared = rows[0].result.n + rows[0].result.missing
    questions = "1 question" if shared == 1 else f"{shared} questions"
    title = f"{a} against {b}, {questions}" + (f" ({unshared} answers without a counterpart)" if unshared else "")
    table = Table(title=Text(title), title_justify="left", title_style="bold", box=None, header_style="bold")
    table.add_column("metric", no_wrap=True)
    for heading in (a, b):
        table.add_column(Text(heading), justify="right", overflow="fold")
    for heading in ("difference (95 %)", "p perm", "p boot", "w-t-l"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in rows:
        result = each.result
        sure = result.p_permutation is not None and result.p_permutation < _SURE
        table.add_row(Text(each.metric), *_cells(result), style="bold" if sure else None)
    return table


def _cells(result: Comparison) -> list[str]:
    difference = "-" if result.difference is None else f"{result.difference:+.3f}"
    if result.low is not None and result.high is not None:
        difference += f" ({result.low:+.3f} {result.high:+.3f})"
    return [
        _number(result.a),
        _number(result.b),
        difference,
        _number(result.p_permutation),
        _number(result.p_bootstrap),
        f"{result.wins}-{result.ties}-{result.losses}",
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
