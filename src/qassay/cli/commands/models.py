"""`qassay models`: which models are there, embedded and cached, with fingerprints."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rich.table import Table

from qassay.cli.options import Json
from qassay.cli.terminal import output, print_json
from qassay.home import below_home
from qassay.models.base import EMBEDDED, EMBEDDED_FOLDER
from qassay.models.load import load_encoder, load_weigher


def models(json: Json = False) -> None:
    """List the embedded model and the Hugging Face models in the cache."""
    found = [_embedded(), *_cached()]
    if json:
        print_json({"models": found})
        return
    table = Table("model", "kind", "size", "fingerprint", "where", box=None, header_style="bold")
    for each in found:
        size = f"{each['bytes'] / 1e6:.1f} MB"
        table.add_row(each["name"], each["kind"], size, each["fingerprint"], each["folder"])
    output.print(table)
    output.print(
        f"\nThe embedded model reads English, has {found[0]['layers']} layers and uses {found[0]['default_layer']}. "
        "--model takes any name above, a folder, or a Hugging Face name (extra hf).",
        highlight=False,
    )


def _embedded() -> dict[str, Any]:
    encoder = load_encoder(EMBEDDED)
    return {
        "name": EMBEDDED,
        "kind": "embedded",
        "bytes": _size(EMBEDDED_FOLDER),
        "fingerprint": encoder.fingerprint,
        "keyphrase_fingerprint": load_weigher(EMBEDDED).fingerprint,
        "keyphrase_alone_fingerprint": load_weigher(EMBEDDED, with_question=False).fingerprint,
        "layers": encoder.layers,
        "default_layer": encoder.default_layer,
        "folder": str(EMBEDDED_FOLDER),
    }


def _cached() -> list[dict[str, Any]]:
    home = Path(os.environ.get("HF_HOME", below_home("~/.cache/huggingface"))) / "hub"
    rows = []
    for folder in sorted(home.glob("models--*/snapshots/*")):
        name = folder.parents[1].name.removeprefix("models--").replace("--", "/")
        rows.append(
            {
                "name": name,
                "kind": "Hugging Face",
                "bytes": _size(folder),
                "fingerprint": folder.name[:12],
                "folder": str(folder),
            }
        )
    return rows


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
