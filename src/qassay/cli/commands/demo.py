"""`qassay demo`: the packaged example answers, scored."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from qassay.cli.commands.score import score

PAGE = Path("qassay-demo.html")


class PackagedData(StrEnum):
    """What is packaged, by name."""

    ANSWERS = "answers"
    FAITHFUL = "faithful"


_FILES = {PackagedData.ANSWERS: "demo.jsonl", PackagedData.FAITHFUL: "faithful.jsonl"}


def demo(
    example: Annotated[
        PackagedData,
        typer.Argument(help="answers with references, or faithful: answers with what was retrieved."),
    ] = PackagedData.ANSWERS,
) -> None:
    """Score the packaged answers of invented systems: prints the table, writes qassay-demo.html."""
    metric = [example.value] if example is PackagedData.FAITHFUL else None
    with as_file(files("qassay") / "assets" / _FILES[example]) as answers:
        score([str(answers)], metric=metric, report=PAGE)
