"""Comparisons of systems as a terminal table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.systems import SystemComparison

_SURE = 0.05


def comparison_table(comparisons: Sequence[SystemComparison]) -> Table:
    """Show both scores, their difference with its interval, the p-values and who wins how often."""
    table = Table(box=None, header_style="bold")
    for heading in ("metric", "A", "B"):
        table.add_column(heading)
    for heading in ("A", "B", "A - B", "95 % interval", "p boot", "p perm", "A wins", "ties", "B wins"):
        table.add_column(heading, justify="right")
    for each in comparisons:
        result = each.result
        sure = result.p_permutation is not None and result.p_permutation < _SURE
        interval = "-" if result.low is None or result.high is None else f"{result.low:+.3f} {result.high:+.3f}"
        table.add_row(
            each.metric,
            each.a,
            each.b,
            _number(result.a),
            _number(result.b),
            "-" if result.difference is None else f"{result.difference:+.3f}",
            interval,
            _number(result.p_bootstrap),
            _number(result.p_permutation),
            str(result.wins),
            str(result.ties),
            str(result.losses),
            style="bold" if sure else None,
        )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
