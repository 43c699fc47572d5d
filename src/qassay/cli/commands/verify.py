"""`qassay verify`: whether two answers mean the same, each in its context."""

from __future__ import annotations

from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say

EXAMPLES = (
    "qassay verify pairs.jsonl",
    "qassay verify pairs.jsonl -m lerc -m token_f1 -o scores.jsonl",
)


def verify(
    inputs: options.Inputs,
    format_: options.Format = "pairs",
    map_: options.Map = None,
    system: options.System = None,
    on_error: options.OnError = "stop",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="SPEC",
            help="A metric (repeat; default: four, as in the paper).",
            rich_help_panel=options.METRICS,
        ),
    ] = None,
    out: options.Out = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    seed: options.Seed = 12345,
    model: options.Model = "mini",
    device: options.Device = "auto",
    resume: options.Resume = False,
    _quiet: options.Quiet = False,
) -> None:
    """Score whether each prediction means the same as the expected answer."""
    from qassay.api import verify as api  # noqa: PLC0415 - loads scipy
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.terminal.scores import aggregates_table  # noqa: PLC0415 - as above
    from qassay.report.terminal.verification import verification_table  # noqa: PLC0415 - as above

    check_apart([inputs], out, report)
    page = None if report is None else page_path(report)
    with ProgressBar() as bar, resumable(out):
        found = api.verify(
            inputs,
            metric or None,
            format=format_,
            columns=options.columns_of(map_),
            system=system,
            model=model,
            device=options.device_of(device),
            on_error=options.on_error_of(on_error),
            seed=seed,
            output=out,
            resume=resume,
            again=page is not None,
            progress=bar,
        )
        quality, document = found.quality, found.to_dict()
        if page is not None:
            found.report(page, call=command_line())
    list_skipped(found.left_out)
    if quality.ratings:
        say(f"{api.RATINGS}: {quality.ratings:,}")
    if json:
        print_json(document)
        return
    output.print(aggregates_table(found.aggregates, found.notes))
    if quality.methods:
        output.print(verification_table(quality.methods, quality.leads, quality.distributions))
    for path in filter(None, (out, page)):
        say(f"wrote {path}")
