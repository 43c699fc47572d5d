"""`qassay correlate`: metrics against people's judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say, say_notes

EXAMPLES = (
    "qassay correlate judged.jsonl -m rouge_l -m rouge_l:kpqa -m ava",
    "qassay correlate scores.jsonl --level system --coefficient kendall",
    "qassay correlate judged.jsonl my-scores.csv -m ava --report correlate.html",
    "qassay correlate judged.jsonl --judge column:gpt5 -m ava",
    "qassay correlate answers.jsonl --judgements judgements.jsonl --by question_type",
)


def correlate(
    inputs: options.Inputs,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    judgements: Annotated[
        str | None,
        typer.Option(
            "--judgements",
            metavar="FILE",
            help="Judgements by id, as `agree -o` writes them.",
            rich_help_panel=options.INPUT,
        ),
    ] = None,
    label_map: options.LabelMap = None,
    on_error: options.OnError = "stop",
    metric: options.Metrics = None,
    judge: options.JudgeColumns = None,
    report: options.ReportFile = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="FOLDER",
            help="Write each figure as .svg, .png and its numbers as .csv.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    json: options.Json = False,
    level: Annotated[
        str,
        typer.Option(
            "--level",
            metavar=options.choice("answer", "system", "input", "overall"),
            help="What is correlated.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = "answer",
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            metavar="NAME",
            help="pearson, spearman or kendall (repeat; default: all).",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="FIELD",
            help="Repeat the table per value of a field: question_type, system, …",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    bootstrap: Annotated[
        int, options.draws("--bootstrap", "Resamples for intervals and, at least, tests; 0 for none.")
    ] = 1000,
    unit: Annotated[
        str | None,
        typer.Option(
            "--resample",
            metavar=options.choice("answers", "inputs", "systems", "both"),
            help="Units to resample.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            "--test",
            metavar="NAME",
            help="bootstrap, williams, permutation (or perm-systems, perm-inputs).",
            rich_help_panel=options.STATISTICS,
        ),
    ] = "bootstrap",
    sweep: Annotated[
        str | None,
        typer.Option(
            "--sweep",
            metavar="KEY=LOW:HIGH:STEP",
            help="Correlate at each value of a parameter.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    size: Annotated[int, options.draws("--overall-size", "Questions in a draw at level overall.", least=1)] = 30,
    times: Annotated[int, options.draws("--overall-draws", "Draws at level overall.", least=1)] = 100,
    cluster: options.Cluster = None,
    seed: options.Seed = 12345,
    model: options.Model = "mini",
    device: options.Device = "auto",
    _quiet: options.Quiet = False,
) -> None:
    """Correlate metrics with human judgements, with intervals, and test differences between metrics.

    Takes answers with a `judgement`, or files of scores: what `qassay score -o` wrote, or your own.
    """
    from qassay.api import correlate as api  # noqa: PLC0415 - loads scipy
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.figures.files import PNG_EXTRA  # noqa: PLC0415 - as above
    from qassay.report.terminal.correlation import agreement_table  # noqa: PLC0415 - as above

    check_apart([inputs, judgements], report)
    page = None if report is None else page_path(report)
    with ProgressBar() as bar:
        found = api.correlate(
            inputs,
            metric or None,
            judge=judge or None,
            judgements=judgements,
            label_map=options.label_map_of(label_map),
            cluster=cluster,
            level=level,
            coefficient=coefficient or None,
            by=by,
            draws=bootstrap,
            resample=unit,
            test=test,
            sweep=sweep,
            overall_size=size,
            overall_draws=times,
            format=format_,
            columns=options.columns_of(map_),
            language=language,
            on_error=options.on_error_of(on_error),
            seed=seed,
            model=model,
            device=options.device_of(device),
            progress=bar,
        )
    list_skipped(found.left_out)
    written = [] if page is None else [str(found.report(page, call=command_line()))]
    if figures is not None:
        paths, pictures = found.figures(figures)
        written.append(f"{len(paths)} files in {figures}")
        if not pictures:
            say(PNG_EXTRA)
    if json:
        print_json(found.to_dict())
    else:
        unlabelled = found.evidence.unlabelled(by)
        table = agreement_table(found.agreements, found.differences, found.points, by=by, unlabelled=unlabelled)
        output.print(table, soft_wrap=False)
        say_notes(found.notes)
    for path in written:
        say(f"wrote {path}")
