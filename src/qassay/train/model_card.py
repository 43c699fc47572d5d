"""The page that a trained model's folder carries: data and licences, recipe, measured quality."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CARD = "MODEL_CARD.md"


def write_card(
    folder: Path,
    title: str,
    base: str,
    *,
    plan: Mapping[str, Any],
    measured: Mapping[str, float],
    data: Path,
    curves: bool = True,
) -> None:
    """Write the card; `data` is the folder of training data, whose `sources.json` names files and licences.

    `curves` says whether the folder also holds training curves.
    """
    lines = [f"# {title}", "", f"Base model: {base}.", "", "## Data", ""]
    lines += _data_table(data / "sources.json")
    lines += ["", "## Recipe", "", *(f"- {name}: {value}" for name, value in plan.items())]
    lines += ["", "## Measured on held-out data", ""]
    lines += [f"- {name.replace('_', ' ')}: {value:.4f}" for name, value in measured.items()]
    lines += ["", *(["Training curves: `curves.csv`, `curves.svg`.", ""] if curves else [])]
    (folder / CARD).write_text("\n".join(lines), encoding="utf-8")


def _data_table(path: Path) -> list[str]:
    if not path.is_file():
        return ["Not described: the training data came without a `sources.json`."]
    report = json.loads(path.read_text(encoding="utf-8"))
    licences = {
        file.get("name") or file.get("format") or file.get("reader"): file["licence"] for file in report["files"]
    }
    rows = [
        f"| {source} | {counts['train']} | {counts['dev']} | {licences.get(source, 'none stated')} |"
        for source, counts in report["rows"].items()
    ]
    return ["| source | train rows | dev rows | licence stated by the source |", "|---|---|---|---|", *rows]
