"""`qassay build KIND`: training sets from public data."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from qassay.cli.options import Format, Inputs, Json
from qassay.cli.terminal import output, print_json, say
from qassay.errors import SpecError

app = typer.Typer(help="Training sets from public data.", no_args_is_help=True)

Folder = Annotated[
    Path, typer.Option("-o", "--output", metavar="FOLDER", file_okay=False, help="Where the training set goes.")
]
Recipe = Annotated[
    Path | None,
    typer.Option(
        "--recipe", metavar="FOLDER", help="All sets behind the embedded model, in this folder of train/ sets."
    ),
]
HeldOut = Annotated[
    list[Path] | None,
    typer.Option("--held-out", metavar="FILE", help="Leave out the questions of an evaluation file (repeat)."),
]
Licensed = Annotated[bool, typer.Option("--licensed-only", help="Leave out sets whose source states no licence.")]
DataSeed = Annotated[int, typer.Option("--seed", min=0, help="For the split.")]


@app.command("keyphrase")
def keyphrase(
    out: Folder,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="FORMAT:FILE", help="A file to build from, as in squad:dev-v1.1.json (repeat)."),
    ] = None,
    recipe: Recipe = None,
    held_out: HeldOut = None,
    licensed_only: Licensed = False,
    dev_share: Annotated[float, typer.Option("--dev-share", min=0.01, max=0.5, help="Rows for development.")] = 0.1,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Answers with the spans that carry them, for `qassay train keyphrase`: train.jsonl, dev.jsonl, sources.json.

    With --recipe also judged.jsonl, the judged answers that the embedded model learns from: give it to `qassay train
    keyphrase --judged`, and to `qassay train judge --seen`.
    """
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.keyphrase.build import (  # noqa: PLC0415 - heavy
        JUDGED,
        build,
        embedded_recipe,
        parse_source,
        questions_in,
    )
    from qassay.training.keyphrase.judged import embedded_judged  # noqa: PLC0415 - heavy

    if bool(data) == bool(recipe):
        raise SpecError("say what to build from: either --data FORMAT:FILE (repeat) or --recipe FOLDER")
    sources = embedded_recipe(recipe) if recipe else [parse_source(each) for each in data or ()]
    unasked = questions_in(held_out or ())
    built = build(
        sources,
        rng=np.random.default_rng(seed),
        held_out=unasked,
        licensed_only=licensed_only,
        dev_share=dev_share,
    )
    if recipe:
        rng = np.random.default_rng(seed)
        built.judged = embedded_judged(recipe, built, rng=rng, held_out=unasked, licensed_only=licensed_only)
    built.write(out)
    if json:
        found = {"rows": built.counts(), "judged": built.judged_counts(), "left_out": dict(built.left_out)}
        print_json({**found, "folder": str(out)})
        return
    table = Table("source", "train", "dev", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, str(counts["train"]), str(counts["dev"]))
    table.add_row("all", str(len(built.train)), str(len(built.dev)), style="bold")
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    if not built.dev:
        say("no row is for dev, which training needs: build from more articles, or give a larger --dev-share")
    if built.judged:
        say(f"judged answers to train on, in {JUDGED}: {len(built.judged)}")
    say(f"wrote {out}")


@app.command("ava")
def ava(
    inputs: Inputs,
    out: Folder,
    format_: Format = "auto",
    cap: Annotated[
        int | None, typer.Option("--cap", min=1, help="Right pairs, and as many wrong ones, of a question at the most.")
    ] = None,
    dev_share: Annotated[
        float, typer.Option("--dev-share", min=0.01, max=0.5, help="Questions for development.")
    ] = 0.1,
    held_out: HeldOut = None,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Pairs of right answers, and of right and wrong ones, from answer selection data (Vu and Moschitti 2021)."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.io.reader import ReadOptions  # noqa: PLC0415 - as above
    from qassay.training.ava.build import build_pairs, read_selections  # noqa: PLC0415 - heavy
    from qassay.training.keyphrase.build import questions_in  # noqa: PLC0415 - heavy

    reading = ReadOptions(format=format_, can_skip=False)
    left_out: Counter[str] = Counter()
    selections = read_selections(inputs, reading, left_out, questions_in(held_out or ()))
    found = build_pairs(selections, out, rng=np.random.default_rng(seed), cap=cap, dev_share=dev_share)
    if json:
        sides = {side: asdict(each) for side, each in found.items()}
        print_json({"folder": str(out), **sides, "left_out": dict(left_out)})
        return
    table = Table("", *found, box=None, header_style="bold")
    for name in asdict(next(iter(found.values()))):
        table.add_row(name.replace("_", " "), *(f"{getattr(each, name):,}" for each in found.values()))
    output.print(table)
    for reason, count in left_out.items():
        say(f"left out: {reason}: {count}")
    say(f"wrote {out}")


@app.command("judge")
def judge(
    out: Folder,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="KIND:FILE", help="A file of judged answers, as in evouna:NQ.json (repeat)."),
    ] = None,
    recipe: Recipe = None,
    held_out: HeldOut = None,
    held_out_answers: Annotated[
        list[Path] | None,
        typer.Option(
            "--held-out-answers", metavar="FILE.csv", help="Leave out an evaluation file's references (repeat)."
        ),
    ] = None,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Judged answers of many sets in one form, split by question: train.jsonl, dev.jsonl, test.jsonl, sources.json."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.judge.build import answers_in, build, embedded_recipe, parse_source  # noqa: PLC0415 - heavy
    from qassay.training.keyphrase.build import questions_in  # noqa: PLC0415 - heavy

    if bool(data) == bool(recipe):
        raise SpecError("say what to build from: either --data KIND:FILE (repeat) or --recipe FOLDER")
    built = build(
        embedded_recipe(recipe) if recipe else [parse_source(each) for each in data or ()],
        rng=np.random.default_rng(seed),
        held_out=questions_in(held_out or ()),
        held_out_answers=answers_in(held_out_answers or ()),
        licensed_only=licensed_only,
    )
    built.write(out)
    if json:
        found = {"left_out": dict(built.left_out), "disagreed": built.disagreed}
        print_json({"rows": built.counts(), **found, "folder": str(out)})
        return
    table = Table("source", "train", "dev", "test", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, *(str(counts[side]) for side in ("train", "dev", "test")))
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    if built.disagreed:
        say(f"answers whose verdicts differ, labelled with their mean: {built.disagreed}")
    if not built.train or not built.dev:
        say("no row is for train or none for dev, and training needs both: build from more questions")
    say(f"wrote {out}")
