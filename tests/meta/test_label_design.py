import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.meta.label_design import designed, simple_random

SIX_OF_TEN = np.arange(10) < 6


def rounds_of(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def test_labels_drawn_at_random_weigh_alike():
    """Four of ten labelled: each stands for 2.5 answers, and six tenths are open."""
    design = simple_random(np.arange(10) < 4)
    assert design.weight[:4] == pytest.approx([2.5] * 4)
    assert design.open[:4] == pytest.approx([0.6] * 4)
    assert np.isnan(design.weight[4:]).all()


def test_a_round_weighs_by_one_over_its_probabilities():
    """Probabilities that fit the number of answers stay as they are."""
    chance = np.array([0.5, 0.5, 0.25, np.nan, np.nan, np.nan, np.nan, np.nan])
    design = designed(~np.isnan(chance), np.ones(8, int), chance)
    assert design.weight[:3] == pytest.approx([2, 2, 4])
    assert design.open[:3] == pytest.approx([0.5, 0.5, 0.75])


@given(st.floats(0.1, 1))
def test_only_proportions_within_a_round_count(factor):
    """A list labelled in part has all probabilities smaller by one factor."""
    chance = np.where(SIX_OF_TEN, np.linspace(0.2, 0.9, 10), np.nan)
    whole, part = (designed(SIX_OF_TEN, np.ones(10, int), scale * chance) for scale in (1, factor))
    assert part.weight[:6] == pytest.approx(whole.weight[:6])


def test_two_random_rounds_weigh_alike():
    """Two labels of ten at random, then four of the eight left: as good as six of ten at once."""
    chance = np.r_[[np.nan] * 2, [0.5] * 4, [np.nan] * 4]
    design = designed(SIX_OF_TEN, rounds_of(2, 8), chance)
    assert design.weight[:6].sum() == pytest.approx(10)
    # Round 1: share 1/3 at probability 0.2, and 2/3 for being known to round 2; round 2: share 2/3 at 0.5.
    assert design.weight[:6] == pytest.approx([7 / 3] * 2 + [4 / 3] * 4)


def test_labels_without_any_probability_are_random_whatever_their_round():
    """Nothing is known that would make one weigh more."""
    design = designed(SIX_OF_TEN, rounds_of(2, 8), np.full(10, np.nan))
    assert design.simple


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        (np.r_[[0.5] * 5, [np.nan] * 5], "1 of 6 labels of one round have no probability"),
        (np.r_[[0.5] * 5, [0.0], [np.nan] * 4], "0 is not between 0 and 1"),
        (np.r_[[0.5] * 5, [1.5], [np.nan] * 4], "1.5 is not between 0 and 1"),
    ],
)
def test_probabilities_that_cannot_be_are_refused(chance, message):
    """A missing or impossible probability would bias the estimate unseen."""
    with pytest.raises(DataError, match=message):
        designed(SIX_OF_TEN, np.ones(10, int), chance)
