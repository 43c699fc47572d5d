"""Agreement between annotators, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.agreement import AnnotatorReport, ItemJudgement, PairwisePearson
    from qassay.meta.krippendorff import Alpha


def annotators_table(
    before: Alpha,
    after: Alpha | None,
    pearson: PairwisePearson,
    people: Sequence[AnnotatorReport],
    items: Sequence[ItemJudgement],
) -> Group:
    """Show alpha (before and after cleaning), the mean pairwise Pearson, and each annotator's bias and agreement."""
    ratings = sum(each.ratings for each in people)
    removed = sum(each.removed for each in people)
    left = (ratings - removed) / len(items) if items else 0.0
    head = Table(box=None, show_header=False)
    head.add_row("items", f"{len(items)}")
    head.add_row("ratings", f"{ratings}, {removed} removed as noise, {left:.2f} left an item")
    head.add_row(f"alpha ({before.measurement})", _alpha(before))
    if after is not None:
        head.add_row("alpha, cleaned", _alpha(after))
    value = "-" if pearson.value is None else f"{pearson.value:.3f}"
    undefined = f", {pearson.undefined} undefined" if pearson.undefined else ""
    head.add_row("mean pairwise Pearson", f"{value} ({pearson.pairs} pairs{undefined})")
    table = Table(box=None, header_style="bold")
    table.add_column("annotator")
    for heading in ("ratings", "removed", "bias", "deviation", "agreement"):
        table.add_column(heading, justify="right")
    for each in people:
        numbers = (each.bias, each.deviation, each.agreement)
        cells = ["-" if number is None else f"{number:+.3f}" for number in numbers]
        table.add_row(each.annotator, str(each.ratings), str(each.removed), *cells)
    parts: list[RenderableType] = [head, table]
    return Group(*parts)


def _alpha(alpha: Alpha) -> str:
    if alpha.value is None:
        return f"undefined: {alpha.reason}"
    interval = "" if alpha.low is None or alpha.high is None else f" ({alpha.low:.3f} {alpha.high:.3f})"
    return f"{alpha.value:.3f}{interval}"
