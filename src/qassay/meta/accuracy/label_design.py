"""How the labelled answers were chosen, and the weights that undo the choice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.statistics.panel import finite_or_missing


@dataclass(frozen=True, slots=True, eq=False)
class LabelDesign:
    """For every answer, the weight of its label and the share of it that is sampling error."""

    weight: Floats
    """One over the probability of being chosen; NaN where there is no label. Only proportions matter."""
    open: Floats
    """Share of the label's squared residual that counts as sampling error: one minus that probability."""
    simple: bool = False
    """Whether all answers were equally likely to be chosen."""


def simple_random(labelled: Bools) -> LabelDesign:
    """Return the design of labels that were drawn at random, all answers being equally likely."""
    share = float(np.mean(labelled)) if len(labelled) else 0.0
    chosen = np.asarray(labelled, bool)
    return LabelDesign(
        np.where(chosen, 1 / share if share else np.nan, np.nan), np.where(chosen, 1 - share, np.nan), simple=True
    )


def design_of_rounds(
    labelled: Bools, rounds: Ints, probability: ArrayLike, waiting: Bools | None = None
) -> LabelDesign:
    """Return the design of labels chosen in rounds, each among the answers that earlier rounds had left.

    `probability` is that of being chosen in the answer's round; a round without one (NaN) was drawn at random. Only
    proportions within a round count, so that a list in random order may be labelled in part; `waiting` says which
    answers of a round's list have no label yet.

    A round r estimates the whole: what was listed before is known, the rest follows from the labels of the round.
    These estimates are unbiased whatever happened before, hence uncorrelated, and are averaged with shares c_r
    proportional to the labels of each round. Collected by label, its weight is c_r / π + the shares of later rounds,
    to which the labelled answers of a list stand for those of it that wait. When the rounds have come to an end and
    every answer is labelled, the mean of the labels is the accuracy itself.
    """
    chances = finite_or_missing(probability, "probabilities of selection")
    if np.isnan(chances[labelled]).all():
        return simple_random(labelled)
    weight, open_ = np.full(len(labelled), np.nan), np.full(len(labelled), np.nan)
    total, before, known = int(labelled.sum()), 0, 0
    for number in np.unique(rounds[labelled]).tolist():
        here = labelled & (rounds == number)
        size = int(here.sum())
        listed = size + (0 if waiting is None else int((waiting & (rounds == number)).sum()))
        chance = _chances(chances[here], len(labelled) - known)
        share, later = size / total, (total - before - size) / total
        weight[here] = share / chance + later * listed / size
        # Two things are left to chance: which answers are listed, and which of the list are labelled.
        listing = np.minimum(1.0, chance * listed / size)
        drawn = share**2 * listed / size * (1 - listing) / listing**2 / weight[here] ** 2
        open_[here] = drawn + 1 - size / listed
        before += size
        known += listed
    # Where every answer is labelled nothing is left to chance, in whatever order the labels came.
    return simple_random(labelled) if labelled.all() else LabelDesign(weight, open_)


def _chances(given: Floats, left: int) -> Floats:
    """Return a round's probabilities, checked and scaled so that its labels represent all remaining answers."""
    missing = np.isnan(given)
    if missing.all():
        return np.full(len(given), len(given) / left)
    if missing.any():
        raise DataError(
            f"{int(missing.sum())} of {len(given)} labels of one round have no probability of selection; "
            "give it for all of them, or for none"
        )
    outside = given[(given <= 0) | (given > 1)]
    if len(outside):
        raise DataError(f"the probability of selection {outside[0]:g} is not between 0 and 1; keep it as it was given")
    return np.minimum(1.0, given * float((1 / given).sum()) / left)
