"""Scoring on this machine, in this process or in several."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from multiprocessing import resource_tracker
from queue import SimpleQueue
from typing import TYPE_CHECKING

from qassay.errors import SpecError, StoppedError, option
from qassay.scoring.file_run import Chunk, score_and_encode
from qassay.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from multiprocessing.connection import Connection

    from qassay.scoring.scored_batch import ScoredBatch
    from qassay.scoring.scorer import Scorer

    Result = tuple[ScoredBatch, bytes]

_AHEAD = 2
"""Chunks queued per worker: enough to keep it busy, few enough for constant memory."""
_ENDING = 5
"""Seconds within which a process whose connection is closed has ended."""
GC_THRESHOLDS = (100_000, 20, 100)
"""When workers collect garbage. Scoring makes many objects and next to no cycles, and with Python's own thresholds the
collector takes up to a fifth of a worker's time."""
_NOT_STARTED = (
    "a worker process failed with the traceback above; run the program from a file, below "
    '`if __name__ == "__main__":`, and define what you register at the top level of a module'
)
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells the libraries of arithmetic how many threads to use, before they are loaded."""
_environment = threading.Lock()
"""Held while the environment is changed for a process that starts: several runs may start workers at once."""
_processes = multiprocessing.get_context("spawn")


class LocalEngine:
    """One worker scores in this process; more get one process per worker. Results keep their order."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def score(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Generator[Result, None, None]:
        """Score chunk after chunk."""
        if self.workers <= 1:
            for chunk in chunks:
                yield score_and_encode(scorer, chunk)
            return
        yield from self._score_in_processes(scorer, chunks)

    def _score_in_processes(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Generator[Result, None, None]:
        workers: list[_Worker] = []
        idle: SimpleQueue[_Worker] = SimpleQueue()
        waiting: deque[Future[Result]] = deque()
        threads = ThreadPoolExecutor(self.workers)
        try:
            for _ in range(self.workers):
                workers.append(_Worker(scorer, max(1, default_threads() // self.workers)))
                idle.put(workers[-1])
            for chunk in chunks:
                waiting.append(threads.submit(_score_elsewhere, idle, chunk))
                if len(waiting) >= self.workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # What they are at when a run is interrupted is lost anyway, and may take minutes.
            for worker in workers:
                worker.end()
            threads.shutdown(wait=True, cancel_futures=True)


class _Worker:
    """A process that scores one chunk at a time, over a connection of its own: when it dies, reading fails at once."""

    def __init__(self, scorer: Scorer, threads: int) -> None:
        self._connection, theirs = _processes.Pipe()
        self._process = _processes.Process(target=_work, args=(scorer, theirs), daemon=True)
        try:
            with _without_signals(), _with_threads(threads):
                self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as problem:
            raise _not_sent(scorer, problem) from problem
        theirs.close()

    def score(self, chunk: Chunk) -> Result:
        """Return the process's scores of a chunk, or raise what it raised."""
        try:
            self._connection.send(chunk)
            result = self._connection.recv()
        except (EOFError, OSError) as problem:
            self._process.join(_ENDING)
            if self._process.exitcode == 1:
                raise SpecError(_NOT_STARTED) from problem
            raise StoppedError(
                "a worker process was killed, perhaps for lack of memory; fewer workers need less"
            ) from problem
        if isinstance(result, BaseException):
            raise result
        scored, rows = result
        return replace(scored, examples=chunk), rows

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()


def _not_sent(scorer: Scorer, problem: Exception) -> Exception:
    """Return the error for a metric that another process cannot get; what fails otherwise stays as it is."""
    for metric in scorer.metrics:
        try:
            pickle.dumps(metric)
        except (pickle.PicklingError, AttributeError, TypeError):
            return SpecError(
                f'the metric "{metric.spec.name}" cannot be sent to worker processes ({problem}); define what you '
                f"register at the top level of a module, or install it as a package, or leave {option('workers')} out"
            )
    return problem


def _score_elsewhere(idle: SimpleQueue[_Worker], chunk: Chunk) -> Result:
    worker = idle.get()
    try:
        return worker.score(chunk)
    finally:
        idle.put(worker)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Start processes that ignore Ctrl-C and SIGTERM, which the main process handles."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It unblocks the signals when it starts, so that must have happened before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _with_threads(threads: int) -> Iterator[None]:
    """Start processes whose libraries use so many threads, unless the environment says otherwise."""
    with _environment:
        added = [name for name in _THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(added, str(threads)))
        try:
            yield
        finally:
            for name in added:
                os.environ.pop(name, None)


def _work(scorer: Scorer, connection: Connection) -> None:
    """Score the chunks that come over the connection until the main process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.set_threshold(*GC_THRESHOLDS)
    for number in count():
        chunk: Chunk = connection.recv()
        result: Result | Exception
        try:
            scored, rows = score_and_encode(scorer, chunk)
            result = replace(scored, examples=()), rows
        except Exception as problem:  # noqa: BLE001 - raised again in the main process
            result = problem
        connection.send(result)
        if number == 0:
            # Modules and models are there for good.
            gc.freeze()


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however it ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
