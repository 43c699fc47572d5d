"""Runs over shards on a Ray cluster, into a folder that all its machines reach."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from qassay.api.scoring.score_result import StoredScores
from qassay.errors import OutputError, SpecError, option
from qassay.io.input_stream import Reader
from qassay.io.locations import Location, expand
from qassay.io.scores.scores_folder import ScoresFolder
from qassay.io.scores.writers import is_table
from qassay.scoring.cluster_run import ClusterRun, check_shards
from qassay.scoring.defaults import default_metrics
from qassay.scoring.engines.ray import RayCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.api.scoring.file_scoring import FileRun
    from qassay.io.input_stream import ReadOptions
    from qassay.scoring.scorer import Scorer
    from qassay.spec import MetricSpec


def check_cluster_run(files: Sequence[str], run: FileRun) -> Location:
    """Return the folder of a run on a cluster; refuse what cannot be done there."""
    if run.output is None:
        raise SpecError(
            f"{option('engine', 'ray')} writes a folder that all machines reach; name it with {option('output')}"
        )
    if "-" in files:
        raise SpecError(
            f"standard input cannot be read by several machines; give files, or leave {option('engine')} out"
        )
    if is_table(str(run.output)):
        raise OutputError(
            f"is the name of a file, and {option('engine', 'ray')} writes a folder; give its name", run.output
        )
    return Location(str(run.output)).absolute()


def score_on_cluster(
    files: Sequence[str],
    run: FileRun,
    metrics: Sequence[str | MetricSpec] | None,
    scorer_of: Callable[[Sequence[str | MetricSpec]], Scorer],
    *,
    title: str,
) -> StoredScores:
    """Score shards; metrics that are not named are chosen by the first answer, which a worker reads."""
    folder = ScoresFolder(check_cluster_run(files, run))
    folder.check(resume=run.resume)
    inputs = expand(files)
    scorer = None if metrics is None else scorer_of(metrics)
    if scorer is not None:
        check_shards(scorer)
    with RayCluster(run.ray_cpus, run.ray_gpus, run.workers if run.workers > 1 else None) as cluster:
        if scorer is None:
            (chosen,) = cluster.map(partial(_suitable_metrics, Location(inputs[0]).absolute().url, run.options), [0])
            scorer = scorer_of(chosen)
        work = ClusterRun(
            inputs,
            run.options,
            scorer,
            cluster,
            folder,
            batch=run.batch or scorer.batch_size,
            resume=run.resume,
            seed=run.seed,
            progress=run.progress,
        )
        finished = work.score()
    return run.stored(StoredScores, work, finished, ExitStack(), title=title)


def _suitable_metrics(file: str, options: ReadOptions, _number: int) -> tuple[str, ...]:
    return default_metrics(next(iter(Reader([file], options))))
