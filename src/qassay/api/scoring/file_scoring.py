"""Runs over files: streamed, resumable, in constant memory."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from qassay.api.inputs import LeftOut, samples_note
from qassay.api.scoring.score_result import StoredScores
from qassay.errors import SpecError, option
from qassay.io.buffered_input import buffer_stdin
from qassay.io.input_stream import Reader
from qassay.io.locations import expand
from qassay.scoring.aggregates.aggregation import CONFIDENCE
from qassay.scoring.engines.local import LocalEngine
from qassay.scoring.file_run import Run
from qassay.scoring.scorer import nowhere
from qassay.threads import default_threads
from qassay.validation import check_choice, check_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.io.input_stream import ReadOptions
    from qassay.records import Example
    from qassay.scoring.file_run import RunResult, ScoringRun
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import Place, Scorer

EngineName = Literal["local", "ray"]
_MOST_WORKERS, _MOST_AT_ONCE = 4096, 1 << 20
_POOLED = (
    'files whose answers name no system, counted as one; give their rows a "system", or use `qassay compare` '
    "to compare the files"
)
Stored = TypeVar("Stored", bound=StoredScores)


@dataclass(frozen=True, slots=True)
class FileRun:
    """How files are scored: where the rows go, and what scores them."""

    options: ReadOptions
    output: str | Path | None = None
    resume: bool = False
    seed: int = 0
    workers: int = 1
    batch: int | None = None
    engine: EngineName = "local"
    progress: Progress | None = None
    intervals: bool = True
    ray_cpus: float = 1
    """Of a worker on a Ray cluster."""
    ray_gpus: float = 0

    def check(self) -> None:
        """Refuse what cannot be done."""
        check_choice("engine", self.engine, get_args(EngineName))
        for name, value, least in (("ray_cpus", self.ray_cpus, 0.01), ("ray_gpus", self.ray_gpus, 0)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= _MOST_WORKERS:
                raise SpecError(f"{option(name)} is {value!r:.60}; give a number from {least} to {_MOST_WORKERS}")
            if self.engine != "ray" and value != FileRun.__dataclass_fields__[name].default:
                raise SpecError(f"{option(name)} is for {option('engine', 'ray')}; leave it out, or give both")
        if self.ray_gpus > 1 and self.ray_gpus != int(self.ray_gpus):
            raise SpecError(f"{option('ray_gpus')} is {self.ray_gpus}; give a whole number, or a part of one GPU")
        check_whole("workers", self.workers, least=1, most=_MOST_WORKERS)
        if self.batch is not None:
            check_whole("batch", self.batch, least=1, most=_MOST_AT_ONCE)
        if self.resume and self.output is None:
            raise SpecError(
                f"{option('resume', value=True)} needs {option('output')}: it carries on with the scores written there"
            )

    @property
    def threads(self) -> int | None:
        """The threads of a model in each process; None for as many as it likes."""
        if self.engine == "ray":
            return max(1, int(self.ray_cpus))
        return None if self.workers == 1 else max(1, default_threads() // self.workers)

    def open(self, files: list[str], *, again: bool) -> tuple[list[str], ExitStack]:
        """Keep standard input in a file where it is read again, until the second of what is returned is closed."""
        closing = ExitStack()
        return closing.enter_context(buffer_stdin(expand(files), needed=again)), closing

    def start(
        self,
        files: list[str],
        scorer: Scorer,
        closing: ExitStack,
        *,
        batch: int,
        place_of: Callable[[Example], Place] = nowhere,
    ) -> Run:
        """Keep other runs from the output; nothing is scored yet."""
        return closing.enter_context(
            Run(
                lambda: Reader(files, self.options),
                scorer,
                LocalEngine(self.workers),
                output=None if self.output is None else Path(self.output),
                resume=self.resume,
                batch=self.batch or batch,
                seed=self.seed,
                progress=self.progress,
                place_of=place_of,
            )
        )

    def finish(
        self,
        kind: type[Stored],
        run: Run,
        closing: ExitStack,
        *,
        title: str,
        can_reread: bool = True,
        **more: Any,  # noqa: ANN401 - fields of the kind
    ) -> Stored:
        """Score the files; what is returned owns all temporary files."""
        with ExitStack() as failing:
            failing.push(closing)
            finished = run.score()
            run.release()
            failing.pop_all()
        return self.stored(kind, run, finished, closing, title=title, can_reread=can_reread, **more)

    def stored(
        self,
        kind: type[Stored],
        run: ScoringRun,
        finished: RunResult,
        closing: ExitStack,
        *,
        title: str,
        can_reread: bool = True,
        **more: Any,  # noqa: ANN401 - fields of the kind
    ) -> Stored:
        """Return the scores of a finished run, which own all temporary files."""
        with ExitStack() as failing:
            failing.push(closing)
            unnamed = len(finished.reader.unnamed)
            if unnamed > 1:
                finished.totals.notes[_POOLED] = unnamed
            if self.intervals and run.scorer.cluster is None:
                finished.totals.notes.update(samples_note(finished.reader.samples))
            left_out = LeftOut()
            left_out.add(finished.reader)
            result = kind(
                aggregates=tuple(
                    finished.totals.aggregates(self.seed, confidence=CONFIDENCE if self.intervals else None)
                ),
                examples=finished.totals.examples,
                left_out=left_out,
                notes=finished.totals.notes,
                seed=self.seed,
                title=title,
                run=run,
                finished=finished,
                closing=closing,
                can_reread=can_reread,
                **more,
            )
            failing.pop_all()
        weakref.finalize(result, closing.close)
        return result

    def score(
        self, kind: type[Stored], files: list[str], scorer: Scorer, closing: ExitStack, *, title: str, batch: int
    ) -> Stored:
        """Score the files."""
        run = self.start(files, scorer, closing, batch=batch)
        return self.finish(kind, run, closing, title=title, can_reread="-" not in files)
