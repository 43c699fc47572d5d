"""Which answers to label next: those that the judge is unsure of, drawn so that the estimate stays right."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.statistics.panel import finite_or_missing

UNIFORM = 1 / 3
"""Share of the draw that ignores the judge, so that weights stay below three times the usual where it is wrong."""
LEARNT_UNIFORM = 0.1
"""The same share where labels have shown how far the judge's doubts can be trusted."""
FEWEST_LABELS = 10
"""The fewest labels of a system from which is learnt where the judge errs."""
RANGES = 5
"""Ranges of the judge's scores, each with as many answers, whose errors are learnt."""
PRIOR = 10
"""As many labels the judge's own doubts are worth in each range."""
DOUBT = 0.02
"""Probabilities are moved this far from 0 and 1, so that errors of an overconfident judge can be drawn."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LabelSelection:
    """Answers to label, in random order, each with the probability with which it was chosen."""

    rows: Ints
    probability: Floats


def next_labels(
    probabilities: ArrayLike,
    n: int,
    rng: np.random.Generator,
    *,
    system: Sequence[Hashable] | None = None,
    labelled: Bools | None = None,
    labels: ArrayLike | None = None,
    uniform: float | None = None,
) -> LabelSelection:
    """Draw `n` answers that have no label yet, unsure ones more often.

    An answer of probability p is drawn in proportion to sqrt(p(1 - p)), the standard deviation of its label (active
    inference: Zrnic and Candès 2024), mixed with a uniform draw; p is first moved a little towards one half. With the
    `labels` of earlier rounds (NaN where there is none) the errors that they show in ranges of the judge's scores take
    the place of its doubts: a judge may be surest where it errs most. Systems
    share the labels by how unsure the judge is of them. The draw is systematic over a random order within each
    system, so that every answer has exactly the probability stated. Fewer than `n` are drawn where fewer are left;
    an answer without probability (NaN) never is.
    """
    values = finite_or_missing(probabilities, "probabilities")
    if n < 1:
        raise DataError(f"{n} answers to label next; ask for at least one")
    if uniform is not None and not 0 < uniform <= 1:
        raise DataError(f"the uniform share is {uniform:g}; give more than 0 and at most 1")
    free = ~np.isnan(values) if labelled is None else ~np.isnan(values) & ~np.asarray(labelled, bool)
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise DataError(f"the judge's score {outside[0]:g} is not between 0 and 1; choose another metric")
    rows = np.flatnonzero(free)
    if not len(rows):
        raise DataError("every answer has a verdict or waits for one in a list; there is nothing left to label")
    names = [""] * len(values) if system is None else system
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(each, len(numbers)) for each in names), np.int64, len(values))
    known = np.full(len(values), np.nan) if labels is None else finite_or_missing(labels, "labels")
    variance, learnt = _variances(values, codes, known)
    code = codes[rows]
    given = np.where(learnt, LEARNT_UNIFORM, UNIFORM)[rows] if uniform is None else np.full(len(rows), uniform)
    chance = _inclusion(_sizes(variance[rows], code, given), min(n, len(rows)))
    order = np.lexsort((rng.random(len(rows)), code))
    reached = np.cumsum(chance[order]) + rng.random()
    steps = np.floor(reached + _ROUNDING)
    chosen = order[np.diff(steps, prepend=0.0) > 0]
    chosen = rng.permutation(chosen)
    return LabelSelection(rows[chosen], chance[chosen])


def _variances(probability: Floats, system: Ints, label: Floats) -> tuple[Floats, Bools]:
    """Return what one label of each answer would leave open, and whether that is learnt from labels."""
    doubted = DOUBT + (1 - 2 * DOUBT) * probability
    variance, learnt = doubted * (1 - doubted), np.zeros(len(probability), dtype=bool)
    for number in range(int(system.max()) + 1 if len(system) else 0):
        own = np.flatnonzero((system == number) & ~np.isnan(probability))
        if int((~np.isnan(label[own])).sum()) >= FEWEST_LABELS:
            variance[own] = _learnt(probability[own], variance[own], label[own])
            learnt[own] = True
    return variance, learnt


def _learnt(probability: Floats, claimed: Floats, label: Floats) -> Floats:
    """Return the squared errors to expect: the mean of those seen in an answer's range, and of what the judge claims.

    The error is that of the regression of labels on scores, which is what the estimate leaves open.
    """
    known = ~np.isnan(label)
    score, value = probability[known] - probability[known].mean(), label[known] - label[known].mean()
    spread = float(score @ score)
    slope = max(0.0, float(score @ value) / spread) if spread > _ROUNDING else 0.0
    squared = (value - slope * score) ** 2
    typical = (squared.sum() + PRIOR * claimed.mean()) / (len(squared) + PRIOR)
    place = np.searchsorted(np.quantile(probability, np.arange(1, RANGES) / RANGES), probability, side="right")
    size = np.maximum(1, np.bincount(place, minlength=RANGES))
    expected = typical * np.bincount(place, claimed, minlength=RANGES) / size / claimed.mean()
    seen = np.bincount(place[known], squared, minlength=RANGES)
    count = np.bincount(place[known], minlength=RANGES)
    return np.asarray(((seen + PRIOR * expected) / (count + PRIOR))[place], np.float64)


def _sizes(variance: Floats, system: Ints, uniform: Floats) -> Floats:
    """Return each answer's size for the draw: its label's standard deviation within its system, mixed with equality."""
    share = 1 / np.bincount(system)[system]
    unsure = np.sqrt(variance) * share
    return np.asarray((1 - uniform) * unsure / unsure.sum() + uniform * share / share.sum(), np.float64)


def _inclusion(size: Floats, n: int) -> Floats:
    """Turn sizes into probabilities that add up to n; what would exceed 1 is certain, and the others share the rest."""
    chance = np.ones(len(size))
    free = np.ones(len(size), dtype=bool)
    while free.any():
        chance[free] = (n - int((~free).sum())) * size[free] / size[free].sum()
        certain = free & (chance >= 1 - _ROUNDING)
        if not certain.any():
            break
        chance[certain] = 1.0
        free &= ~certain
    return chance
