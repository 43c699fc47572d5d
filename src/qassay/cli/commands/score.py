"""`qassay score`: answers in, scores out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, resumable, say
from qassay.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.api.scoring.score_result import StoredScores
    from qassay.report.answers import AnswerRow
    from qassay.scoring.aggregates.sample_aggregates import SampleAggregate

EXAMPLES = (
    "qassay score answers.jsonl",
    "qassay score answers.jsonl -m ava -m rouge_l:kpqa -o scores.jsonl --report report.html",
    "qassay score answers.csv --map candidate=prediction --map references=gold",
    "qassay score squad.json predictions.json --workers 4 --resume -o scores.jsonl",
    "qassay score 's3://bucket/answers/*.parquet' -o s3://bucket/scores/ --engine ray",
)
_FEW = 20_000
"""Answers up to which the terminal names the worst; beyond, the report does."""
_WORST = 3


def score(
    inputs: options.Inputs,
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    metric: options.Metrics = None,
    df: options.Df = None,
    out: options.ScoresOut = None,
    report: options.ReportFile = None,
    metrics_json: Annotated[
        Path | None,
        typer.Option(
            "--metrics-json",
            metavar="FILE",
            help="Write each metric's value and interval as JSON, for DVC and dashboards.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    summary: options.Summary = None,
    rank: Annotated[
        Path | None,
        typer.Option(
            "--rank",
            metavar="FILE",
            help="Order the answers to each question, best first, as a TREC run.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    rank_by: Annotated[
        str | None,
        typer.Option(
            "--rank-by",
            metavar="SPEC",
            help="The metric to rank by; ava if it is scored.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    json: options.Json = False,
    cluster: options.Cluster = None,
    seed: options.Seed = 12345,
    intervals: options.Intervals = True,
    model: options.Model = "mini",
    device: options.Device = "auto",
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            min=1,
            max=4096,
            metavar="N",
            help="Processes to score with; on a cluster the most workers, else as many as it holds.",
            rich_help_panel=options.RUNNING,
        ),
    ] = 1,
    batch: Annotated[
        int | None,
        typer.Option(
            "--batch",
            min=1,
            max=1 << 20,
            metavar="N",
            help="Answers scored at a time; the scores do not depend on it.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar=options.choice("local", "ray"),
            help="This machine, or the Ray cluster of RAY_ADDRESS (extra ray): each input is a shard.",
            rich_help_panel=options.RUNNING,
        ),
    ] = "local",
    ray_cpus: Annotated[
        float,
        typer.Option(
            "--ray-cpus", metavar="N", help="CPUs of each worker on a cluster.", rich_help_panel=options.RUNNING
        ),
    ] = 1,
    ray_gpus: Annotated[
        float,
        typer.Option(
            "--ray-gpus",
            metavar="N",
            help="GPUs of each worker on a cluster, as in 1 or 0.25.",
            rich_help_panel=options.RUNNING,
        ),
    ] = 0,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="FOLDER",
            help="Store what models find of answers, and do not run them again on the same texts.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    cache_size: Annotated[
        int | None,
        typer.Option(
            "--cache-size",
            min=1,
            max=1 << 30,
            metavar="MB",
            help="Megabytes that --cache may take (1,024); what was used least recently is dropped.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    resume: options.Resume = False,
    _quiet: options.Quiet = False,
) -> None:
    """Score every answer, and each system with an interval.

    With ava or lerc also say what each answer asserts, and how many attempt their question.
    """
    from qassay.api import rank as ranking  # noqa: PLC0415 - loads the metrics
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.api.scoring import score as api  # noqa: PLC0415 - as above
    from qassay.api.scoring.metrics_file import write_metrics  # noqa: PLC0415 - as above

    markdown = options.summary_of(summary, json=json)
    if rank is None and rank_by is not None:
        raise SpecError("--rank-by says what --rank FILE orders by; give --rank with it")
    if rank is not None and metric:
        ranking.check_ranking(rank_by, metric)
    check_apart([inputs], *(() if engine == "ray" else (out,)), report, rank, metrics_json)
    page = None if report is None else page_path(report)
    with ProgressBar() as bar, resumable(out):
        found = api.score(
            inputs,
            metric or None,
            format=format_,
            columns=options.columns_of(map_),
            system=system,
            language=language,
            seed=seed,
            model=model,
            device=options.device_of(device),
            on_error=options.on_error_of(on_error),
            output=out,
            resume=resume,
            workers=workers,
            batch=batch,
            engine=options.one_of("--engine", engine, "local", "ray"),
            df=df,
            intervals=intervals,
            cluster=cluster,
            cache=cache,
            cache_size=cache_size,
            ray_cpus=ray_cpus,
            ray_gpus=ray_gpus,
            again=page is not None or rank is not None or cluster is not None,
            progress=bar,
        )
        with found:
            if page is not None:
                found.report(page, call=command_line())
            ranked = None if rank is None else ranking.rank_scores(found, rank_by)
            if ranked is not None and rank is not None:
                ranked.write(rank)
            samples = found.samples()
            document = found.to_dict() if json else {}
            worst = [] if json or not found.can_reread or found.examples > _FEW else found.worst(_WORST)
    list_skipped(found.left_out)
    if metrics_json is not None:
        write_metrics(metrics_json, found.aggregates)
    if ranked is not None and ranked.ranking.unscored:
        say(f"answers without a score by {ranked.metric}, not ranked: {ranked.ranking.unscored:,}")
    if json:
        print_json(document)
        return
    _print(found, worst, samples, markdown=markdown)
    for path in filter(None, (out, page, rank, metrics_json)):
        say(f"wrote {path}")


def _print(
    found: StoredScores, worst: Sequence[AnswerRow], samples: Sequence[SampleAggregate], *, markdown: bool
) -> None:
    """Print the aggregates, what samples of a question amount to, and the worst answers; or Markdown."""
    from qassay.report.markdown import score_summary  # noqa: PLC0415 - loads the metrics
    from qassay.report.terminal.scores import aggregates_table, samples_table, worst_table  # noqa: PLC0415 - as above

    if markdown:
        output.print(score_summary(found.aggregates, found.notes, found.title), markup=False, soft_wrap=True)
        return
    output.print(aggregates_table(found.aggregates, found.notes))
    if samples:
        output.print(samples_table(samples))
    if worst:
        output.print(worst_table(worst, found.specs))
