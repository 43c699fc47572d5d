"""`qassay train chunker|reader`: the models behind QAEval and FEQA (extra `train`)."""

from __future__ import annotations

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli.options import Device, Json, device_of
from qassay.cli.terminal import output, print_json, say, startable
from qassay.cli.train import Out, TrainSeed, check_train_extra

if TYPE_CHECKING:
    from collections.abc import Mapping

Base = Annotated[
    str,
    typer.Option("--base", metavar="MODEL", help="all-MiniLM-L6-v2, whose lower layers are the embedded encoder's."),
]


def chunker(
    base: Base,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build chunker` wrote.")],
    out: Out,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="By default 8.")] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=1e-8, max=1.0, help="By default 4e-4.")] = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train what finds noun phrases, names and kinds of answer; use it with `summary --chunker FOLDER`."""
    check_train_extra()
    from dataclasses import replace  # noqa: PLC0415 - with what it is for

    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.chunker.network import Plan  # noqa: PLC0415 - as above
    from qassay.training.chunker.train import train_from_files  # noqa: PLC0415 - as above

    plan = Plan(seed=seed)
    plan = replace(plan, epochs=epochs or plan.epochs, rate=rate or plan.rate)
    place = choose_device(device_of(device))
    with startable(list):
        found = train_from_files(_folder(base), data, out, plan, device=place, report=say)
    _show(found, out, "chunker", as_json=json)


def reader(
    base: Base,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build reader` wrote.")],
    out: Out,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FOLDER", help="Carry on from a reader trained before.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share", metavar="SOURCE=SHARE", help="Draw a part of a source's rows, as in qamr=0.5 (repeat)."
        ),
    ] = None,
    epochs: Annotated[float | None, typer.Option("--epochs", min=0.01, help="By default 1.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", min=0.01, help="End a network's training after this long, if its epochs have not ended."
        ),
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=1e-8, max=1.0, help="By default 3e-4.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=512, help="Word pieces; by default 6144.")] = None,
    dropout: Annotated[float, typer.Option("--dropout", min=0, max=0.9, help="For several epochs, 0.1.")] = 0.0,
    processes: Annotated[
        int, typer.Option("--processes", min=1, help="On a CPU: how many work side by side, one thread each.")
    ] = 1,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Networks to train, whose weights are averaged.")] = 1,
    teachers: Annotated[
        int,
        typer.Option(
            "--teachers",
            min=0,
            help="Larger networks to train first; the reader learns what they think, of open.jsonl's questions too.",
        ),
    ] = 0,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="Rounds of teachers, each taught by the one before.")
    ] = 1,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train what answers questions on a passage or says that it does not; use it with `summary --reader FOLDER`."""
    check_train_extra()
    from dataclasses import replace  # noqa: PLC0415 - with what it is for

    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.reader.network import Plan, parse_shares  # noqa: PLC0415 - as above
    from qassay.training.reader.teachers import School  # noqa: PLC0415 - as above
    from qassay.training.reader.train import UNFINISHED, train_from_files  # noqa: PLC0415 - as above

    plan = Plan(seed=seed, dropout=dropout, shares=parse_shares(share or ()), seconds=minutes and 60 * minutes)
    plan = replace(plan, epochs=epochs or plan.epochs, rate=rate or plan.rate, tokens=batch or plan.tokens)
    unfinished = out / UNFINISHED
    with startable(lambda: ["--start", unfinished] if unfinished.is_dir() else []):
        found = train_from_files(
            _folder(base),
            data,
            out,
            plan,
            start=start,
            device=choose_device(device_of(device)),
            processes=processes,
            seeds=seeds,
            school=School(teachers, rounds),
            report=say,
        )
    _show(asdict(found), out, "reader", as_json=json)


def _folder(base: str) -> Path:
    from qassay.models.base import parse_ref  # noqa: PLC0415 - with what it is for
    from qassay.models.hf.encoder import local_folder  # noqa: PLC0415 - as above

    return local_folder(parse_ref(base))


def _show(found: Mapping[str, float], out: Path, option: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"folder": str(out), "dev": dict(found)})
        return
    line = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in found.items())
    output.print(f"on dev: {line}", highlight=False)
    say(f"wrote {out}; use it with `qassay summary --{option} {out}`")


def _number(value: float) -> str:
    if isnan(value):
        return "unknown (no row shows it)"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
