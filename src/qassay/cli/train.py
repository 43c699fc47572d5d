"""`qassay train KIND`: models of one's own (extra `train`)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli.options import Device, Json, check_device
from qassay.cli.terminal import output, print_json, say
from qassay.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

app = typer.Typer(help="Models of your own (extra train).", no_args_is_help=True)


@app.command("keyphrase")
def keyphrase(
    base: Annotated[str, typer.Option("--base", metavar="MODEL", help="A Hugging Face name, or a model's folder.")],
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build keyphrase` wrote.")],
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")],
    preset: Annotated[
        str | None, typer.Option("--preset", help="kpqa (the paper), cross, teacher, embedded; by default ours.")
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option("--judged", metavar="FILE", help="Judged answers, for the presets that learn from them."),
    ] = None,
    teacher: Annotated[
        list[str] | None, typer.Option("--teacher", metavar="MODEL", help="A keyphrase model to learn from (repeat).")
    ] = None,
    without_question: Annotated[
        bool, typer.Option("--without-question", help="A model that never sees the question, for :kp.")
    ] = False,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Instead of the preset's.")] = None,
    device: Device = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Carry on with an unfinished training in -o.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For order, dropout and initial weights.")] = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Networks to train, whose weights are averaged.")] = 1,
    json: Json = False,
) -> None:
    """Train the weights behind :kpqa; the folder it writes is a model that --model takes."""
    check_train_extra()
    from qassay.train.keyphrase_run import choose_plan, train_from_files  # noqa: PLC0415 - loads torch

    plan = choose_plan(base, preset, without_question=without_question, epochs=epochs, seed=seed, seeds=seeds)
    found = train_from_files(
        base,
        data,
        out,
        plan,
        judged=judged,
        teachers=teacher or (),
        device=check_device(device),
        resume=resume,
        report=_tell,
    )
    if json:
        print_json({"folder": str(out), "dev": found._asdict()})
        return
    output.print(", ".join(f"{name} {value:.4f}" for name, value in found._asdict().items()), highlight=False)
    say(f"wrote {out}; use it with --model {out}")


@app.command("ava")
def ava(
    base: Annotated[str, typer.Option("--base", metavar="MODEL", help="A Hugging Face name, or a model's folder.")],
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build ava` wrote.")],
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")],
    kind: Annotated[
        str, typer.Option("--kind", help="a0, a0-rt, …, a1, a1-rt, …, a2: the pairs that are encoded.")
    ] = "a2",
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="The best one on dev is kept.")] = 2,
    rate: Annotated[float, typer.Option("--rate", min=1e-8, max=1.0, help="Learning rate.")] = 1e-4,
    device: Device = "auto",
    seed: Annotated[int, typer.Option("--seed", min=0, help="For order, dropout and initial weights.")] = 0,
    json: Json = False,
) -> None:
    """Train one of AVA's models; use it with `ava,kind=a2,model=FOLDER`."""
    check_train_extra()
    from qassay.train.ava import Plan  # noqa: PLC0415 - loads torch
    from qassay.train.ava_run import train_from_files  # noqa: PLC0415 - as above

    plan = Plan(design=kind, epochs=epochs, rate=rate, seed=seed)
    reached = train_from_files(base, data, out, plan, device=check_device(device))
    if json:
        print_json({"folder": str(out), "dev_f1": list(reached)})
        return
    output.print(f"F1 on dev after each epoch: {', '.join(f'{each:.4f}' for each in reached)}", highlight=False)
    say(f"wrote {out}; use it with -m ava,kind={kind.partition('-')[0]},model={out}")


def check_train_extra() -> None:
    """Say what to install where the training libraries are missing."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise SpecError('training needs the extra "train": pip install "qassay[train]"')


def _tell(row: Mapping[str, float]) -> None:
    say(", ".join(f"{name} {value:.4g}" for name, value in row.items()))
