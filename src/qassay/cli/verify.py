"""`qassay verify`: whether two answers mean the same, each in its context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from qassay.cli import options
from qassay.cli.buffered_input import stdin_buffered
from qassay.cli.runs import run_document, run_report
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say, title_of
from qassay.io.reader import Reader
from qassay.io.scored_files import read_rows
from qassay.models.base import EMBEDDED
from qassay.records import ANSWER_CONTEXT
from qassay.report.html.score_page import write_report
from qassay.report.terminal.scores import aggregates_table
from qassay.scoring.defaults import VERIFICATION
from qassay.scoring.engines.local import LocalEngine
from qassay.scoring.run import Finished, Run
from qassay.scoring.scorer import SEED, Scorer

if TYPE_CHECKING:
    from qassay.meta.accuracy.verification import Lead, Verification

_LEAST = 2
"""Verdicts that are needed to say anything of a method."""


def verify(
    inputs: options.Inputs,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", metavar="SPEC", help="A metric (repeat; default: four, as in the paper)."),
    ] = None,
    format_: options.Format = "pairs",
    map_: options.Map = None,
    system: options.System = None,
    out: options.Out = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    resume: options.Resume = False,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    model: options.Model = EMBEDDED,
    device: options.Device = "auto",
) -> None:
    """Score whether each prediction means the same as the expected answer."""
    reading = options.read_options(format_, map_, system, on_error)
    options.check_resume(out, resume=resume)
    options.check_apart(inputs, out, report)
    scorer = Scorer(
        metric or VERIFICATION,
        model=model,
        device=options.check_device(device),
        on_error=reading.on_error,
        consumed_fields=frozenset({ANSWER_CONTEXT}),
    )
    buffered = report is not None or bool(scorer.first_passes)
    with stdin_buffered(inputs, needed=buffered) as files, ProgressBar() as bar:
        run = Run(
            lambda: Reader(files, reading),
            scorer,
            LocalEngine(),
            output=out,
            resume=resume,
            batch=scorer.batch_size,
            seed=seed,
            watcher=bar,
        )
        with run:
            with resumable(out):
                finished = run.score()
            aggregates = finished.tally.aggregates(seed)
            quality, leads = _quality(finished, scorer, seed)
            if report is not None:
                write_report(run_report(title_of(inputs), run, finished, aggregates), report)
    list_skipped(finished.reader)
    if json:
        print_json({**run_document(finished, aggregates, seed), **_against_people(quality, leads)})
        return
    output.print(aggregates_table(aggregates, finished.tally.notes))
    if quality:
        from qassay.report.terminal.verification import verification_table  # noqa: PLC0415 - loads scipy

        output.print(verification_table(quality, leads))
    for path in filter(None, (out, report)):
        say(f"wrote {path}")


def _quality(finished: Finished, scorer: Scorer, seed: int) -> tuple[list[Verification], list[Lead]]:
    """Hold the methods against people's verdicts, where the input has any."""
    rows = [row for row in read_rows(finished.rows) if row.judgement is not None]
    if len(rows) < _LEAST:
        return [], []
    import numpy as np  # noqa: PLC0415 - with the below

    from qassay.meta.accuracy.verification import are_verdicts, verification_quality  # noqa: PLC0415 - loads scipy

    judgements = [row.judgement for row in rows]
    if not are_verdicts(judgements):
        say("judgements are ratings, not 0 or 1: `qassay correlate` on the output of -o says how scores go with them")
        return [], []
    scores = {
        method: np.array([np.nan if (value := row.scores[method]) is None else value for row in rows])
        for method in scorer.specs
    }
    return verification_quality(scores, judgements, np.random.default_rng(seed))


def _against_people(quality: list[Verification], leads: list[Lead]) -> dict[str, Any]:
    if not quality:
        return {}
    return {"verification": [each.to_dict() for each in quality], "leads": [each.to_dict() for each in leads]}
