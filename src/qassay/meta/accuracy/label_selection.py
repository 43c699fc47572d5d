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
    uniform: float = UNIFORM,
) -> LabelSelection:
    """Draw `n` answers that have no label yet, unsure ones more often.

    An answer of probability p is drawn in proportion to sqrt(p(1 - p)), the standard deviation of its label (active
    inference: Zrnic and Candès 2024), mixed with a uniform draw; p is first moved a little towards one half. Systems
    share the labels by how unsure the judge is of them. The draw is systematic over a random order within each
    system, so that every answer has exactly the probability stated. Fewer than `n` are drawn where fewer are left;
    an answer without probability (NaN) never is.
    """
    values = finite_or_missing(probabilities, "probabilities")
    if n < 1:
        raise DataError(f"{n} answers to label next; ask for at least one")
    if not 0 < uniform <= 1:
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
    code = np.fromiter((numbers.setdefault(each, len(numbers)) for each in names), np.int64, len(values))[rows]
    chance = _inclusion(_sizes(values[rows], code, uniform), min(n, len(rows)))
    order = np.lexsort((rng.random(len(rows)), code))
    reached = np.cumsum(chance[order]) + rng.random()
    steps = np.floor(reached + _ROUNDING)
    chosen = order[np.diff(steps, prepend=0.0) > 0]
    chosen = rng.permutation(chosen)
    return LabelSelection(rows[chosen], chance[chosen])


def _sizes(probability: Floats, system: Ints, uniform: float) -> Floats:
    """Return each answer's size for the draw: its label's standard deviation within its system, mixed with equality."""
    share = 1 / np.bincount(system)[system]
    doubted = DOUBT + (1 - 2 * DOUBT) * probability
    unsure = np.sqrt(doubted * (1 - doubted)) * share
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
