"""Krippendorff's alpha: agreement of any number of people, with missing ratings, beyond chance."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from qassay.arrays import Floats, Ints
from qassay.meta.agreement.ratings import Ratings
from qassay.meta.correlation.resampling import FEWEST_FOR_INTERVAL, fisher_limits, no_interval, too_few


class Measurement(StrEnum):
    """What differences between ratings mean."""

    NOMINAL = "nominal"
    """Ratings are equal or not."""
    ORDINAL = "ordinal"
    """Ratings are ordered; distances count the ratings in between."""
    INTERVAL = "interval"
    """Distances are differences of the numbers."""


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha with its bootstrap interval over items, or the reason why there is none."""

    value: float | None
    measurement: Measurement
    low: float | None
    high: float | None
    items: int
    """Items with two or more ratings, which alone can agree."""
    ratings: int
    """Ratings of these items."""
    single: int
    """Items with one rating, left out."""
    draws: int
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Pairable:
    """Ratings of items with at least two of them; items and distinct values renumbered from 0."""

    item: Ints
    value: Ints
    distinct: Floats
    sizes: Ints

    @classmethod
    def of(cls, ratings: Ratings) -> "_Pairable":
        sizes = np.bincount(ratings.item, minlength=len(ratings.items))
        comparable = sizes[ratings.item] > 1
        items, item = np.unique(ratings.item[comparable], return_inverse=True)
        distinct, value = np.unique(ratings.value[comparable], return_inverse=True)
        return cls(item, value, distinct, sizes[items].astype(np.int64))

    def alpha(self, measurement: Measurement, counts: Ints) -> float:
        """Return 1 - observed / expected disagreement with each item taken `counts` times; NaN without variation.

        Observed disagreement averages squared distances over the pairs within items, expected disagreement over
        all pairs. For squared distances of numbers both follow from sums and sums of squares, and the ordinal
        distance is the difference of mid-ranks; so no matrix of coincidences is needed.
        """
        weight = counts[self.item].astype(np.float64)
        frequency = np.bincount(self.value, weight, len(self.distinct))
        n = frequency.sum()
        if measurement is Measurement.NOMINAL:
            within = self._nominal_within(counts)
            between = n * n - (frequency**2).sum()
        else:
            place = self.distinct - self.distinct.mean()
            if measurement is Measurement.ORDINAL:
                place = np.cumsum(frequency) - frequency / 2
                place -= n / 2
            position = place[self.value]
            first, second = (np.bincount(self.item, power) for power in (position, position**2))
            within = (counts * 2 * (self.sizes * second - first**2) / (self.sizes - 1)).sum()
            between = 2 * (n * (weight * position**2).sum() - (weight * position).sum() ** 2)
        if between <= 1e-12 * n * n:
            return float("nan")
        return float(1 - (n - 1) * within / between)

    def _nominal_within(self, counts: Ints) -> float:
        _, cell, repeats = np.unique(self.item * len(self.distinct) + self.value, return_index=True, return_counts=True)
        alike = np.bincount(self.item[cell], repeats.astype(np.float64) ** 2, len(self.sizes))
        return float((counts * (self.sizes**2 - alike) / (self.sizes - 1)).sum())


def krippendorff_alpha(
    ratings: Ratings,
    measurement: Measurement = Measurement.INTERVAL,
    *,
    draws: int = 0,
    rng: np.random.Generator | None = None,
    confidence: float = 0.95,
) -> Alpha:
    """Measure agreement of people beyond chance (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    1 is perfect agreement, 0 what chance would give. Items with one rating are left out and counted. With `draws`
    and `rng` the interval comes from resampling items, because items are what another study would have others of;
    it is taken on the scale of Fisher's z, where its coverage is right (benchmarks/meta_evaluation.py).
    """
    pairable = _Pairable.of(ratings)
    items = len(pairable.sizes)
    single = len(ratings.items) - items
    value = pairable.alpha(measurement, np.ones(items, dtype=np.int64)) if items else float("nan")
    reason = None
    if np.isnan(value):
        reason = "all ratings are equal" if items else "no item has two ratings"
    low = high = None
    unsure = None
    if reason is None and draws and items < FEWEST_FOR_INTERVAL:
        unsure = f"no interval: {too_few(items, 'item', FEWEST_FOR_INTERVAL)}"
    elif reason is None and draws and rng is not None:
        drawn = np.array(
            [
                pairable.alpha(measurement, np.bincount(rng.integers(0, items, items), minlength=items))
                for _ in range(draws)
            ]
        )
        unsure = no_interval(drawn)
        if unsure is None:
            low, high = fisher_limits(value, drawn[~np.isnan(drawn)], items, confidence)
    return Alpha(
        value=None if reason else value,
        measurement=measurement,
        low=low,
        high=high,
        items=items,
        ratings=int(pairable.sizes.sum()),
        single=single,
        draws=draws if low is not None else 0,
        confidence=confidence,
        reason=reason or unsure,
    )
