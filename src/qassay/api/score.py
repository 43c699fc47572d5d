"""Answers in, scores out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from qassay.api.file_scoring import FileRun
from qassay.api.inputs import check_apart, paths_of, read_options, rows_in_memory, title_of
from qassay.api.score_result import ScoreResult, StoredScores
from qassay.errors import SpecError, option
from qassay.io.input_stream import Reader
from qassay.io.writers import open_writer
from qassay.models.base import EMBEDDED
from qassay.scoring.defaults import default_metrics
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from qassay.api.file_scoring import EngineName
    from qassay.api.inputs import Answers, Columns, Metrics, Paths
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError


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
    progress: Progress | None


class FileOptions(RowOptions, total=False):
    """What `score` takes beside files."""

    format: str
    resume: bool
    workers: int
    engine: EngineName
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
    again: bool = True,
    progress: Progress | None = None,
) -> ScoreResult | StoredScores:
    """Score answers: dictionaries (the fields of the JSONL format), a data frame, `Example`s, or files.

    Answers in memory become a `ScoreResult`, which holds everything. Files of any length are streamed: of the
    `StoredScores` the rows are on disk, in `output` (.jsonl, .csv, .tsv, .parquet) where it is given. A stopped run is
    taken up with `resume`; `workers`, `batch` and `engine` say how the work is divided. What is asked of the result
    later may read the files again; with `again=False` standard input is not kept for that.

    Without metrics, those that suit the first answer: the lexical ones, and in English the learned ones; an answer that
    lacks what one of them needs goes without its score. With `on_error="skip"` that holds for any metrics, and for an
    answer that is too long for a model.
    """
    check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
    wanted = as_names("metrics", metrics)
    options = read_options(format, columns, system, on_error, metrics=wanted)
    run = FileRun(options, output, resume, seed, workers, batch, engine, progress)
    run.check()
    check_apart([answers], output)

    def scorer_of(first: Iterable[object]) -> Scorer:
        chosen = wanted or default_metrics(next(iter(first)))  # type: ignore[arg-type]
        scorer = Scorer(
            chosen,
            defaulted=not wanted,
            language=language,
            model=model,
            device=device,
            threads=run.threads,
            on_error=on_error,
        )
        return scorer.need_model()

    files = paths_of(answers)
    if files is not None:
        scorer = scorer_of(()) if wanted else None
        files, closing = run.open(files, again=again or scorer is None or bool(scorer.first_passes))
        scorer = scorer or scorer_of(Reader(files, options))
        return run.score(StoredScores, files, scorer, closing, title=title_of(answers), batch=scorer.batch_size)
    if resume or workers > 1 or engine != "local":
        raise SpecError(f"{option('resume')}, {option('workers')} and {option('engine')} are for files; leave them out")
    examples = rows_in_memory(answers, options)
    scorer = scorer_of(examples)
    table = score_examples(examples, scorer=scorer, seed=seed, batch=batch, progress=progress)
    result = ScoreResult.of(table, scorer=scorer, title=title_of(answers))
    if output is not None:
        open_writer(output, scorer.specs).write(result.scored_rows())
    return result
