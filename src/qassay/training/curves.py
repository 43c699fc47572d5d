"""What a training run leaves behind for people: curves as a table and a drawing, and a model card."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_WIDTH, _HEIGHT, _MARGIN = 640, 320, 48
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def write_curves(folder: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write one row an epoch as `curves.csv` and `curves.svg`; columns whose name ends in "loss" are drawn."""
    if not rows:
        return
    with (folder / "curves.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows({name: f"{value:.6g}" for name, value in row.items()} for row in rows)
    (folder / "curves.svg").write_text(draw_curves(rows), encoding="utf-8")


def draw_curves(rows: Sequence[Mapping[str, float]]) -> str:
    """Draw the losses over the epochs as SVG."""
    names = [name for name in rows[0] if name.endswith("loss")]
    values = [row[name] for row in rows for name in names]
    low, high = min(values), max(values)
    span = high - low or 1.0

    def point(index: int, value: float) -> str:
        across = _MARGIN + (_WIDTH - 2 * _MARGIN) * (index / max(len(rows) - 1, 1))
        down = _HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * (value - low) / span
        return f"{across:.1f},{down:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">',
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 12}" text-anchor="middle">epoch 1 to {len(rows)}</text>',
        f'<text x="8" y="{_MARGIN}">{high:.3f}</text><text x="8" y="{_HEIGHT - _MARGIN}">{low:.3f}</text>',
    ]
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(point(index, row[name]) for index, row in enumerate(rows))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{_WIDTH - _MARGIN - 120}" y="{20 + 16 * number}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])
