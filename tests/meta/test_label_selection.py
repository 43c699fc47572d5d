import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.meta.accuracy.label_selection import next_labels

PROBABILITIES = np.array([0.0, 0.02, 0.1, 0.3, 0.5, 0.5, 0.7, 0.9, 0.99, 1.0])


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.integers(1, 80),
    st.integers(0, 1000),
)
def test_as_many_as_asked_are_drawn_and_none_twice(probabilities, n, seed):
    """Or all there are, when they are fewer."""
    chosen = next_labels(probabilities, n, np.random.default_rng(seed))
    assert len(chosen.rows) == len(set(chosen.rows.tolist())) == min(n, len(probabilities))
    assert ((chosen.probability > 0) & (chosen.probability <= 1)).all()


def test_the_stated_probability_is_how_often_an_answer_is_drawn():
    """Counted over 4,000 draws; the standard error is at most 0.008."""
    rng = np.random.default_rng(1)
    drawn, stated = np.zeros(10), np.zeros(10)

    def draw():
        chosen = next_labels(PROBABILITIES, 3, rng)
        drawn[chosen.rows] += 1
        stated[chosen.rows] = chosen.probability

    [draw() for _ in range(4000)]
    assert drawn / 4000 == pytest.approx(stated, abs=0.03)
    assert stated.sum() == pytest.approx(3)


def test_unsure_answers_are_drawn_more_often():
    """One half is the least sure; no answer is left out, and none weighs more than thrice the usual."""
    chosen = next_labels(np.tile(PROBABILITIES, 100), 1000, np.random.default_rng(2))
    assert len(chosen.rows) == 1000
    few = next_labels(np.tile(PROBABILITIES, 100), 100, np.random.default_rng(2))
    by_probability = dict(zip(np.tile(PROBABILITIES, 100)[few.rows], few.probability, strict=True))
    assert by_probability[0.5] > 1.5 * by_probability[1.0]
    assert min(by_probability.values()) > 0.1 / 3


def test_labelled_and_unscored_answers_are_not_drawn():
    """The rest is drawn whole when as many are asked for."""
    probabilities = np.where(np.arange(10) == 3, np.nan, PROBABILITIES)
    chosen = next_labels(probabilities, 10, np.random.default_rng(3), labelled=np.arange(10) < 3)
    assert sorted(chosen.rows.tolist()) == [4, 5, 6, 7, 8, 9]


def test_systems_share_the_labels_by_their_doubt():
    """Of two systems of equal size, the one the judge is sure of gets fewer, and still a third of its share."""
    probabilities = np.r_[np.full(500, 0.5), np.full(500, 1.0)]
    system = ["unsure"] * 500 + ["sure"] * 500
    chosen = next_labels(probabilities, 100, np.random.default_rng(4), system=system)
    sure = int((chosen.rows >= 500).sum())
    assert 100 / 6 < sure < 35


def test_a_small_system_is_not_forgotten():
    """A system of 50 answers beside one of 5,000 gets as many labels when the judge knows both as well."""
    system = ["small"] * 50 + ["large"] * 5000
    chosen = next_labels(np.full(5050, 0.8), 40, np.random.default_rng(5), system=system)
    assert int((chosen.rows < 50).sum()) == 20


def test_rows_come_in_random_order():
    """So that labelling only the beginning of the list is a random part of it."""
    chosen = next_labels(np.full(1000, 0.5), 200, np.random.default_rng(6), system=["a"] * 500 + ["b"] * 500)
    first = (chosen.rows[:100] < 500).sum()
    assert 35 < first < 65


@pytest.mark.parametrize(
    ("probabilities", "n", "options", "message"),
    [
        ([0.5], 0, {}, "at least one"),
        ([0.5], 1, {"labelled": np.array([True])}, "nothing left to label"),
        ([1.5], 1, {}, "not between 0 and 1"),
        ([0.5], 1, {"uniform": 0}, "more than 0"),
    ],
)
def test_impossible_wishes_are_refused(probabilities, n, options, message):
    """With what to do."""
    with pytest.raises(DataError, match=message):
        next_labels(probabilities, n, np.random.default_rng(0), **options)


def test_labels_show_where_a_judge_errs():
    """A judge that is surest where it errs most is drawn from there, as far as labels have shown it."""
    rng = np.random.default_rng(8)
    scores = np.where(np.arange(2000) < 1000, 0.97, 0.4)
    truth = np.where(scores > 0.5, rng.random(2000) < 0.5, 0.0)
    labels = np.where(rng.random(2000) < 0.1, truth, np.nan)
    known = ~np.isnan(labels)
    before = next_labels(scores, 200, np.random.default_rng(9), labelled=known)
    after = next_labels(scores, 200, np.random.default_rng(9), labelled=known, labels=labels)
    assert (scores[before.rows] > 0.5).mean() < 0.4
    assert (scores[after.rows] > 0.5).mean() > 0.6


def test_few_or_equal_labels_leave_every_answer_a_chance():
    """Nine labels change nothing; labels that all agree leave probabilities above zero."""
    scores = np.linspace(0.01, 0.99, 100)
    few = np.where(np.arange(100) < 9, 1.0, np.nan)
    equal = np.where(np.arange(100) % 4 == 0, 1.0, np.nan)
    plain = next_labels(scores, 20, np.random.default_rng(1), labelled=~np.isnan(few))
    with_few = next_labels(scores, 20, np.random.default_rng(1), labelled=~np.isnan(few), labels=few)
    assert np.array_equal(plain.probability, with_few.probability)
    drawn = next_labels(scores, 20, np.random.default_rng(1), labelled=~np.isnan(equal), labels=equal)
    assert len(drawn.rows) == 20
    assert (drawn.probability > 0.1).all()


def test_a_uniform_draw_ignores_labels():
    """Who asks for equal probabilities gets them."""
    labels = np.where(np.arange(100) < 50, np.arange(100) % 2, np.nan)
    drawn = next_labels(
        np.linspace(0, 1, 100), 10, np.random.default_rng(1), labelled=~np.isnan(labels), labels=labels, uniform=1.0
    )
    assert drawn.probability == pytest.approx(0.2)
