"""`qassay build KIND`: training sets from public data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from qassay.cli.options import Json
from qassay.cli.terminal import output, print_json, say
from qassay.errors import SpecError

app = typer.Typer(help="Training sets from public data.", no_args_is_help=True)

Folder = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the training set goes.")]
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
    """Answers with the spans that carry them, for `qassay train keyphrase`: train.jsonl, dev.jsonl, sources.json."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.train.keyphrase_data import build, embedded_recipe, parse_source, questions_in  # noqa: PLC0415 - heavy

    if bool(data) == bool(recipe):
        raise SpecError("say what to build from: either --data FORMAT:FILE (repeat) or --recipe FOLDER")
    sources = embedded_recipe(recipe) if recipe else [parse_source(each) for each in data or ()]
    built = build(
        sources,
        rng=np.random.default_rng(seed),
        held_out=questions_in(held_out or ()),
        licensed_only=licensed_only,
        dev_share=dev_share,
    )
    built.write(out)
    if json:
        print_json({"rows": built.counts(), "left_out": dict(built.left_out), "folder": str(out)})
        return
    table = Table("source", "train", "dev", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, str(counts["train"]), str(counts["dev"]))
    table.add_row("all", str(len(built.train)), str(len(built.dev)), style="bold")
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    say(f"wrote {out}")
