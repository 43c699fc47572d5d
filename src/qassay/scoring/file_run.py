"""A whole run over files: stream in, scores out, constant memory, resumable."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from qassay.errors import StoppedError
from qassay.io.example_columns import ExampleColumns, rebatched
from qassay.io.locking import sole_writer
from qassay.io.scores.scored_files import read_rows
from qassay.io.scores.writers import column_documents, encode_jsonl, encode_row, open_writer
from qassay.scoring.aggregates.aggregation import signature_fields
from qassay.scoring.checkpoint import CheckpointedOutput
from qassay.scoring.first_pass_log import QuestionLog
from qassay.scoring.scorer import BATCH, SEED, Scorer, nowhere
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from types import TracebackType

    from qassay.io.input_stream import Reader, SkippedRow
    from qassay.io.scores.scores_folder import ScoresFolder
    from qassay.records import AnswerNotes, Example
    from qassay.scoring.aggregates.aggregation import Totals
    from qassay.scoring.progress import Progress
    from qassay.scoring.scored_batch import ScoredBatch
    from qassay.scoring.scorer import Place

Chunk = Sequence["Example"]
_REFRESH = 64
"""How many answers pass between two readings of the clock."""


class Engine(Protocol):
    """Scores chunks, here or elsewhere, and yields the results in the chunks' order."""

    def score(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Generator[tuple[ScoredBatch, bytes], None, None]:
        """Yield each chunk's scores, and its rows as JSON lines."""


class LeftOutRows(Protocol):
    """What readers left out."""

    @property
    def skipped(self) -> Sequence[SkippedRow]:
        """The first rows that were left out, and why."""

    @property
    def skipped_total(self) -> int:
        """How many rows were left out."""

    @property
    def unnamed(self) -> AbstractSet[str]:
        """Inputs with answers that name no system."""

    @property
    def samples(self) -> int:
        """How many answers are one of several samples of a question."""


class ScoringRun(Protocol):
    """A run whose answers can be read once more, beside their scores."""

    scorer: Scorer

    def answers(
        self, finished: RunResult
    ) -> Iterator[tuple[Example, Mapping[str, float | None], Mapping[str, str], Mapping[str, AnswerNotes]]]:
        """Yield each answer with its scores, reasons for missing ones and metrics' notes."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: totals, what was skipped, and the file of rows."""

    totals: Totals
    reader: LeftOutRows
    rows: Path | ScoresFolder
    """JSON lines of all scores, in the input's order; gone when the run is closed unless it is the output."""
    resumed_at: int


def run_identity(scorer: Scorer, seed: int) -> str:
    """Return what must be the same for an unfinished run to be resumed."""
    options = f"{scorer.choices} seed={seed} version={__version__}"
    return " ".join([*(f"-m {spec}" for spec in scorer.specs), options])


def score_and_encode(scorer: Scorer, chunk: Chunk) -> tuple[ScoredBatch, bytes]:
    """Score one chunk and write its rows as JSON lines."""
    scored = scorer.score(chunk)
    if isinstance(chunk, ExampleColumns):
        return scored, encode_jsonl(column_documents(chunk, scored.scores, scored.unscored, scored.answer_notes))
    return scored, encode_jsonl([encode_row(*row) for row in scored.rows()])


class _Interrupts:
    """Lets Ctrl-C and SIGTERM end a run at once, except while totals and output are changed together."""

    def __init__(self) -> None:
        self._waiting = False
        self._writing = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, self._interrupt) for each in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Delay interrupts until the end of the block."""
        self._writing = True
        try:
            yield
        finally:
            self._writing = False
        if self._waiting:
            raise KeyboardInterrupt

    def _interrupt(self, _number: int, _frame: object) -> None:
        if not self._writing:
            raise KeyboardInterrupt
        self._waiting = True


class Run:
    """One `qassay score`. A context manager that locks the output and removes temporary files at the end."""

    def __init__(
        self,
        open_reader: Callable[[], Reader],
        scorer: Scorer,
        engine: Engine,
        *,
        output: Path | None = None,
        resume: bool = False,
        batch: int = BATCH,
        seed: int = SEED,
        progress: Progress | None = None,
        place_of: Callable[[Example], Place] = nowhere,
    ) -> None:
        self.open_reader = open_reader
        self.scorer = scorer
        self.engine = engine
        self.output = output
        self.resume = resume
        self.batch = batch
        self.seed = seed
        self.progress = progress
        self.place_of = place_of
        """Finds the line of an answer in the input, for messages."""
        self.question_log: QuestionLog | None = None
        """The log of the questions that metrics asked, while the run is open."""
        self._closing = ExitStack()
        self._lock = self._closing.enter_context(ExitStack())

    def __enter__(self) -> Self:
        if self.output:
            self._lock.enter_context(sole_writer(self.output))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.__exit__(kind, problem, trace)

    def release(self) -> None:
        """Release the lock on the output, unless its rows are still needed."""
        if self.output is None or self.output.suffix == ".jsonl":
            self._lock.close()

    @property
    def identity(self) -> str:
        """What must be the same for an unfinished run to be resumed."""
        return run_identity(self.scorer, self.seed)

    def _metric_fields(self) -> dict[str, dict[str, str]]:
        """Return what each metric's scores depend on, such as its model; nothing where no run can be resumed."""
        if self.output is None:
            return {}
        return {str(metric.spec): signature_fields(metric, self.scorer.resources) for metric in self.scorer.metrics}

    def score(self) -> RunResult:
        """Score everything and write the output; only a complete run changes the output file."""
        target = self.output or Path(self._closing.enter_context(tempfile.TemporaryDirectory())) / "rows.jsonl"
        if self.output:
            open_writer(self.output, self.scorer.specs)  # an unknown kind of file is refused before the work
        if self.scorer.first_passes:
            self._first_pass(target)
        checkpointed = CheckpointedOutput(target, self.identity, self._metric_fields(), resume=self.resume)
        totals = self.scorer.totals()
        if checkpointed.resumed:
            totals.restore(checkpointed.state.totals)
        resumed_at = checkpointed.state.rows
        reader = self.open_reader()
        with checkpointed:
            try:
                self._fill(checkpointed, totals, reader)
            except (KeyboardInterrupt, StoppedError):
                checkpointed.checkpoint(totals)
                raise
            checkpointed.flush()
            rows = self._deliver(checkpointed, target)
        return RunResult(totals, reader, rows, resumed_at)

    def _first_pass(self, target: Path) -> None:
        """Run the metrics' first passes; the results of long ones are stored for a resumed run."""
        if any(need.logged for need in self.scorer.first_passes):
            self.scorer.check(self.open_reader(), self.place_of)
            path = target.with_name(f"{target.name}.questions.part")
            log = QuestionLog(path, self.identity, resume=self.resume, resumable=self.output is not None)
            self.question_log = self._closing.enter_context(log)
        self.scorer.first_pass(self._read(self.scorer.first_pass_label, self.open_reader()), self.question_log)

    def answers(
        self, finished: RunResult
    ) -> Iterator[tuple[Example, Mapping[str, float | None], Mapping[str, str], Mapping[str, AnswerNotes]]]:
        """Read the input once more together with its scores and metrics' notes, for a report."""
        rows = read_rows(finished.rows)
        for example, row in zip(self._read("reporting", self.open_reader()), rows, strict=False):
            yield example, row.scores, row.unscored, row.notes

    def _fill(self, checkpointed: CheckpointedOutput, totals: Totals, reader: Reader) -> None:
        watch = _Watch(self.progress, "scoring", reader)
        chunks = checkpointed.skip_done(watch.read(reader))
        watch.done(checkpointed.state.rows)
        results = self.engine.score(self.scorer, rebatched(chunks, self.batch))
        with _Interrupts() as interrupts, closing(results):
            for scored, rows in results:
                with interrupts.deferred():
                    totals.add(scored)
                    checkpointed.write(rows, scored.examples, totals)
                watch.done(len(scored.examples))

    def _deliver(self, checkpointed: CheckpointedOutput, target: Path) -> Path:
        if target.suffix == ".jsonl":
            checkpointed.path.replace(target)
            checkpointed.discard()
            return target
        open_writer(target, self.scorer.specs).convert(checkpointed.path)
        self._closing.callback(checkpointed.discard)
        return checkpointed.path

    def _read(self, what: str, reader: Reader) -> Iterator[Example]:
        """Yield the answers, showing progress while they are read."""
        watch = _Watch(self.progress, what, reader)
        for chunk in watch.read(reader):
            for example in chunk:
                watch.done(1)
                yield example


class _Watch:
    """Reports how many answers of a reader are done, and the total estimated from the bytes read so far."""

    def __init__(self, progress: Progress | None, what: str, reader: Reader) -> None:
        self._progress = progress
        self._reader = reader
        self._seen = self._done = 0
        if progress is not None:
            progress.begin(what, None)

    def read(self, reader: Reader) -> Iterator[Sequence[Example]]:
        """Count the answers that are read."""
        for chunk in reader.sequences():
            self._seen += len(chunk)
            yield chunk

    def done(self, examples: int) -> None:
        """Count answers that are done; read the clock only now and then."""
        before, self._done = self._done, self._done + examples
        if self._progress is not None and before // _REFRESH != self._done // _REFRESH:
            self._progress.advance(self._done, self._total())

    def _total(self) -> int | None:
        whole, read = self._reader.total_bytes, self._reader.bytes_read
        return None if not whole or not read else max(self._done, round(self._seen * whole / read))
