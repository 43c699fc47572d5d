"""`qassay summary`: QAEval and FEQA, with every question that was asked."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES = (
    "qassay summary summaries.jsonl",
    "qassay summary summaries.jsonl -m qaeval,verify=lerc -m feqa --questions questions.jsonl --report summary.html",
)
_LISTED = 20
"""Summaries without a score that are listed one by one."""


def _model(flag: str, metavar: str, what: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(flag, metavar=metavar, help=what, rich_help_panel=options.MODELS)
    return found


def summary(
    inputs: options.Inputs,
    format_: options.Format = "summaries",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="SPEC",
            help="qaeval or feqa with verify=METHOD, factcc, any other (repeat; default: those the input allows).",
            rich_help_panel=options.METRICS,
        ),
    ] = None,
    out: options.Out = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE.jsonl",
            help="Every question with both answers and the verdicts.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    seed: options.Seed = 12345,
    chunker: Annotated[str, _model("--chunker", "REF", "Finds what to ask about: mini, or a trained folder.")] = "mini",
    reader: Annotated[
        str, _model("--reader", "REF", "Answers: mini, a trained folder, or a QA model (extra hf).")
    ] = "mini",
    generator: Annotated[
        str | None, _model("--generator", "REF", "A sequence-to-sequence model to word questions (extra hf).")
    ] = None,
    prompt: Annotated[
        str | None,
        _model("--prompt", "TEXT", "What the generator is given: {answer}, {sentence}, {before}, {after}."),
    ] = None,
    model: options.Model = "mini",
    device: options.Device = "auto",
    resume: options.Resume = False,
    _quiet: options.Quiet = False,
) -> None:
    """Score summaries by questions: against references (QAEval) or against the document (FEQA)."""
    from qassay.api import summaries as api  # noqa: PLC0415 - loads the metrics
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.metrics.questions.wording.question_writer import check_prompt  # noqa: PLC0415 - as above
    from qassay.models.question_model_names import PROMPT, Models  # noqa: PLC0415 - as above
    from qassay.report.terminal.scores import aggregates_table  # noqa: PLC0415 - as above

    check_apart([inputs], out, questions, report)
    if questions is not None:
        api.questions_path(questions)
    page = None if report is None else page_path(report)
    wording = PROMPT if prompt is None else check_prompt(prompt)
    with ProgressBar() as bar, resumable(out):
        found = api.score_summaries(
            inputs,
            metric or None,
            models=Models(chunker, reader, generator, wording, model, options.device_of(device)),
            format=format_,
            columns=options.columns_of(map_),
            system=system,
            language=language,
            on_error=options.on_error_of(on_error),
            seed=seed,
            output=out,
            resume=resume,
            progress=bar,
        )
        with found:
            unread = dict(found.unread)
            if questions is not None:
                found.write_questions(questions)
            if page is not None:
                found.report(page, call=command_line())
    list_skipped(found.left_out)
    _list_unread(unread)
    if json:
        print_json(found.to_dict())
        return
    output.print(aggregates_table(found.aggregates, found.notes))
    for path in filter(None, (out, questions, page)):
        say(f"wrote {path}")


def _list_unread(left_out: Mapping[tuple[str, str], str]) -> None:
    """Name the first summaries that go without a score because they could not be read, and count the rest."""
    for (system, name), reason in islice(left_out.items(), _LISTED):
        of = f' of system "{system}"' if system else ""
        say(f'not questioned: "{name}"{of}: {reason}')
    if len(left_out) > _LISTED:
        say(f"not questioned: {len(left_out) - _LISTED:,} more")
