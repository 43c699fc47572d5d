"""Scoring on a Ray cluster (extra `ray`): the same chunks, the same order, more machines."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qassay.errors import SpecError, option
from qassay.scoring.file_run import Chunk, score_and_encode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from qassay.scoring.aggregation import ScoredBatch
    from qassay.scoring.scorer import Scorer

_AHEAD = 2


class RayEngine:
    """Sends chunks to Ray tasks; connects to the cluster that RAY_ADDRESS names, or starts one here."""

    def __init__(self, workers: int | None = None) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before the import, which reads it
        try:
            import ray  # noqa: PLC0415 - an optional extra
        except ImportError as missing:
            raise SpecError(f'{option("engine", "ray")} needs the extra "ray": pip install "qassay[ray]"') from missing
        self._ray = ray
        if not ray.is_initialized():
            ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)

    def score(self, scorer: Scorer, chunks: Iterable[Chunk]) -> Generator[tuple[ScoredBatch, bytes], None, None]:
        """Score the chunks on the cluster, in order."""
        shared = self._ray.put(scorer)
        task = self._ray.remote(_score)
        slots = max(1, int(self._ray.cluster_resources().get("CPU", 1))) * _AHEAD
        waiting: deque[tuple[Chunk, Any]] = deque()
        for chunk in chunks:
            waiting.append((chunk, task.remote(shared, chunk)))
            if len(waiting) >= slots:
                yield self._join(*waiting.popleft())
        while waiting:
            yield self._join(*waiting.popleft())

    def _join(self, chunk: Chunk, result: Any) -> tuple[ScoredBatch, bytes]:  # noqa: ANN401 - Ray's object reference
        scored, rows = self._ray.get(result)
        return replace(scored, examples=chunk), rows


def _score(scorer: Scorer, chunk: Chunk) -> tuple[ScoredBatch, bytes]:
    scored, rows = score_and_encode(scorer, chunk)
    return replace(scored, examples=()), rows
