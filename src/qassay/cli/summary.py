"""`qassay summary`: QAEval and FEQA, with every question that was asked."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.buffered_input import stdin_buffered
from qassay.cli.command_line import command_line
from qassay.cli.runs import run_document
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say, title_of
from qassay.io.reader import Reader
from qassay.io.scored_files import read_rows
from qassay.metrics.questions.first_pass import decode_records, run_verdicts, write_questions
from qassay.metrics.questions.question_writer import check_prompt
from qassay.models.base import EMBEDDED
from qassay.models.question_models import PROMPT, Models
from qassay.report.terminal.scores import aggregates_table
from qassay.scoring.defaults import default_summary_metrics
from qassay.scoring.engines.local import LocalEngine
from qassay.scoring.run import Finished, Run
from qassay.scoring.scorer import SEED, Scorer
from qassay.text.language import check_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from qassay.io.reader import ReadOptions
    from qassay.metrics.questions.first_pass import Verdicts
    from qassay.records import Example
    from qassay.report.html.summary_page import SummaryRow
    from qassay.scoring.scorer import Place
    from qassay.scoring.table import Aggregate

_LISTED = 20
"""Summaries without a score that are listed one by one."""


def summary(
    inputs: options.Inputs,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="SPEC",
            help="qaeval, feqa with verify=METHOD, or another metric (repeat; default: those the input allows).",
        ),
    ] = None,
    format_: options.Format = "summaries",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    out: options.Out = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE.jsonl", help="Every question with both answers and the verdicts."),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    resume: options.Resume = False,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    chunker: Annotated[
        str, typer.Option("--chunker", metavar="REF", help="Finds what to ask about: mini, or a trained folder.")
    ] = EMBEDDED,
    reader: Annotated[
        str, typer.Option("--reader", metavar="REF", help="Answers: mini, a trained folder, or a QA model (extra hf).")
    ] = EMBEDDED,
    generator: Annotated[
        str | None,
        typer.Option("--generator", metavar="REF", help="A sequence-to-sequence model to word questions (extra hf)."),
    ] = None,
    prompt: Annotated[
        str, typer.Option("--prompt", help="What the generator is given: {answer}, {sentence}, {before}, {after}.")
    ] = PROMPT,
    model: options.Model = EMBEDDED,
    device: options.Device = "auto",
) -> None:
    """Score summaries by questions: against references (QAEval) or against the document (FEQA)."""
    reading = options.read_options(format_, map_, system, on_error)
    options.check_resume(out, resume=resume)
    options.check_apart(inputs, out, questions, report)
    models = Models(chunker, reader, generator, check_prompt(prompt), model, options.check_device(device))
    with stdin_buffered(inputs, needed=True) as files, ProgressBar(every=1) as bar, ExitStack() as closing:
        scorer = Scorer(
            metric or default_summary_metrics(next(iter(Reader(files, reading)))),
            language=check_language(language),
            model=model,
            device=models.device,
            on_error=reading.on_error,
            questions=models,
        )
        run = closing.enter_context(
            Run(
                lambda: Reader(files, reading),
                scorer,
                LocalEngine(),
                output=out,
                resume=resume,
                batch=scorer.batch_size,
                seed=seed,
                watcher=bar,
                place_of=partial(_place, files, reading),
            )
        )
        with resumable(out):
            finished = run.score()
        aggregates = finished.tally.aggregates(seed)
        verdicts = run_verdicts(scorer.resources)
        if questions is not None:
            write_questions(questions, run.question_log or (), verdicts)
        if report is not None:
            _write_report(report, title_of(inputs), verdicts, run, finished, aggregates)
    list_skipped(finished.reader)
    _list_unread(verdicts.left_out)
    if json:
        print_json(run_document(finished, aggregates, seed))
        return
    output.print(aggregates_table(aggregates, finished.tally.notes))
    for path in filter(None, (out, questions, report)):
        say(f"wrote {path}")


def _place(files: Sequence[str], reading: ReadOptions, example: Example) -> Place:
    """Find the line that a summary was read from."""
    for found, input_, line in Reader(files, reading).places():
        if (found.system, found.id) == (example.system, example.id):
            return input_, line
    return None, None


def _list_unread(left_out: Mapping[tuple[str, str], str]) -> None:
    """Name the first summaries that go without a score because they could not be read, and count the rest."""
    for (system, name), reason in islice(left_out.items(), _LISTED):
        of = f' of system "{system}"' if system else ""
        say(f'not questioned: "{name}"{of}: {reason}')
    if len(left_out) > _LISTED:
        say(f"not questioned: {len(left_out) - _LISTED:,} more")


def _write_report(
    path: Path,
    title: str,
    verdicts: Verdicts,
    run: Run,
    finished: Finished,
    aggregates: list[Aggregate],
) -> None:
    from qassay.meta.correlation.batched_levels import batched_levels, judgement_means  # noqa: PLC0415 - loads scipy
    from qassay.report.answers import Ordering  # noqa: PLC0415 - as above
    from qassay.report.html.summary_page import (  # noqa: PLC0415 - as above
        SummaryReport,
        select_summaries,
        write_summary_page,
    )

    rows = list(read_rows(finished.rows))
    report = SummaryReport(
        title=title,
        aggregates=aggregates,
        judgements=judgement_means(rows),
        levels=batched_levels(rows),
        summaries=select_summaries(lambda: _summaries(verdicts, run, finished), Ordering.of(run.scorer.metrics)),
        skipped=finished.reader.skipped_total,
        notes=finished.tally.notes,
        seed=run.seed,
        call=command_line(),
    )
    write_summary_page(report, path)


def _summaries(verdicts: Verdicts, run: Run, finished: Finished) -> Iterator[SummaryRow]:
    from qassay.report.html.summary_page import SummaryRow  # noqa: PLC0415 - loads scipy

    asked = run.question_log or repeat(b"[]")
    for (example, scores, unscored), found in zip(run.answers(finished), asked, strict=False):
        records = [verdicts.rescale(record) for record in decode_records(found)]
        yield SummaryRow(example, scores, unscored, records=records)
