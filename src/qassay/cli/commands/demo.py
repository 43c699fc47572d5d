"""`qassay demo`: the packaged example answers, scored."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from qassay.cli.commands.score import score

PAGE = Path("qassay-demo.html")


class Example(StrEnum):
    """What is packaged, by name."""

    ANSWERS = "answers"
    FAITHFUL = "faithful"


_FILES = {Example.ANSWERS: "demo.jsonl", Example.FAITHFUL: "faithful.jsonl"}


def demo(
    example: Annotated[
        Example,
        typer.Argument(help="answers with references, or faithful: answers with what was retrieved."),
    ] = Example.ANSWERS,
) -> None:
    """Score the packaged answers of invented systems: prints the table, writes qassay-demo.html."""
    metric = [example.value] if example is Example.FAITHFUL else None
    with as_file(files("qassay") / "assets" / _FILES[example]) as answers:
        score([str(answers)], metric=metric, report=PAGE)
