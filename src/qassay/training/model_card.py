"""What a training leaves behind for people: a card with data, recipe and measured quality, and curves."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.models.base import EMBEDDED_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CARD = "MODEL_CARD.md"
_WIDTH, _HEIGHT, _MARGIN = 640, 320, 48
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_TITLE = re.compile(r"^(?=# )", re.MULTILINE)


class _Row(msgspec.Struct):
    source: str


def write_card(
    folder: Path,
    title: str,
    base: str,
    *,
    plan: Mapping[str, Any],
    measured: Mapping[str, float],
    data: Path,
    curves: bool = True,
    beside: Path | None = None,
) -> None:
    """Write the card; `data` is the folder of training data, whose `sources.json` names files and licences.

    `curves` says whether the folder also holds training curves. What an earlier card there, or in the folder `beside`,
    says of other models stays.
    """
    lines = [f"# {title}", "", f"Base model: {base}.", "", "## Data", ""]
    lines += _data_table(data)
    lines += ["", "## Recipe", "", *(f"- {name}: {value}" for name, value in plan.items())]
    lines += ["", "## Measured on held-out data", ""]
    # What no held-out row could show is not measured.
    known = {name: value for name, value in measured.items() if not math.isnan(value)}
    lines += [f"- {name.replace('_', ' ')}: {value:.4f}" for name, value in known.items()]
    lines += ["", *(["Training curves: `curves.csv`, `curves.svg`.", ""] if curves else [])]
    others = _sections((beside or folder) / CARD, title)
    (folder / CARD).write_text("\n".join([*lines, *others]), encoding="utf-8")


def _sections(card: Path, title: str) -> list[str]:
    """Return a card's sections on models other than the one with this title; the embedded card has none of ours."""
    text = card.read_text(encoding="utf-8") if card.is_file() else ""
    if text == (EMBEDDED_FOLDER / CARD).read_text(encoding="utf-8"):
        return []
    return [part for part in _TITLE.split(text) if part and not part.startswith(f"# {title}\n")]


def _data_table(data: Path) -> list[str]:
    path = data / "sources.json"
    if not path.is_file():
        return ["Not described: the training data came without a `sources.json`."]
    files = json.loads(path.read_text(encoding="utf-8")).get("files", ())
    licences = {file.get("name") or file.get("format") or file.get("reader"): file["licence"] for file in files}
    train, dev = (_counted(data / f"{side}.jsonl") for side in ("train", "dev"))
    rows = [[source, str(train[source]), str(dev[source])] for source in sorted(train | dev)]
    heading = ["source", "train rows", "dev rows"]
    if licences:
        heading.append("licence stated by the source")
        rows = [[*row, licences.get(row[0], "none stated")] for row in rows]
    return [_line(heading), _line(["---"] * len(heading)), *map(_line, rows)]


def _counted(path: Path) -> Counter[str]:
    decoder = msgspec.json.Decoder(_Row)
    with path.open("rb") as file:
        return Counter(decoder.decode(line).source for line in file if line.strip())


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_curves(folder: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write one row per epoch as `curves.csv` and `curves.svg`; columns whose name ends in "loss" are drawn."""
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
