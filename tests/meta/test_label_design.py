import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.meta.accuracy.label_design import design_of_rounds, simple_random
from qassay.meta.accuracy.label_selection import next_labels
from qassay.meta.accuracy.ppi import ppi_accuracy

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
    design = design_of_rounds(~np.isnan(chance), np.ones(8, int), chance)
    assert design.weight[:3] == pytest.approx([2, 2, 4])
    assert design.open[:3] == pytest.approx([0.5, 0.5, 0.75])


@given(st.floats(0.1, 1))
def test_only_proportions_within_a_round_count(factor):
    """A list labelled in part has all probabilities smaller by one factor."""
    chance = np.where(SIX_OF_TEN, np.linspace(0.2, 0.9, 10), np.nan)
    whole, part = (design_of_rounds(SIX_OF_TEN, np.ones(10, int), scale * chance) for scale in (1, factor))
    assert part.weight[:6] == pytest.approx(whole.weight[:6])


def test_two_random_rounds_weigh_alike():
    """Two labels of ten at random, then four of the eight left: as good as six of ten at once."""
    chance = np.r_[[np.nan] * 2, [0.5] * 4, [np.nan] * 4]
    design = design_of_rounds(SIX_OF_TEN, rounds_of(2, 8), chance)
    assert design.weight[:6].sum() == pytest.approx(10)
    # Round 1: share 1/3 at probability 0.2, and 2/3 for being known to round 2; round 2: share 2/3 at 0.5.
    assert design.weight[:6] == pytest.approx([7 / 3] * 2 + [4 / 3] * 4)


def test_labels_without_any_probability_are_random_whatever_their_round():
    """Nothing is known that would make one weigh more."""
    design = design_of_rounds(SIX_OF_TEN, rounds_of(2, 8), np.full(10, np.nan))
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
        design_of_rounds(SIX_OF_TEN, np.ones(10, int), chance)


def test_the_labelled_part_of_a_list_stands_for_all_of_it():
    """Four of ten are listed, two of them labelled; then three of the six that were not listed.

    Round 1 has a share of 2/5 at probability 1/5, and is known to round 2 with its list, twice as long: 2 + 6/5.
    Round 2 has a share of 3/5 at 1/2: 6/5.
    """
    rounds = np.array([1, 1, 1, 1, 2, 2, 2, 0, 0, 0])
    labelled, waiting = np.isin(np.arange(10), [0, 1, 4, 5, 6]), np.isin(np.arange(10), [2, 3])
    chance = np.where(rounds == 1, 0.4, np.where(rounds == 2, 0.5, np.nan))
    design = design_of_rounds(labelled, rounds, chance, waiting)
    assert design.weight[labelled] == pytest.approx([3.2, 3.2, 1.2, 1.2, 1.2])
    assert design.weight[labelled].sum() == pytest.approx(10)


def test_a_part_of_the_last_list_is_a_smaller_list():
    """What waits in it changes nothing, as nothing was drawn afterwards."""
    labelled, waiting = np.arange(100) < 6, np.isin(np.arange(100), [6, 7])
    chance = np.where(labelled, np.linspace(0.02, 0.9, 100), np.nan)
    whole, part = (design_of_rounds(labelled, np.ones(100, int), chance, each) for each in (None, waiting))
    assert part.weight[:6] == pytest.approx(whole.weight[:6])
    assert part.open[:6] == pytest.approx(whole.open[:6])


def test_later_draws_beside_a_waiting_list_stay_right_on_average():
    """The mean of 400 estimates is the truth, within four of its standard errors."""
    rng = np.random.default_rng(0)
    scores = np.linspace(0.02, 0.98, 60)
    truth = (rng.random(60) < scores).astype(float)
    estimates = [_two_rounds(scores, truth, rng) for _ in range(400)]
    assert abs(np.mean(estimates) - truth.mean()) < 4 * np.std(estimates) / 20


def _two_rounds(scores, truth, rng):
    """List 24, label 8 of them, list 10 of the rest, label all; then the weighted mean."""
    first = next_labels(scores, 24, rng)
    listed = np.isin(np.arange(60), first.rows)
    second = next_labels(scores, 10, rng, labelled=listed)
    rounds, chance = listed.astype(int), np.full(60, np.nan)
    rounds[second.rows] = 2
    chance[first.rows], chance[second.rows] = first.probability, second.probability
    labelled = np.isin(np.arange(60), np.r_[first.rows[:8], second.rows])
    weight = design_of_rounds(labelled, rounds, chance, listed & ~labelled).weight[labelled]
    return weight @ truth[labelled] / weight.sum()


def test_rounds_that_come_to_an_end_leave_nothing_open():
    """With a label for every answer the accuracy is their mean, and its interval has no width."""
    rng = np.random.default_rng(5)
    scores, labels = rng.random(30), (np.arange(30) % 3 > 0).astype(float)
    shown, rounds, chance = np.zeros(30, bool), np.zeros(30, int), np.full(30, np.nan)
    for number in (1, 2, 3):
        chosen = next_labels(scores, 10, rng, labelled=shown, labels=np.where(shown, labels, np.nan))
        rounds[chosen.rows], chance[chosen.rows] = number, chosen.probability
        shown[chosen.rows] = True
    found = ppi_accuracy(scores, labels, design=design_of_rounds(shown, rounds, chance))
    assert (found.low, found.estimate, found.high) == pytest.approx([2 / 3] * 3)
