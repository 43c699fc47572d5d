"""`qassay score`: answers in, scores out."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.buffered_input import stdin_buffered
from qassay.cli.runs import run_document, run_report
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say, title_of
from qassay.errors import SpecError
from qassay.io.reader import Reader
from qassay.meta.ranking.trec_run import rank_answers, write_run
from qassay.metrics.registry import parse_spec
from qassay.models.base import EMBEDDED
from qassay.report.answers import AnswerRow, Ordering, worst_first
from qassay.report.explain.evidence import gather_evidence
from qassay.report.html.score_page import write_report
from qassay.report.terminal.scores import aggregates_table, worst_table
from qassay.scoring.defaults import default_metrics
from qassay.scoring.engines.local import LocalEngine
from qassay.scoring.engines.ray import RayEngine
from qassay.scoring.run import Engine, Finished, Run
from qassay.scoring.scorer import SEED, Scorer
from qassay.text.language import check_language

if TYPE_CHECKING:
    from qassay.report.answers import Selection

_FEW = 20_000
"""Answers up to which the terminal names the worst; beyond, the report does."""
_WORST = 3
_JUDGE = "ava"
_POOLED = (
    'files whose answers name no system, counted as one; give their rows a "system", or use `qassay compare` '
    "to hold the files against each other"
)


def score(
    inputs: options.Inputs,
    metric: options.Metrics = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    out: options.Out = None,
    report: options.ReportFile = None,
    rank: Annotated[
        Path | None,
        typer.Option("--rank", metavar="FILE", help="Order the answers to each question, best first, as a TREC run."),
    ] = None,
    rank_by: Annotated[
        str | None, typer.Option("--rank-by", metavar="SPEC", help="The metric to rank by; ava if it is scored.")
    ] = None,
    json: options.Json = False,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to score with.")] = 1,
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Answers scored at a time; the scores do not depend on it.")
    ] = None,
    resume: options.Resume = False,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    model: options.Model = EMBEDDED,
    device: options.Device = "auto",
    engine: Annotated[str, typer.Option("--engine", help="local, or ray for a cluster.")] = "local",
) -> None:
    """Score every answer, and each system with an interval."""
    reading = options.read_options(format_, map_, system, on_error)
    options.check_resume(out, resume=resume)
    options.check_apart(inputs, out, report, rank)
    check_language(language)
    chosen = options.check_device(device)
    again = report is not None or rank is not None
    buffered = metric is None or again or bool(Scorer(metric).first_passes)
    with stdin_buffered(inputs, needed=buffered) as files, ProgressBar() as bar:
        scorer = Scorer(
            metric or default_metrics(next(iter(Reader(files, reading)))),
            defaulted=not metric,
            language=language,
            model=model,
            device=chosen,
            threads=None if workers == 1 else max(1, (os.cpu_count() or 1) // workers),
            on_error=reading.on_error,
        )
        scorer.need_model()
        ranking_metric = _rank_by(rank, rank_by, scorer.specs)
        run = Run(
            lambda: Reader(files, reading),
            scorer,
            _engine(engine, workers),
            output=out,
            resume=resume,
            batch=batch or scorer.batch_size,
            seed=seed,
            watcher=bar,
        )
        with run:
            with resumable(out):
                finished = run.score()
            _note_pooled(finished)
            aggregates = finished.tally.aggregates(seed)
            if report is not None:
                page = run_report(title_of(inputs), run, finished, aggregates)
                write_report(replace(page, answers=_with_evidence(page.answers, scorer)), report)
            if rank is not None:
                _write_run(rank, ranking_metric, run, finished)
            worst = [] if json or "-" in files or finished.tally.examples > _FEW else _worst(run, finished)
    list_skipped(finished.reader)
    if json:
        print_json(run_document(finished, aggregates, seed))
        return
    output.print(aggregates_table(aggregates, finished.tally.notes))
    if worst:
        output.print(worst_table(worst, scorer.specs))
    for path in filter(None, (out, report, rank)):
        say(f"wrote {path}")


def _note_pooled(finished: Finished) -> None:
    """Say that files were taken together, which compare would have told apart."""
    files = len(finished.reader.unnamed)
    if files > 1:
        finished.tally.notes[_POOLED] = files


def _with_evidence(answers: Selection[AnswerRow], scorer: Scorer) -> Selection[AnswerRow]:
    found = gather_evidence([row.example for row in answers.rows], scorer)
    return replace(
        answers,
        rows=[replace(row, evidence=evidence) for row, evidence in zip(answers.rows, found, strict=True)],
    )


def _engine(name: str, workers: int) -> Engine:
    if name == "local":
        return LocalEngine(workers)
    if name == "ray":
        return RayEngine(workers if workers > 1 else None)
    raise SpecError(f'there is no engine "{name}"; give local or ray')


def _rank_by(rank: Path | None, asked: str | None, specs: list[str]) -> str:
    """Choose the metric that ranks: the one that is named, the judge, or the only one there is."""
    if rank is None:
        if asked is not None:
            raise SpecError("--rank-by says what --rank FILE orders by; give --rank with it")
        return ""
    wanted = str(parse_spec(asked)) if asked else _JUDGE if len(specs) > 1 else specs[0]
    if wanted not in specs:
        what = f"{wanted} is not scored" if asked else "several metrics are scored"
        raise SpecError(f"--rank orders by one metric, and {what}; name one with --rank-by: {', '.join(specs)}")
    return wanted


def _write_run(path: Path, spec: str, run: Run, finished: Finished) -> None:
    ranking = rank_answers((example, scores[spec]) for example, scores, _ in run.answers(finished))
    write_run(path, ranking, spec)
    if ranking.unscored:
        say(f"answers without a score under {spec}, not ranked: {ranking.unscored:,}")


def _worst(run: Run, finished: Finished) -> list[AnswerRow]:
    rows = (AnswerRow(*row) for row in run.answers(finished))
    return worst_first(rows, Ordering.of(run.scorer.metrics), limit=_WORST)
