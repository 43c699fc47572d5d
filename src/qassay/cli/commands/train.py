"""`qassay train KIND`: models of one's own (extra `train`)."""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from qassay.cli.options import Device, Json, device_of
from qassay.cli.terminal import output, print_json, say, startable
from qassay.cli.training_results import outcome_document, outcome_table, show_measured, shown_number
from qassay.errors import SpecError
from qassay.report.terminal.scores import score_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.training.judge.train import JudgeOptions

app = typer.Typer(help="Train your own models (extra train).", no_args_is_help=True)

Out = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")]
TrainSeed = Annotated[int, typer.Option("--seed", min=0, help="For order, dropout and initial weights.")]
_LIBRARIES = ("torch", "transformers", "safetensors", "sklearn", "onnx")
"""What the extra `train` brings."""
_ENCODERS = "all-MiniLM-L6-v2 for a model that runs without torch; any other Hugging Face encoder, by name or folder"
LercBase = Annotated[str, typer.Option("--base", metavar="MODEL", help=f"{_ENCODERS}.")]
JudgeBase = Annotated[
    str,
    typer.Option("--base", metavar="MODEL", help=f"{_ENCODERS}; mini to fit the embedded judge's last layer alone."),
]
JudgedData = Annotated[
    Path,
    typer.Option("--data", metavar="PATH", help="What `qassay build judge` wrote, or a file of judged answers."),
]
Epochs = Annotated[int | None, typer.Option("--epochs", min=1, help="By default 3.")]
Rate = Annotated[float | None, typer.Option("--rate", min=1e-8, max=1.0, help="Learning rate; by default the base's.")]
Seeds = Annotated[
    int | None, typer.Option("--seeds", min=1, help="Networks to train and average (all-MiniLM-L6-v2); by default 3.")
]
JudgeEpochs = Annotated[int | None, typer.Option("--epochs", min=1, help="By default 3, with --start 2.")]
JudgeRate = Annotated[
    float | None, typer.Option("--rate", min=1e-8, max=1.0, help="By default the base's, with --start 1.5e-4.")
]
JudgeSeeds = Annotated[
    int | None, typer.Option("--seeds", min=1, help="Networks to average (all-MiniLM-L6-v2): 3, with --start 1.")
]


@app.command("keyphrase")
def keyphrase(
    base: Annotated[str, typer.Option("--base", metavar="MODEL", help="A Hugging Face name, or a model's folder.")],
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build keyphrase` wrote.")],
    out: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")],
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="kpqa (the paper), cross, teacher, embedded or narrow; else ours."),
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
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted training in -o.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For order, dropout and initial weights.")] = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Networks to train, whose weights are averaged.")] = 1,
    json: Json = False,
) -> None:
    """Train the weights behind :kpqa; the folder it writes is a model that --model takes."""
    check_train_extra()
    from qassay.training.keyphrase.fitting import find_checkpoints  # noqa: PLC0415 - loads torch
    from qassay.training.keyphrase.train import choose_plan, train_from_files  # noqa: PLC0415 - as above

    plan = choose_plan(base, preset, without_question=without_question, epochs=epochs, seed=seed, seeds=seeds)
    with startable(lambda: ["--resume"] if find_checkpoints(out) else []):
        found = train_from_files(
            base,
            data,
            out,
            plan,
            judged=judged,
            teachers=teacher or (),
            device=device_of(device),
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
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build ava` wrote.")],
    out: Out,
    base: Annotated[str | None, typer.Option("--base", metavar="MODEL", help=f"{_ENCODERS}.")] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="linear, or which pairs are encoded: a0, a0-rt, …, a1, a1-rt, …, a2; all for the twelve in one "
            "network (all-MiniLM-L6-v2).",
        ),
    ] = "a2",
    preset: Annotated[
        str | None, typer.Option("--preset", help="ava: the paper's rate and batch size; else ours.")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", min=1, help="By default 2, on all-MiniLM-L6-v2 3; the best on dev is kept."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", min=1e-8, max=1.0, help="Learning rate; by default the base's.")
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option("--batch", min=1, help="Pairs; on all-MiniLM-L6-v2 word pieces. By default 64 and 12288."),
    ] = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train one of AVA's models; use it with `ava,kind=a2,model=FOLDER`."""
    check_train_extra()
    from qassay.models.hf.judge_design import DESIGNS  # noqa: PLC0415 - with what it is for
    from qassay.training.ava import train as training  # noqa: PLC0415 - loads torch
    from qassay.training.base_model import is_trunk  # noqa: PLC0415 - as above
    from qassay.training.plan import named_plan  # noqa: PLC0415 - as above

    if preset not in {None, "ava"}:
        raise SpecError(f'--preset is "{preset}"; give ava, or leave it out')
    if kind not in {"linear", training.ALL, *DESIGNS}:
        raise SpecError(f'--kind is "{kind}"; give linear, {training.ALL}, {", ".join(DESIGNS)}')
    said = {"epochs": epochs, "rate": rate, "batch": batch}
    reached: tuple[float, ...]
    if kind == "linear":
        given = {"base": base, "preset": preset, **said}
        for name in [name for name, value in given.items() if value is not None]:
            raise SpecError(f"the linear kind has no encoder; leave --{name} out")
        reached = (training.train_linear_from_files(data, out, seed=seed),)
    elif base is None:
        raise SpecError(f"--kind {kind} needs an encoder to start from; give --base MODEL, or --kind linear")
    elif is_trunk(base):
        if preset:
            raise SpecError("--preset ava is for an encoder that is trained as a whole; say --rate and --batch")
        plan = named_plan("ava_trunk", seed=seed, **said)
        with startable(list):
            reached = training.train_on_trunk(_folder(base), data, out, plan, kind=kind, device=device_of(device))
    elif kind == training.ALL:
        raise SpecError("--kind all trains the designs in one network on all-MiniLM-L6-v2; give it as --base")
    else:
        plan = named_plan("ava_published" if preset else "ava", seed=seed, **said)
        with startable(list):
            reached = training.train_from_files(base, data, out, plan, design=kind, device=device_of(device))
    if json:
        print_json({"folder": str(out), "kind": kind, "dev_f1": list(reached)})
        return
    output.print(f"F1 on dev: {', '.join(f'{each:.4f}' for each in reached)}", highlight=False)
    say(f"wrote {out}; use it with -m ava,kind={'a2' if kind == training.ALL else kind},model={out}")


@app.command("judge")
def judge(
    base: JudgeBase,
    data: JudgedData,
    out: Out,
    epochs: JudgeEpochs = None,
    rate: JudgeRate = None,
    seeds: JudgeSeeds = None,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            min=0,
            help="Folds, two or more, in which networks judge rows that they have not seen: their opinion is half of a "
            "label then (of rows made by rule or by hand a fifth at most), and lets network and layer learn from all "
            "rows (all-MiniLM-L6-v2).",
        ),
    ] = 0,
    polish: Annotated[
        int,
        typer.Option(
            "--polish",
            min=0,
            help="Epochs at the end on people's verdicts and written answers, with a tenth of the other rows; half of "
            "what they change is kept (all-MiniLM-L6-v2).",
        ),
    ] = 0,
    seen: Annotated[
        Path | None,
        typer.Option("--seen", metavar="FILE", help="Judged pairs that the keyphrase head was trained on, if any."),
    ] = None,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader",
            metavar="FOLDER",
            help="An answer reader that was trained with --leave-out, to mark the rows whose questions it has not "
            "seen: name all of them (repeat; all-MiniLM-L6-v2).",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="MODEL",
            help="Continue the training of this judge, mini or a folder (all-MiniLM-L6-v2).",
        ),
    ] = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train a judge on judged answers, and fit the layer that weighs it; use it with `ava,model=FOLDER`."""
    how = _training(epochs, rate, seeds, device, seed)
    how = replace(how, seen=seen, folds=folds, polish=polish, readers=tuple(reader or ()), start=start)
    from qassay.training.judge.train import train_from_files  # noqa: PLC0415 - loads torch

    with startable(list):
        found = train_from_files(base, data, out, how, report=say)
    if json:
        print_json({"folder": str(out), **outcome_document(found)})
        return
    output.print(outcome_table(found))
    if found.kept:
        say("these verdicts give no reason to change the embedded judge, which was kept: judge more, or use -m ava")
    elif found.embedded and not found.better:
        say("it is no more accurate on these answers than the embedded judge: judge more, or use -m ava")
    say(f"wrote {out}; use it with -m ava,model={out} or --model {out}")


@app.command("lerc")
def lerc(
    base: LercBase,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="PATH",
            help="What `qassay build judge` wrote, a file of judged answers, or MOCHA's folder or one of its files.",
        ),
    ],
    out: Out,
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="lerc (the paper): predict ratings by squared error, with its settings."),
    ] = None,
    epochs: Epochs = None,
    rate: Rate = None,
    seeds: Seeds = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train a reader of context, question, reference and answer on ratings; use it with `lerc,model=FOLDER`."""
    how = replace(_training(epochs, rate, seeds, device, seed), preset=preset)
    from qassay.training.judge.lerc import train_lerc_from_files  # noqa: PLC0415 - loads torch

    with startable(list):
        found = train_lerc_from_files(base, data, out, how, report=say)
    if json:
        print_json({"folder": str(out), "dev": [asdict(each) for each in found]})
        return
    table = Table("on dev", "n", "Pearson", "squared error", box=None, header_style="bold")
    for each in found:
        table.add_row(each.source, f"{each.n:,}", score_text(each.pearson), score_text(each.squared_error))
    output.print(table)
    say(f"wrote {out}; use it with -m lerc,model={out} or --model {out}")


TrunkBase = Annotated[
    str,
    typer.Option("--base", metavar="MODEL", help="all-MiniLM-L6-v2, whose lower layers are the embedded encoder's."),
]


@app.command("chunker")
def chunker(
    base: TrunkBase,
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
    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.chunker.train import train_from_files  # noqa: PLC0415 - as above
    from qassay.training.plan import named_plan  # noqa: PLC0415 - as above

    plan = named_plan("chunker", epochs=epochs, rate=rate, seed=seed)
    place = choose_device(device_of(device))
    with startable(list):
        found = train_from_files(_folder(base), data, out, plan, device=place, report=say)
    show_measured(found, out, f"qassay summary --chunker {out}", as_json=json)


@app.command("reader")
def reader(
    base: TrunkBase,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build reader` wrote.")],
    out: Out,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FOLDER", help="Start from a reader trained before.")
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
    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.plan import named_plan  # noqa: PLC0415 - as above
    from qassay.training.reader.network import parse_shares  # noqa: PLC0415 - as above
    from qassay.training.reader.teachers import Distillation  # noqa: PLC0415 - as above
    from qassay.training.reader.train import UNFINISHED, train_from_files  # noqa: PLC0415 - as above

    options = {"epochs": epochs, "rate": rate, "batch": batch, "dropout": dropout, "seed": seed}
    plan = named_plan("reader", **options, shares=parse_shares(share or ()), seconds=minutes and 60 * minutes)
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
            teaching=Distillation(teachers, rounds),
            report=say,
        )
    show_measured(asdict(found), out, f"qassay summary --reader {out}", as_json=json)


@app.command("answer-reader")
def answer_reader(
    base: TrunkBase,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build answer-reader` wrote.")],
    out: Out,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FOLDER", help="Start from a reader trained before.")
    ] = None,
    epochs: Annotated[float | None, typer.Option("--epochs", min=0.01, help="By default 2.")] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=1e-8, max=1.0, help="By default 4e-4.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=512, help="Word pieces; by default 16384.")] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Networks to train, whose weights are averaged.")] = 1,
    leave_out: Annotated[
        str | None,
        typer.Option(
            "--leave-out",
            metavar="K/N",
            help="Train without the K-th of N folds of the questions, to mark these for `qassay train judge --reader`: "
            "1/4, 2/4, 3/4 and 4/4, each into a folder of its own.",
        ),
    ] = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train what reads an answer for what it asserts; with --leave-out for `qassay train judge --reader FOLDER`."""
    check_train_extra()
    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.plan import named_plan  # noqa: PLC0415 - as above
    from qassay.training.reader.train import OF_ANSWERS, UNFINISHED, train_from_files  # noqa: PLC0415 - as above
    from qassay.training.splits import QuestionFold  # noqa: PLC0415 - as above

    plan = named_plan("answer_reader", epochs=epochs, rate=rate, batch=batch, seed=seed)
    fold = None if leave_out is None else QuestionFold.parse(leave_out)
    unfinished = out / UNFINISHED
    with startable(lambda: ["--start", unfinished] if unfinished.is_dir() else []):
        found = train_from_files(
            _folder(base),
            data,
            out,
            plan,
            start=start,
            device=choose_device(device_of(device)),
            seeds=seeds,
            kind=OF_ANSWERS,
            leave_out=fold,
            report=say,
        )
    use = f"qassay train judge --reader {out}" if fold else None
    show_measured(asdict(found), out, use, as_json=json)


@app.command("consistency")
def consistency(
    base: TrunkBase,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="What `qassay build consistency` wrote.")],
    out: Out,
    epochs: Annotated[float | None, typer.Option("--epochs", min=0.01, help="By default 4.")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.01, help="End after this long, if the epochs have not ended.")
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=1e-8, max=1.0, help="By default 3e-4.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=512, help="Word pieces; by default 24576.")] = None,
    device: Device = "auto",
    seed: TrainSeed = 0,
    json: Json = False,
) -> None:
    """Train what checks claims against documents; use it with `factcc,model=FOLDER` or `faithful,model=FOLDER`."""
    check_train_extra()
    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.consistency.train import train_from_files  # noqa: PLC0415 - as above
    from qassay.training.plan import named_plan  # noqa: PLC0415 - as above

    seconds = minutes and 60 * minutes
    plan = named_plan("consistency", epochs=epochs, rate=rate, batch=batch, seconds=seconds, seed=seed)
    place = choose_device(device_of(device))
    with startable(list):
        found = train_from_files(_folder(base), data, out, plan, device=place, report=say)
    if json:
        print_json({"folder": str(out), "dev": asdict(found)})
        return
    line = ", ".join(f"{name} {shown_number(value)}" for name, value in asdict(found).items())
    output.print(f"on dev: {line}", highlight=False)
    say(f"wrote {out}; use it with -m factcc,model={out} or -m faithful,model={out}")


def _folder(base: str) -> Path:
    from qassay.models.base import parse_ref  # noqa: PLC0415 - with what it is for
    from qassay.models.hf.encoder import local_folder  # noqa: PLC0415 - as above

    return local_folder(parse_ref(base))


def _training(epochs: int | None, rate: float | None, seeds: int | None, device: str, seed: int) -> JudgeOptions:
    check_train_extra()
    from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - loads torch
    from qassay.training.judge.train import JudgeOptions  # noqa: PLC0415 - as above

    return JudgeOptions(epochs, rate, seed, seeds, choose_device(device_of(device)))


def check_train_extra() -> None:
    """Raise an error that says what to install where any of the training libraries is missing."""
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise SpecError(
            f'training needs the extra "train", of which {", ".join(missing)} is missing: pip install "qassay[train]"'
        )


def _tell(row: Mapping[str, float]) -> None:
    say(", ".join(f"{name} {value:.4g}" for name, value in row.items()))
