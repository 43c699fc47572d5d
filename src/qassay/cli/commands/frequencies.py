"""`qassay frequencies`: counts words over all references, for metrics of parts of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say

EXAMPLES = (
    "qassay frequencies answers.jsonl -o df.json",
    "qassay frequencies shards/*.jsonl -m cider -m token_f1:idf -o df.json",
    "qassay score shards/1.jsonl -m cider -m token_f1:idf --df df.json",
)


def frequencies(
    inputs: options.Inputs,
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The file for --df.", rich_help_panel=options.OUTPUT),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="SPEC",
            help="A metric that will need them, as in cider or rouge_l:idf (repeat; default: all).",
            rich_help_panel=options.METRICS,
        ),
    ] = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    json: options.Json = False,
    model: options.Model = "mini",
    _quiet: options.Quiet = False,
) -> None:
    """Count in how many references each word stands, for cider and :idf on parts of the answers."""
    from qassay.api import frequencies as api  # noqa: PLC0415 - loads the metrics

    with ProgressBar() as bar:
        found = api.frequencies(
            inputs,
            metric,
            out,
            format=format_,
            columns=options.columns_of(map_),
            language=language,
            model=model,
            on_error=options.on_error_of(on_error),
            progress=bar,
        )
    list_skipped(found.left_out)
    if json:
        print_json(found.to_dict())
        return
    for table in found.tables:
        output.print(
            f"{len(table.counts):,} different {table.need} in {table.documents:,}, df:{table.fingerprint}",
            highlight=False,
        )
    say(f"wrote {out}")
