"""`qassay agree`: people against people; clean and average ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import list_skipped, output, print_json, say
from qassay.errors import SpecError

EXAMPLES = (
    "qassay agree ratings.csv",
    "qassay agree ratings.csv --by system",
    "qassay agree ratings.csv --measurement ordinal --scale 1:5 -o judgements.jsonl",
    "qassay agree ratings.csv --judge column:gpt5 --judged judged.jsonl",
    "qassay correlate answers.jsonl --judgements judgements.jsonl",
)


def agree(
    ratings: Annotated[
        list[str], typer.Argument(metavar="RATINGS", help="Ratings in long or wide form: .csv, .tsv, .jsonl.")
    ],
    form: Annotated[
        str,
        typer.Option(
            "--form",
            metavar=options.choice("auto", "long", "wide"),
            help="One rating per row (long), or one item per row with a column per person (wide).",
            rich_help_panel=options.INPUT,
        ),
    ] = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="OURS=THEIRS",
            help="Rename a column: id, system, annotator, value (repeat).",
            rich_help_panel=options.INPUT,
        ),
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option(
            "--annotator",
            metavar="COLUMN",
            help="A wide table's rating column (repeat; default: all).",
            rich_help_panel=options.INPUT,
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="LOW:HIGH", help="Reject ratings outside it.", rich_help_panel=options.INPUT),
    ] = None,
    on_error: options.OnError = "stop",
    judge: options.JudgeColumns = None,
    judged: Annotated[
        str | None,
        typer.Option(
            "--judged",
            metavar="FILE",
            help="Answers that hold the column of --judge, where the ratings do not.",
            rich_help_panel=options.METRICS,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Judgements: .jsonl, .csv or .tsv.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    hash_ids: Annotated[
        str | None,
        typer.Option(
            "--hash",
            metavar="SALT",
            help="Replace the annotators' ids by keyed hashes.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    measurement: Annotated[
        str,
        typer.Option(
            "--measurement",
            metavar=options.choice("nominal", "ordinal", "interval"),
            help="Level of measurement.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = "interval",
    clean: Annotated[
        bool | None,
        typer.Option(
            "--clean/--no-clean",
            help="Drop ratings with |z| > 1 within an item, five at most; by default of grades, not of votes.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="FIELD",
            help="Agreement also within each value of a column, such as system or question_type.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    bootstrap: Annotated[int, options.draws("--bootstrap", "Resamples for the interval of alpha.")] = 1000,
    seed: options.Seed = 12345,
    _quiet: options.Quiet = False,
) -> None:
    """Measure agreement between annotators (Krippendorff's alpha), drop noise, and average what is left."""
    from qassay.api import agree as api  # noqa: PLC0415 - loads scipy
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.terminal.agreement import annotators_table, judges_table  # noqa: PLC0415 - as above

    check_apart([ratings, judged], out, report)
    page = None if report is None else page_path(report)
    found = api.agree(
        ratings,
        measurement=measurement,
        clean=clean,
        scale=_scale(scale),
        form=options.one_of("--form", form, "auto", "long", "wide"),
        columns=options.columns_of(map_),
        annotators=annotator,
        by=by,
        judge=judge or None,
        judged=judged,
        salt=hash_ids,
        draws=bootstrap,
        output=out,
        on_error=options.on_error_of(on_error),
        seed=seed,
    )
    list_skipped(found.left_out)
    if page is not None:
        found.report(page, call=command_line())
    if json:
        print_json(found.to_dict())
    else:
        output.print(annotators_table(found.study, by=by))
        if found.judges:
            output.print(judges_table(found.judges))
    for path in filter(None, (out, page)):
        say(f"wrote {path}")


def _scale(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise SpecError(f'--scale "{text}" is not of the form LOW:HIGH, as in 1:5') from None
