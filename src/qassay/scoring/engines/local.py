"""Scoring on this machine, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from qassay.scoring.run import Chunk, score_and_encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from qassay.scoring.aggregation import ScoredBatch
    from qassay.scoring.scorer import Scorer

    Result = tuple[ScoredBatch, bytes]

_AHEAD = 2
"""How many chunks a worker has waiting: enough to keep it busy, few enough for constant memory."""


class LocalEngine:
    """One worker scores in this process; more get a process each, and the results keep their order."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def score(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Iterator[Result]:
        """Score chunk after chunk."""
        if self.workers <= 1:
            for chunk in chunks:
                yield score_and_encode(scorer, chunk)
            return
        yield from self._score_in_processes(scorer, chunks)

    def _score_in_processes(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Iterator[Result]:
        pool = ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare,
            initargs=(scorer,),
        )
        waiting: deque[tuple[Chunk, Future[Result]]] = deque()
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(_score, chunk)))
                if len(waiting) >= self.workers * _AHEAD:
                    yield _join(*waiting.popleft())
            while waiting:
                yield _join(*waiting.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_scorer: Scorer | None = None


def _prepare(scorer: Scorer) -> None:
    global _scorer  # noqa: PLW0603 - a worker process holds its scorer for its whole life
    _scorer = scorer
    # Ctrl-C is the main process's to handle: it finishes what is written and says how to resume.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score(chunk: Chunk) -> Result:
    if _scorer is None:
        raise RuntimeError("a worker was given work before its scorer")
    scored, rows = score_and_encode(_scorer, chunk)
    return replace(scored, examples=()), rows


def _join(chunk: Chunk, result: Future[Result]) -> Result:
    scored, rows = result.result()
    return replace(scored, examples=chunk), rows
