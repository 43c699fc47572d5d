"""Finds repeated `(system, id)` pairs, in 16 bytes per answer."""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from mmap import mmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

DIGEST_BYTES = 16
SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
# Where each shard but the first begins, in the order of the digests' high halves.
SHARD_STARTS = np.arange(1, SHARDS, dtype=np.uint64) << np.uint64(64 - SHARD_BITS)
FEWEST_TO_SETTLE = 1 << 16
RECENT_SHARE = 16
"""Recent digests join the shards when there is one of them for this many in the shards."""


class _Run(NamedTuple):
    """Digests in ascending order, as their high and low halves."""

    high: Words
    low: Words


class SeenIds:
    """A set of `(system, id)` pairs, kept as 128-bit BLAKE2b digests.

    Most digests are sorted in shards by their first bits, so that a look-up searches one shard, and a merge
    needs room for one shard besides the 16 bytes per pair. Recent ones are in a few sorted runs that merge when
    they are of similar length, and join the shards when they are a sixteenth of them. Among a billion pairs,
    two different ones share a digest with a probability of 1 in 10^21.
    """

    def __init__(self) -> None:
        nothing = np.empty(0, dtype=np.uint64)
        self._merged = [_Run(nothing, nothing)] * SHARDS
        self._merged_count = 0
        self._recent: list[_Run] = []
        self._recent_count = 0

    def __len__(self) -> int:
        return self._merged_count + self._recent_count

    @property
    def bytes_held(self) -> int:
        """Memory of the digests in bytes."""
        return sum(run.high.nbytes + run.low.nbytes for run in self.runs)

    def add(self, keys: Sequence[tuple[str, str]]) -> list[int]:
        """Add the pairs and return the positions in `keys` of those that were there already."""
        if not keys:
            return []
        order, high, low = _sorted_digests(keys)
        known = np.zeros(len(keys), dtype=np.bool_)
        known[1:] = (high[1:] == high[:-1]) & (low[1:] == low[:-1])
        known |= self._known(high, low)
        fresh = ~known
        self._append(_Run(high[fresh], low[fresh]))
        positions: list[int] = np.sort(order[known]).tolist()
        return positions

    def known(self, keys: Sequence[tuple[str, str]]) -> list[int]:
        """Return the positions in `keys` of the pairs that are in the set."""
        if not keys:
            return []
        order, high, low = _sorted_digests(keys)
        positions: list[int] = np.sort(order[self._known(high, low)]).tolist()
        return positions

    @property
    def runs(self) -> tuple[_Run, ...]:
        """All digests, in sorted runs."""
        return (*self._merged, *self._recent)

    def shared_with(self, other: "SeenIds") -> int:
        """Return how many pairs are in both sets."""
        return sum(int(self._known(run.high, run.low).sum()) for run in other.runs)

    def merge(self, other: "SeenIds") -> None:
        """Add the pairs of another set, none of which is in this one."""
        for run in other.runs:
            self._append(run)

    def _known(self, high: Words, low: Words) -> NDArray[np.bool_]:
        """Return for each digest, in ascending order, whether it is in the set."""
        known = np.zeros(len(high), dtype=np.bool_)
        for run in self._recent:
            known |= _found(run, high, low)
        if self._merged_count:
            for run, (start, end) in zip(self._merged, _shard_bounds(high), strict=True):
                known[start:end] |= _found(run, high[start:end], low[start:end])
        return known

    def _append(self, run: _Run) -> None:
        if not len(run.high):
            return
        self._recent.append(run)
        self._recent_count += len(run.high)
        while len(self._recent) > 1 and len(self._recent[-2].high) <= 2 * len(self._recent[-1].high):
            right, left = self._recent.pop(), self._recent.pop()
            self._recent.append(_merge([left, right]))
        if self._recent_count >= max(FEWEST_TO_SETTLE, self._merged_count // RECENT_SHARE):
            self._merge_recent()

    def _merge_recent(self) -> None:
        bounds = [_shard_bounds(run.high) for run in self._recent]
        for shard in range(SHARDS):
            parts = [
                _Run(run.high[start:end], run.low[start:end])
                for run, (start, end) in zip(self._recent, (each[shard] for each in bounds), strict=True)
            ]
            self._merged[shard] = _off_heap(_merge([self._merged[shard], *parts]))
        self._merged_count += self._recent_count
        self._recent, self._recent_count = [], 0


def _sorted_digests(keys: Sequence[tuple[str, str]]) -> tuple[NDArray[np.int64], Words, Words]:
    """Return the order that sorts the digests of the keys, and both halves of the digests in that order."""
    words = np.frombuffer(b"".join(_digests(keys)), dtype=np.uint64)
    high, low = words[::2], words[1::2]
    # The last key of lexsort is the first to sort by. It is stable: of equal pairs the first stays first.
    order = np.lexsort((low, high))
    return order, high[order], low[order]


def _digests(keys: Sequence[tuple[str, str]]) -> list[bytes]:
    # The length keeps ("a", "bc") and ("ab", "c") apart.
    return [
        blake2b(f"{len(system)}:{system}{name}".encode(), digest_size=DIGEST_BYTES).digest() for system, name in keys
    ]


def _shard_bounds(high: Words) -> list[tuple[int, int]]:
    """Return where each shard begins and ends among ascending high halves."""
    cuts = [0, *np.searchsorted(high, SHARD_STARTS).tolist(), len(high)]
    return list(pairwise(cuts))


def _found(run: _Run, high: Words, low: Words) -> NDArray[np.bool_]:
    """Return for each digest whether it is in the run."""
    if not len(run.high) or not len(high):
        return np.zeros(len(high), dtype=np.bool_)
    positions = np.searchsorted(run.high, high)
    positions[positions == len(run.high)] = 0
    same_high = run.high[positions] == high
    found: NDArray[np.bool_] = same_high & (run.low[positions] == low)
    # Equal high halves of different digests: as good as never, but then the right one may be further on.
    for position in np.flatnonzero(same_high & ~found):
        end = np.searchsorted(run.high, high[position], side="right")
        found[position] = low[position] in run.low[positions[position] : end]
    return found


def _off_heap(run: _Run) -> _Run:
    """Copy a run to memory pages of its own, which return to the system as soon as they are freed.

    On the heap, shards that are replaced by slightly longer ones leave holes that cost half as much again.
    """
    size = len(run.high)
    if not size:
        return run
    words = np.frombuffer(mmap(-1, DIGEST_BYTES * size), dtype=np.uint64)
    high, low = words[:size], words[size:]
    high[:], low[:] = run.high, run.low
    return _Run(high, low)


def _merge(runs: Sequence[_Run]) -> _Run:
    high = np.concatenate([run.high for run in runs])
    # A stable sort merges ascending parts in linear time. Order among equal high halves does not matter.
    order = np.argsort(high, kind="stable")
    return _Run(high[order], np.concatenate([run.low for run in runs])[order])
