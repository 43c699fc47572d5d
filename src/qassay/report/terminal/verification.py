"""Methods of answer verification compared with people's verdicts, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from qassay.report.terminal.correlation import SIGNIFICANCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from qassay.meta.accuracy.verdict_quality import MethodDifference, ScoreDistribution, Verification


BARS = "▁▂▃▄▅▆▇█"


def verification_table(
    rows: Sequence[Verification], leads: Sequence[MethodDifference], distributions: Sequence[ScoreDistribution] = ()
) -> RenderableType:
    """Show accuracies and squared errors in the form of Deutsch and Roth's Table 1.

    The best value of a column is bold, and those that cannot be told apart from it are underlined. Below it, bars draw
    how the scores of pairs with the same and with another meaning lie between 0 and 1, as their Figure 2 does.
    """
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column(Text(f"verdicts of people\nn = {rows[0].n:,}"), no_wrap=True)
    for heading in ("accuracy", "at", "squared\nerror", "AUC"):
        table.add_column(heading, justify="right", no_wrap=True)
    most, least = max(row.accuracy for row in rows), min(row.mse for row in rows)
    for row in rows:
        threshold = "" if row.threshold is None else f"{row.threshold:.3f}"
        table.add_row(
            row.method,
            Text(f"{row.accuracy:.1%}", _style(best=row.accuracy == most, tied=row.accuracy_tied)),
            Text(threshold, "dim"),
            Text(f"{row.mse:.3f}", _style(best=row.mse == least, tied=row.mse_tied)),
            "" if row.auc is None else f"{row.auc:.3f}",
        )
    return Group(table, *_sure_leads(leads), *_drawn(distributions))


def bars(counts: Sequence[int]) -> str:
    """Draw counts as bars; a blank for none, and the tallest bar for the most."""
    most = max(counts, default=0)
    return "".join(BARS[-(-count * len(BARS) // most) - 1] if count else " " for count in counts)


def _drawn(distributions: Sequence[ScoreDistribution]) -> list[RenderableType]:
    if not distributions:
        return []
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("scores from 0 to 1", no_wrap=True)
    for heading in ("same", "different"):
        table.add_column(heading, no_wrap=True)
    for each in distributions:
        table.add_row(each.method, bars(each.same), bars(each.different))
    return [table]


def _style(*, best: bool, tied: bool) -> str:
    return "bold" if best else "underline" if tied else ""


def _sure_leads(leads: Sequence[MethodDifference]) -> list[Text]:
    lines = ["accuracy is at each method's best threshold on these pairs; bold: best, underlined: tied with it"]
    for each in leads:
        parts = []
        if each.accuracy_p is not None and each.accuracy_p < SIGNIFICANCE:
            parts.append(f"accuracy +{100 * each.accuracy:.1f} points (p = {each.accuracy_p:.4f})")
        if each.mse > 0 and each.mse_p is not None and each.mse_p < SIGNIFICANCE:
            parts.append(f"squared error -{each.mse:.3f} (p = {each.mse_p:.4f})")
        if parts:
            lines.append(f"{each.a} is ahead of {each.b}: {', '.join(parts)}")
    return [Text(line, "dim") for line in lines]
