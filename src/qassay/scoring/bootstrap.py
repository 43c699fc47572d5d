"""Intervals of aggregates: the bootstrap, and what replaces it where answers are few or all alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.scoring.intervals import quantile, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from qassay.arrays import Floats
    from qassay.spec import Declaration

FEWEST = 10
"""The fewest scored answers that are bootstrapped; resampling fewer gives intervals that are far too narrow."""
BOOTSTRAP, WILSON, TOO_FEW = "bootstrap", "wilson", "none: too few answers"
_ROUNDING = 1e-12
"""Scores closer than this are the same, summed in another order."""
_DRAWS_AT_ONCE = 100


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


def bootstrap(quantities: Mapping[str, Resampled], rng: np.random.Generator, draws: int) -> dict[str, Floats]:
    """Draw rows of statistics with replacement, the same ones for every quantity, and finish each draw's sum."""
    samples: dict[str, list[Floats]] = {name: [] for name in quantities}
    if not samples:
        return {}
    size = len(next(iter(quantities.values())).rows)
    for start in range(0, draws, _DRAWS_AT_ONCE):
        number = min(_DRAWS_AT_ONCE, draws - start)
        drawn = rng.integers(size, size=(number, size)) + size * np.arange(number)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=number * size).reshape(number, size).astype(np.float64)
        for name, (rows, finish) in quantities.items():
            samples[name].append(finish(counts @ rows))
    return {name: np.concatenate(parts) for name, parts in samples.items()}


def interval_of(
    declaration: Declaration, value: float, n: int, samples: Floats | None, confidence: float
) -> AggregateInterval:
    """Return an aggregate's interval: the percentiles of its bootstrap samples, or Wilson's for few answers."""
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
