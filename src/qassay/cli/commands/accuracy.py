"""`qassay accuracy`: each system's accuracy with an interval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say
from qassay.errors import SpecError

if TYPE_CHECKING:
    from qassay.api.accuracy import AccuracyResult

EXAMPLES = (
    "qassay accuracy answers.jsonl",
    "qassay accuracy answers.jsonl --next 100 -o to-label.csv",
    "qassay accuracy answers.jsonl --labels to-label.csv --plan 0.05",
    "qassay accuracy judged.jsonl --judge column:gpt5 --labels to-label.csv",
)


def accuracy(
    inputs: options.Inputs,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="People's verdicts on some answers: id, system, verdict (repeat).",
            rich_help_panel=options.INPUT,
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev", metavar="FILE", help="Judged answers to tune the threshold on.", rich_help_panel=options.INPUT
        ),
    ] = None,
    cut: options.Cut = None,
    repeated: options.Repeated = "stop",
    label_map: options.LabelMap = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="SPEC",
            help="A metric with scores from 0 to 1, or column:NAME: scores that stand in the input "
            "(ratings: column:NAME,scale=1:5).",
            rich_help_panel=options.METRICS,
        ),
    ] = "ava",
    threshold: Annotated[
        str,
        typer.Option(
            "--threshold",
            metavar="auto|X",
            help="Count answers that score at least X as right; auto averages the scores, or with --dev tunes X there.",
            rich_help_panel=options.METRICS,
        ),
    ] = "auto",
    next_: Annotated[
        int | None,
        typer.Option(
            "--next", min=1, metavar="N", help="Choose N answers to label next.", rich_help_panel=options.OUTPUT
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where --next writes them (.csv, .tsv, .jsonl).",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="X",
            help="Of the interval, between 0 and 1.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = 0.95,
    population: Annotated[
        str,
        typer.Option(
            "--of",
            metavar=options.choice("answers", "questions"),
            help="These answers, or all questions like these.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = "answers",
    plan: Annotated[
        float | None,
        typer.Option(
            "--plan",
            metavar="WIDTH",
            help="Print the labels needed for this width.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    cluster: options.Cluster = None,
    seed: options.Seed = 12345,
    _quiet: options.Quiet = False,
) -> None:
    """Estimate each system's accuracy, with an interval that holds once some answers are labelled.

    With ava or lerc as the judge also the share of attempted answers, and the accuracy of these.
    """
    from qassay.api import accuracy as api  # noqa: PLC0415 - loads scipy
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above

    check_apart([inputs, labels, dev], out, report)
    page = None if report is None else page_path(report)
    with ProgressBar() as bar:
        found = api.accuracy(
            inputs,
            judge,
            labels=labels or None,
            threshold=_threshold(threshold),
            dev=dev,
            confidence=confidence,
            population=population,
            cluster=cluster,
            cut=cut,
            repeated=options.one_of("--repeated", repeated, "stop", "mean"),
            label_map=options.label_map_of(label_map),
            plan=plan,
            choose=next_,
            output=out,
            format=format_,
            columns=options.columns_of(map_),
            system=system,
            language=language,
            on_error=options.on_error_of(on_error),
            seed=seed,
            progress=bar,
        )
    list_skipped(found.left_out)
    if page is not None:
        found.report(page, call=command_line())
    if json:
        print_json(found.to_dict())
        return
    _print(found)
    if found.chosen is not None and out is None:
        for cells in (found.chosen[0], *(answer.values() for answer in found.chosen)):
            output.print("\t".join(map(str, cells)), highlight=False, markup=False, soft_wrap=True)
        say("-o FILE writes them as a list to fill in; labels of chosen answers count with their round and probability")
    elif found.chosen is not None:
        say(f"wrote {len(found.chosen)} {'answer' if len(found.chosen) == 1 else 'answers'} to label to {out}")
    if page is not None:
        say(f"wrote {page}")


def _threshold(text: str) -> float | None:
    if text == "auto":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise SpecError(f'--threshold is "{text}"; give auto or a number from 0 to 1')
    return value


def _print(found: AccuracyResult) -> None:
    from qassay.report.terminal.accuracy import (  # noqa: PLC0415 - scipy, loaded when needed
        accuracy_table,
        agreement_line,
        as_table,
        attempts_table,
        plan_table,
        system_rows,
    )

    report = found.accuracy
    output.print(accuracy_table(report))
    if any(each.attempted is not None for each in report.systems):
        output.print(attempts_table(report.systems))
    if any(each.plan is not None for each in report.systems):
        output.print(plan_table(report.systems))
    if found.run.system_wise is not None:
        output.print(as_table(system_rows({"": found.run.system_wise})))
    if report.agreement is not None and report.agreement.n > 1:
        output.print(agreement_line(report.agreement), highlight=False)
    for note in found.notes:
        say(note)
    if found.lacks_labels:
        say("label some answers to correct its errors: --next 100 -o to_label.csv, then --labels to_label.csv")
