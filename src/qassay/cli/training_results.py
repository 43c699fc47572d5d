"""What a training came to, on the terminal or as a document."""

from __future__ import annotations

from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING

from rich.table import Table

from qassay.cli.terminal import output, print_json, say
from qassay.report.terminal.scores import score_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from qassay.training.judge.train import Outcome, Reached


def outcome_document(found: Outcome) -> dict[str, object]:
    """Return what was reached, with the embedded judge's figures where its layer was fitted."""
    dev = [asdict(each) for each in found.reached]
    if found.embedded is None:
        return {"dev": dev}
    embedded = [asdict(each) for each in found.embedded]
    return {"dev": dev, "embedded": embedded, "kept": found.kept, "better": found.better}


def outcome_table(found: Outcome) -> Table:
    """Show what was reached source by source, the embedded judge's line below the new one's where there is one."""
    table = Table("on rows unseen", "n", "accuracy", "F1", "AUC", "calibration error", box=None, header_style="bold")

    def add(name: str, each: Reached) -> None:
        numbers = (each.accuracy, each.f1, each.auc, each.calibration_error)
        table.add_row(name, f"{each.n:,}", *map(score_text, numbers))

    for number, each in enumerate(found.reached):
        add(each.source, each)
        if found.embedded:
            add("  embedded judge", found.embedded[number])
    return table


def show_measured(found: Mapping[str, float], out: Path, use: str | None, *, as_json: bool) -> None:
    """Print the figures on development rows, and how the model is used."""
    if as_json:
        print_json({"folder": str(out), "dev": dict(found)})
        return
    line = ", ".join(f"{name.replace('_', ' ')} {shown_number(value)}" for name, value in found.items())
    output.print(f"on dev: {line}", highlight=False)
    say(f"wrote {out}" + (f"; use it with `{use}`" if use else ""))


def shown_number(value: float) -> str:
    """Write a figure with four digits, a count as it is."""
    if isnan(value):
        return "unknown (no row shows it)"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
