"""Intervals of aggregates: the bootstrap, and what replaces it where answers are few or all alike."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.scoring.aggregates.intervals import quantile, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from qassay.arrays import Floats
    from qassay.spec import Declaration

    Words = NDArray[np.uint32]
    Counts = NDArray[np.unsignedinteger[Any]]

FEWEST = 10
"""The fewest scored answers that are bootstrapped; resampling fewer gives intervals that are far too narrow."""
BOOTSTRAP, WILSON, TOO_FEW, LEFT_OUT = "bootstrap", "wilson", "none: too few answers", "none: left out"
_ROUNDING = 1e-12
"""Scores closer than this are the same, summed in another order."""
_DRAWS_AT_ONCE = 100
_NUMBERS_AT_ONCE = 1 << 14
"""Rows drawn at a time, eight bytes each: few enough for the cache, and for memory that is used again."""
_MOST_REMEMBERED = 1 << 21
"""Numbers of draws times rows up to which draws are remembered: at most two bytes each."""
_ONE_THREAD = 1 << 18
"""Multiplications up to which OpenBLAS works in one thread."""


class AggregateInterval(NamedTuple):
    """The limits of an aggregate, None where there are none, and how they were found."""

    low: float | None
    high: float | None
    method: str


class Resampled(NamedTuple):
    """A quantity with a value for any sum of rows of additive statistics."""

    rows: Floats
    finish: Callable[[Floats], Floats]

    @property
    def value(self) -> float:
        """The value of all rows; NaN where nothing was scored."""
        return float(self.finish(self.rows.sum(0)))


def bootstrap(quantities: Mapping[str, Resampled], seed: int, draws: int) -> dict[str, Floats]:
    """Draw rows of statistics with replacement, the same ones for every quantity, and finish each draw's sum."""
    samples: dict[str, list[Floats]] = {name: [] for name in quantities}
    if not samples:
        return {}
    size = len(next(iter(quantities.values())).rows)
    small = draws * size <= _MOST_REMEMBERED
    room = np.empty((min(draws, _DRAWS_AT_ONCE), size))
    for counted in _remembered_counts(seed, size, draws) if small else _draw_counts(seed, size, draws):
        counts = room[: len(counted)]
        counts[:] = counted
        for name, (rows, finish) in quantities.items():
            samples[name].append(finish(_product(counts, rows)))
    return {name: np.concatenate(parts) for name, parts in samples.items()}


def _draw_counts(seed: int, size: int, draws: int) -> Iterator[Counts]:
    """Yield, some draws at a time, how often each draws each row; rows are drawn as `Generator.integers` does it."""
    words = RandomWords(seed)
    kind = np.min_scalar_type(size)
    block = max(1, min(_DRAWS_AT_ONCE, _NUMBERS_AT_ONCE // size))
    # A draw's place in its block is the upper half of a word, so that one product numbers the rows of all draws.
    halves = np.zeros((block, size, 2), "<u4")
    halves[:, :, 1] = np.arange(block)[:, None]
    numbered = np.empty((block, size), np.uint64)
    for start in range(0, draws, _DRAWS_AT_ONCE):
        counts = np.empty((min(_DRAWS_AT_ONCE, draws - start), size), kind)
        for first in range(0, len(counts), block):
            part = counts[first : first + block]
            height = len(part)
            halves[:height, :, 0] = words.below(size, part.size).reshape(part.shape)
            places = np.multiply(halves[:height].view("<u8")[:, :, 0], np.uint64(size), out=numbered[:height])
            places >>= np.uint64(32)
            part[:] = np.bincount(places.view(np.int64).ravel(), minlength=part.size).reshape(part.shape)
        yield counts


@lru_cache(maxsize=4)
def _remembered_counts(seed: int, size: int, draws: int) -> list[Counts]:
    """Return all of them: systems and runs of one size share their draws."""
    return list(_draw_counts(seed, size, draws))


class RandomWords:
    """The 32-bit words of numpy's default generator, in the order in which it uses them.

    Drawing from the words themselves takes two thirds of the time; and unlike `Generator.integers`, they are the same
    in all versions of numpy.
    """

    def __init__(self, seed: int) -> None:
        self._bits = np.random.default_rng(seed).bit_generator
        self._left: Words = np.zeros(0, np.uint32)

    def below(self, size: int, number: int) -> Words:
        """Return words whose product with `size`, without its lower 32 bits, is a number below `size`.

        Words that would make some numbers more likely than others are passed over (Lemire 2019).
        """
        found = self._take(number)
        threshold = np.uint32(((1 << 32) - size) % size)
        # Of powers of two no word is unfair.
        while threshold and (unfair := found * np.uint32(size) < threshold).any():
            found = np.concatenate([found[~unfair], self._take(int(unfair.sum()))])
        return found

    def _take(self, number: int) -> Words:
        drawn = self._bits.random_raw((max(0, number - len(self._left)) + 1) // 2)
        words = np.asarray(drawn, "<u8").view("<u4")
        words = np.concatenate([self._left, words]) if len(self._left) else words
        self._left = words[number:]
        return words[:number]


def _product(counts: Floats, rows: Floats) -> Floats:
    """Multiply in parts that are too small for linear algebra to start threads, which would wait for each other."""
    step = max(2, _ONE_THREAD // max(1, rows.size))
    return np.concatenate([counts[start : start + step] @ rows for start in range(0, len(counts), step)])


def interval_of(
    declaration: Declaration, value: float, n: int, samples: Floats | None, confidence: float | None
) -> AggregateInterval:
    """Return an aggregate's interval: the percentiles of its bootstrap samples, or Wilson's for few answers.

    Without a confidence it has none.
    """
    if confidence is None:
        return AggregateInterval(None, None, LEFT_OUT)
    if np.isnan(value):
        return AggregateInterval(None, None, BOOTSTRAP)
    limits = None if samples is None else _percentiles(samples, confidence, value)
    if limits is None or limits[1] - limits[0] < _ROUNDING:
        return small_sample_interval(declaration, value, n, confidence)
    return AggregateInterval(*limits, BOOTSTRAP)


def small_sample_interval(declaration: Declaration, value: float, n: int, confidence: float) -> AggregateInterval:
    """Return Wilson's interval (1927) of a share that equals the score, for few answers or all-equal scores.

    A graded score varies less than a share of right answers with the same mean, so the interval is rather too wide
    than too narrow. A pooled score such as BLEU is no mean of the answers' scores: of few answers it has no interval,
    unless it is 0 or the highest score there is, which takes all answers to be so.
    """
    share = value / declaration.maximum
    extreme = min(abs(share), abs(1 - share)) < _ROUNDING
    if not -_ROUNDING <= share <= 1 + _ROUNDING or (declaration.corpus == "pooled" and not extreme):
        return AggregateInterval(None, None, TOO_FEW)
    low, high = wilson(min(1.0, max(0.0, share)), n, quantile(confidence))
    maximum = declaration.maximum
    return AggregateInterval(min(low, share) * maximum, max(high, share) * maximum, WILSON)


def _percentiles(samples: Floats, confidence: float, value: float) -> tuple[float, float] | None:
    """Return the percentiles; where the score lies outside them by rounding alone, they are moved to reach it."""
    known = samples[~np.isnan(samples)]
    if not len(known):
        return None
    tail = 50 * (1 - confidence)
    low, high = np.percentile(known, [tail, 100 - tail])
    if low - _ROUNDING < value < high + _ROUNDING:
        low, high = min(low, value), max(high, value)
    return float(low), float(high)
