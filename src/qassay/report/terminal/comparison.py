"""Comparisons of systems for the terminal: one table per pair of systems."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qassay.scoring.aggregates.attempts import ATTEMPTED, GIVEN_ATTEMPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

    from qassay.meta.comparison.paired_test import Comparison
    from qassay.meta.comparison.systems import SystemComparison

_SIGNIFICANCE = 0.05
_NAME_LINES, _NAME_WIDTH, _METRIC_WIDTH = 3, 8, 8
"""A name takes three lines of a heading at most; where there is little room, it and the metric's are this wide."""


def comparison_tables(comparisons: Sequence[SystemComparison]) -> Group:
    """Show each pair's scores, their difference with its interval, p-values, and questions won, tied and lost.

    Rows whose permutation p-value, corrected for the number of pairs, is below .05 are bold; what has no value says
    why below.
    """
    parts: list[RenderableType] = []
    for (a, b, unshared), rows in groupby(comparisons, key=lambda each: (each.a, each.b, each.unshared)):
        pair = list(rows)
        parts += [_PairTable(a, b, unshared, pair), *_remarks(pair)]
    pairs = len({(each.a, each.b) for each in comparisons})
    if pairs > 1:
        said = f"bold: p perm below 5 % after Holm's correction for {pairs} pairs of systems (p_holm in --json)"
        parts.append(Text(said, style="dim"))
    return Group(*parts)


def _remarks(rows: Sequence[SystemComparison]) -> list[Text]:
    lines = []
    for each in rows:
        given_attempted = each.metric.endswith(GIVEN_ATTEMPTED)
        if each.result.missing and (given_attempted or not each.metric.endswith(ATTEMPTED)):
            what = "that not both attempted" if given_attempted else "without a score of both"
            one = each.result.missing == 1
            left_out = f"1 question {what} was" if one else f"{each.result.missing:,} questions {what} were"
            lines.append(f"{each.metric}: {left_out} left out")
        if each.result.reason:
            undefined = "undefined: " if each.result.difference is None else ""
            lines.append(f"{each.metric}: {undefined}{each.result.reason}")
    return [Text(line, style="dim") for line in lines]


@dataclass(frozen=True, slots=True)
class _PairTable:
    """One pair of systems, whose names and metrics wrap where there is little room, and whose numbers never do."""

    a: str
    b: str
    unshared: int
    rows: Sequence[SystemComparison]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self._table(stacked=False)
        needed = table.__rich_measure__(console, options.update(width=1000)).maximum
        yield table if needed <= options.max_width else self._table(stacked=True)

    def _table(self, *, stacked: bool) -> Table:
        """Lay out one line per metric, or with the intervals below the differences."""
        table = Table(
            title=Text(self._title()), title_justify="left", title_style="bold", box=None, header_style="bold"
        )
        table.add_column("metric", overflow="fold", min_width=_METRIC_WIDTH)
        cells = [_cells(each.result, stacked=stacked) for each in self.rows]
        for at, name in enumerate((self.a, self.b)):
            least = max(len(each[at]) for each in cells)
            most = max(_NAME_WIDTH, least)
            table.add_column(Text(_short(name)), justify="right", overflow="fold", min_width=least, max_width=most)
        for heading in ("difference\n(95 %)" if stacked else "difference (95 %)", "p perm", "p boot", "w-t-l"):
            table.add_column(heading, justify="right", no_wrap=True)
        for each, row in zip(self.rows, cells, strict=True):
            sure = each.p_holm is not None and each.p_holm < _SIGNIFICANCE
            table.add_row(Text(each.metric), *row, style="bold" if sure else None)
        return table

    def _title(self) -> str:
        shared = self.rows[0].result.n + self.rows[0].result.missing
        questions = "1 question" if shared == 1 else f"{shared:,} questions"
        answers = "1 answer" if self.unshared == 1 else f"{self.unshared:,} answers"
        apart = f" ({answers} without a counterpart)" if self.unshared else ""
        return f"{self.a} against {self.b}, {questions}{apart}"


def _short(name: str) -> str:
    """Leave out the middle of a name that is too long for a heading: versions differ at the end."""
    longest = _NAME_LINES * _NAME_WIDTH
    if cell_len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{set_cell_size(name, half).rstrip()}…{set_cell_size(name[::-1], half)[::-1].lstrip()}"


def _cells(result: Comparison, *, stacked: bool) -> list[str]:
    difference = "-" if result.difference is None else f"{result.difference:+.3f}"
    if result.low is not None and result.high is not None:
        difference += "\n" if stacked else " "
        difference += f"({result.low:+.3f} {result.high:+.3f})"
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
