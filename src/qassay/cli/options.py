"""Options that several commands take, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.errors import SpecError
from qassay.io.atomic_output import check_outputs
from qassay.io.reader import ReadOptions
from qassay.io.readers.formats import BUILT_IN
from qassay.models.base import Device as DeviceName

if TYPE_CHECKING:
    from collections.abc import Sequence

Inputs = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files of answers; - reads stdin; .gz and .zst open.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("-m", "--metric", metavar="SPEC", help="A metric, as in rouge_l,beta=1 (repeat; `qassay metrics`)."),
]
Format = Annotated[str, typer.Option("--format", help=f"auto, {', '.join(BUILT_IN)}, or one of an installed package.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="OURS=THEIRS", help="Rename a field: candidate=prediction (repeat)."),
]
System = Annotated[str | None, typer.Option("--system", help="The system's name, where the file gives none.")]
Language = Annotated[str, typer.Option("--language", help="auto, or a code such as en or zh.")]
OnError = Annotated[str, typer.Option("--on-error", help="stop at a bad row, or skip and list it.")]
Model = Annotated[
    str, typer.Option("--model", metavar="REF", help="mini, a model folder, or a Hugging Face name (extra hf).")
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="For the bootstrap's random draws.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Out = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="OUT", help="Scores as .jsonl, .csv, .tsv or .parquet.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Carry on where a stopped run with this -o was.")]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write a report to open in a browser.")
]


def check_resume(out: Path | None, *, resume: bool) -> None:
    """Refuse to resume what was never written."""
    if resume and out is None:
        raise SpecError("--resume needs -o: it carries on with the scores written there")


def check_apart(inputs: Sequence[str], *outputs: Path | None) -> None:
    """Refuse outputs that cannot be written, that are one file, or that would be written over an input."""
    check_outputs(inputs, [output for output in outputs if output is not None])


def check_device(device: str) -> DeviceName:
    """Accept a device's name."""
    known: tuple[DeviceName, ...] = ("auto", "cpu", "cuda")
    for each in known:
        if device == each:
            return each
    raise SpecError(f'--device is "{device}"; give auto, cpu or cuda')


def read_options(format_: str, renames: Sequence[str] | None, system: str | None, on_error: str | None) -> ReadOptions:
    """Check the reading options and put them together; without `on_error` no row can be skipped."""
    if on_error not in {None, "stop", "skip"}:
        raise SpecError(f'--on-error is "{on_error}"; give stop or skip')
    mapping = {}
    for rename in renames or ():
        ours, equals, theirs = rename.partition("=")
        if not equals or not ours or not theirs:
            raise SpecError(f'--map "{rename}" is not of the form OURS=THEIRS, as in candidate=prediction')
        mapping[ours] = theirs
    return ReadOptions(
        format=format_,
        mapping=mapping,
        system=system,
        on_error="skip" if on_error == "skip" else "stop",
        can_skip=on_error is not None,
    )
