"""Summaries scored by questions: QAEval and FEQA, with every question that was asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from qassay.api.inputs import check_apart, paths_of, read_options, rows_in_memory, title_of
from qassay.api.result import page_path
from qassay.api.scoring.file_scoring import FileRun
from qassay.api.scoring.score_result import ScoreResult, StoredScores
from qassay.errors import OutputError, SpecError
from qassay.io.input_stream import Reader
from qassay.io.readers.row_files.summaries import to_summary
from qassay.io.scores.scored_files import read_rows
from qassay.metrics.questions.question_pass import decode_records, run_verdicts, write_questions
from qassay.models.question_model_names import Models
from qassay.scoring.defaults import default_summary_metrics
from qassay.scoring.first_pass_log import MemoryLog
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from qassay.api.inputs import Answers, Columns, Metrics, Paths
    from qassay.io.input_stream import ReadOptions
    from qassay.metrics.questions.question_pass import Verdicts
    from qassay.metrics.questions.question_records import SummaryRecord
    from qassay.records import Example
    from qassay.report.answers import PageAnswers
    from qassay.report.html.summary_page import SummaryRow
    from qassay.scoring.file_run import Run
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError, Place


class SummaryOptions(TypedDict, total=False):
    """What `score_summaries` takes beside summaries in memory."""

    models: Models | None
    columns: Columns | None
    system: str | None
    language: str
    on_error: OnError
    seed: int
    progress: Progress | None


class SummaryFileOptions(SummaryOptions, total=False):
    """What `score_summaries` takes beside files."""

    format: str
    output: str | Path | None
    resume: bool


def questions_path(path: str | Path) -> Path:
    """Accept the name of a file of questions."""
    file = Path(path)
    if file.suffix.lower() != ".jsonl":
        raise OutputError("questions are JSON lines; give the file a name that ends in .jsonl", file)
    return file


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SummaryTable(ScoreResult):
    """Scores of summaries in memory, with every question behind them."""

    questions: tuple[SummaryRecord, ...] = ()
    """What was asked about each summary: both answers and the verdicts, metric by metric."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoredSummaries(StoredScores):
    """Scores of files of summaries, with every question on disk."""

    run: Run

    @property
    def unread(self) -> Mapping[tuple[str, str], str]:
        """Summaries that no question could be asked about, by system and id, with the reason."""
        return self._verdicts.left_out

    def questions(self) -> Iterator[SummaryRecord]:
        """Yield what was asked about each summary: both answers and the verdicts, metric by metric."""
        for found in self.run.question_log or ():
            yield from map(self._verdicts.rescale, decode_records(found))

    def write_questions(self, path: str | Path) -> None:
        """Write every question with both answers and the verdicts as JSON lines."""
        write_questions(questions_path(path), self.run.question_log or (), self._verdicts)

    @property
    def _verdicts(self) -> Verdicts:
        return run_verdicts(self.run.scorer.resources)

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        from qassay.meta.correlation.summary_levels import batched_levels, judgement_means  # noqa: PLC0415 - for a page
        from qassay.report.answers import Ordering  # noqa: PLC0415 - as above
        from qassay.report.html.summary_page import (  # noqa: PLC0415 - as above
            SummaryReport,
            select_summaries,
            write_summary_page,
        )

        page = page_path(path)
        rows = list(read_rows(self.finished.rows))
        report = SummaryReport(
            title=self.title,
            aggregates=list(self.aggregates),
            judgements=judgement_means(rows),
            levels=batched_levels(rows),
            summaries=self._with_evidence(select_summaries(self._summaries, Ordering.of(self.run.scorer.metrics))),
            skipped=self.left_out.skipped_total,
            notes=self.notes,
            seed=self.seed,
            call=call,
        )
        write_summary_page(report, page)
        return page

    def _with_evidence(self, chosen: PageAnswers[SummaryRow]) -> PageAnswers[SummaryRow]:
        """Add what metrics that check sentences found."""
        from qassay.report.explain.evidence import gather_evidence  # noqa: PLC0415 - for a page

        found = gather_evidence([row.example for row in chosen.rows], self.run.scorer)
        return replace(chosen, rows=[replace(row, evidence=each) for row, each in zip(chosen.rows, found, strict=True)])

    def _summaries(self) -> Iterator[SummaryRow]:
        from qassay.report.html.summary_page import SummaryRow  # noqa: PLC0415 - for a page

        asked = self.run.question_log or repeat(b"[]")
        for row, found in zip(self.answers(), asked, strict=False):
            records = [self._verdicts.rescale(record) for record in decode_records(found)]
            yield SummaryRow(row.example, row.scores, row.unscored, records=records)


@overload
def score_summaries(  # type: ignore[overload-overlap]  # a text is a path, and no list of characters
    summaries: Paths, metrics: Metrics = None, **options: Unpack[SummaryFileOptions]
) -> StoredSummaries: ...
@overload
def score_summaries(
    summaries: Iterable[object], metrics: Metrics = None, **options: Unpack[SummaryOptions]
) -> SummaryTable: ...
def score_summaries(
    summaries: Answers,
    metrics: Metrics = None,
    *,
    models: Models | None = None,
    format: str = "summaries",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    language: str = "auto",
    on_error: OnError = "stop",
    seed: int = SEED,
    output: str | Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> SummaryTable | StoredSummaries:
    """Score summaries in rows or files: `summary`, `references`, `document`, and `id`, `system`, `judgement`.

    Without metrics, QAEval where the first row has references and FEQA where it has a document. Every variant comes
    from one pass over the questions. Files become `StoredSummaries`.
    """
    if models is not None and not isinstance(models, Models):
        raise SpecError(f"models is {models!r:.60}; give a qassay.Models")
    chosen = models or Models()
    check_options(language=language, seed=seed, model=chosen.model, device=chosen.device, on_error=on_error)
    wanted = as_names("metrics", metrics)
    options = read_options(format, columns, system, on_error)
    run = FileRun(options, output, resume, seed, progress=progress)
    run.check()
    check_apart([summaries], output)

    def scorer_of(examples: Iterable[Example]) -> Scorer:
        return Scorer(
            wanted or default_summary_metrics(next(iter(examples))),
            language=language,
            model=chosen.model,
            device=chosen.device,
            on_error=on_error,
            questions=chosen,
        )

    files = paths_of(summaries)
    if files is None:
        examples = rows_in_memory(summaries, options, to_summary)
        scorer = scorer_of(examples)
        scorer.check(examples)
        log = MemoryLog()
        table = score_examples(examples, scorer=scorer, seed=seed, log=log, progress=progress)
        records = (record for found in log.found for record in decode_records(found))
        questions = tuple(map(run_verdicts(scorer.resources).rescale, records))
        return SummaryTable.of(table, scorer=scorer, title=title_of(summaries, "summaries"), questions=questions)
    files, closing = run.open(files, again=True)
    scorer = scorer_of(Reader(files, options))
    started = run.start(files, scorer, closing, batch=scorer.batch_size, place_of=partial(_place, files, options))
    return run.finish(StoredSummaries, started, closing, title=title_of(summaries))


def _place(files: Sequence[str], reading: ReadOptions, example: Example) -> Place:
    """Find the line that a summary was read from."""
    for found, input_, line in Reader(files, reading).located():
        if (found.system, found.id) == (example.system, example.id):
            return input_, line
    return None, None
