"""`qassay demo`: the packaged example answers, scored."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from qassay.cli.commands.score import score

PAGE = Path("qassay-demo.html")


def demo() -> None:
    """Score the packaged answers of three invented systems: prints the table, writes qassay-demo.html."""
    with as_file(files("qassay") / "assets" / "demo.jsonl") as answers:
        score([str(answers)], report=PAGE)
