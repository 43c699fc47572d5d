"""Scoring on this machine, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from qassay.errors import StoppedError
from qassay.scoring.run import Chunk, score_and_encode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from qassay.scoring.aggregation import ScoredBatch
    from qassay.scoring.scorer import Scorer

    Result = tuple[ScoredBatch, bytes]

_AHEAD = 2
"""How many chunks a worker has waiting: enough to keep it busy, few enough for constant memory."""


class LocalEngine:
    """One worker scores in this process; more get a process each, and the results keep their order."""

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
        pool = ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare,
            initargs=(scorer,),
        )
        waiting: deque[tuple[Chunk, Future[Result]]] = deque()
        done = False
        try:
            for chunk in chunks:
                with _without_signals():
                    waiting.append((chunk, pool.submit(_score, chunk)))
                if len(waiting) >= self.workers * _AHEAD:
                    yield _join(*waiting.popleft())
            while waiting:
                yield _join(*waiting.popleft())
            done = True
        except BrokenProcessPool as problem:
            raise StoppedError(
                "a worker process was killed, perhaps because the memory did not suffice; fewer workers need less"
            ) from problem
        finally:
            if not done:
                # What they are at is lost anyway, and may take minutes.
                for process in list((pool._processes or {}).values()):  # noqa: SLF001 - public from Python 3.14 on
                    process.kill()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Start processes that never see Ctrl-C or SIGTERM, which are the main process's to handle."""
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


_scorer: Scorer | None = None


def _prepare(scorer: Scorer) -> None:
    global _scorer  # noqa: PLW0603 - a worker process holds its scorer for its whole life
    _scorer = scorer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, in whatever way."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _score(chunk: Chunk) -> Result:
    if _scorer is None:
        raise RuntimeError("a worker was given work before its scorer")
    scored, rows = score_and_encode(_scorer, chunk)
    return replace(scored, examples=()), rows


def _join(chunk: Chunk, result: Future[Result]) -> Result:
    scored, rows = result.result()
    return replace(scored, examples=chunk), rows
