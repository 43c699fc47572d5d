"""Answers in, scores out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from qassay.api.inputs import check_apart, paths_of, read_options, rows_in_memory, samples_note, title_of
from qassay.api.scoring.cluster_scoring import score_on_cluster
from qassay.api.scoring.file_scoring import FileRun
from qassay.api.scoring.score_result import ScoreResult, StoredScores
from qassay.errors import SpecError, option
from qassay.io.input_stream import Reader, count_samples
from qassay.io.scores.writers import open_writer
from qassay.models.base import EMBEDDED
from qassay.scoring.aggregates.clusters import check_cluster
from qassay.scoring.defaults import default_metrics
from qassay.scoring.score_cache import MOST_SIZE, open_cache
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.validation import as_names, check_options, check_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns, Metrics, Paths
    from qassay.api.scoring.file_scoring import EngineName
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.scoring.table import ScoreTable
    from qassay.spec import MetricSpec


class RowOptions(TypedDict, total=False):
    """What `score` takes beside answers in memory."""

    columns: Columns | None
    system: str | None
    language: str
    seed: int
    model: str
    device: Device
    on_error: OnError
    output: str | Path | None
    batch: int | None
    df: str | Path | None
    intervals: bool
    cluster: str | None
    cache: str | Path | None
    cache_size: int | None
    progress: Progress | None


class FileOptions(RowOptions, total=False):
    """What `score` takes beside files."""

    format: str
    resume: bool
    workers: int
    engine: EngineName
    ray_cpus: float
    ray_gpus: float
    again: bool


@overload
def score(  # type: ignore[overload-overlap]  # a text is a path, and no list of characters
    answers: Paths, metrics: Metrics = None, **options: Unpack[FileOptions]
) -> StoredScores: ...
@overload
def score(answers: Iterable[object], metrics: Metrics = None, **options: Unpack[RowOptions]) -> ScoreResult: ...
def score(
    answers: Answers,
    metrics: Metrics = None,
    *,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    language: str = "auto",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
    output: str | Path | None = None,
    resume: bool = False,
    workers: int = 1,
    batch: int | None = None,
    engine: EngineName = "local",
    df: str | Path | None = None,
    intervals: bool = True,
    cluster: str | None = None,
    cache: str | Path | None = None,
    cache_size: int | None = None,
    ray_cpus: float = 1,
    ray_gpus: float = 0,
    again: bool = True,
    progress: Progress | None = None,
) -> ScoreResult | StoredScores:
    """Score answers: dictionaries (the fields of the JSONL format), a data frame, `Example`s, or files.

    Answers in memory become a `ScoreResult`, which holds everything. Files of any length are streamed: of the
    `StoredScores` the rows are on disk, in `output` (.jsonl, .csv, .tsv, .parquet) where it is given. A stopped run is
    taken up with `resume`; `workers`, `batch` and `engine` say how the work is divided. What is asked of the result
    later may read the files again; with `again=False` standard input is not kept for that.

    With `engine="ray"` files are shards that the workers of a Ray cluster read, and `output` is a folder that they all
    reach (a path or a URL); each worker holds the models once and takes `ray_cpus` and `ray_gpus`.

    Without metrics, those that suit the first answer: the lexical ones, and in English the learned ones; an answer that
    lacks what one of them needs goes without its score. With `on_error="skip"` that holds for any metrics, and for an
    answer that is too long for a model.

    `df` names a file of frequencies, as `qassay.frequencies` writes it, for `cider` and `:idf`, which else count the
    references of the run. Without `intervals` systems get none, which saves time where few answers are scored. With
    `cluster` (`question`, or a field) answers that share it count as one for intervals, as samples of one question
    must; `samples()` of the result then has their mean, any, all and majority.

    `cache` names a folder in which scores of models are stored by model and texts, and found again by later runs, with
    equal results. It takes up to `cache_size` megabytes (1,024) and a short journal, and several processes of one
    machine may use it at once. Metrics that depend on the whole run are not stored, nor those that need no model.
    """
    if cache_size is not None:
        check_whole("cache_size", cache_size, least=1, most=MOST_SIZE)
    if cache is not None and engine != "local":
        raise SpecError(f"{option('cache')} is a folder of one machine; leave it or {option('engine', engine)} out")
    check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
    wanted = as_names("metrics", metrics)
    options = read_options(format, columns, system, on_error, metrics=wanted)
    run = FileRun(
        options, output, resume, seed, workers, batch, engine, progress, intervals, ray_cpus=ray_cpus, ray_gpus=ray_gpus
    )
    run.check()
    if engine == "local":
        check_apart([answers], output)

    stored = open_cache(cache, cache_size)

    def scorer_of(first: Iterable[object]) -> Scorer:
        return make_scorer(wanted or default_metrics(next(iter(first))))  # type: ignore[arg-type]

    def make_scorer(chosen: Sequence[str | MetricSpec]) -> Scorer:
        scorer = Scorer(
            chosen,
            defaulted=not wanted,
            language=language,
            model=model,
            device=device,
            threads=run.threads,
            on_error=on_error,
            df=df,
            cluster=check_cluster(cluster),
            cache=stored,
        )
        return scorer.need_model()

    files = paths_of(answers)
    if files is not None and engine == "ray":
        return score_on_cluster(files, run, wanted, make_scorer, title=title_of(answers))
    if files is not None:
        scorer = scorer_of(()) if wanted else None
        files, closing = run.open(files, again=again or scorer is None or bool(scorer.first_passes))
        scorer = scorer or scorer_of(Reader(files, options))
        return run.score(StoredScores, files, scorer, closing, title=title_of(answers), batch=scorer.batch_size)
    if resume or workers > 1 or engine != "local":
        raise SpecError(f"{option('resume')}, {option('workers')} and {option('engine')} are for files; leave them out")
    examples = rows_in_memory(answers, options)
    scorer = scorer_of(examples)
    table = score_examples(examples, scorer=scorer, seed=seed, batch=batch, progress=progress, intervals=intervals)
    result = ScoreResult.of(_with_samples_noted(table, scorer), scorer=scorer, title=title_of(answers))
    if output is not None:
        open_writer(output, scorer.specs).write(result.scored_rows())
    return result


def _with_samples_noted(table: ScoreTable, scorer: Scorer) -> ScoreTable:
    """Return a table with the note on samples of a question whose intervals take them for independent answers."""
    if scorer.cluster is not None or all(each.low is None for each in table.aggregates):
        return table
    return replace(table, notes={**table.notes, **samples_note(count_samples(table.examples))})
