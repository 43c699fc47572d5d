import numpy as np
import pytest
from scipy import stats

from qassay.meta.correlation.disagreement import largest_disagreements
from qassay.meta.statistics.panel import Panel


def panel(judgement, score):
    return Panel.build(judgement, {"a": score})


def test_the_answer_ranked_farthest_from_people_comes_first():
    """Last by people and first by the metric is the largest gap; it is overrated."""
    found = largest_disagreements(panel([1, 2, 3, 4, 5], [9, 2, 3, 4, 1]), "a")
    assert [(each.row, each.judgement, each.score) for each in found[:2]] == [(0, 1, 9), (4, 5, 1)]
    assert found[0].gap == pytest.approx(0.8)
    assert found[1].gap == pytest.approx(-0.8)


def test_gaps_are_differences_of_scipys_ranks():
    """Ties share their mean rank, and the farthest come first."""
    rng = np.random.default_rng(3)
    judgement, score = rng.integers(1, 6, 200).astype(float), np.round(rng.random(200), 1)
    gaps = (stats.rankdata(score) - stats.rankdata(judgement)) / 200
    found = largest_disagreements(panel(judgement, score), "a", most=200)
    assert [each.gap for each in found] == pytest.approx([gaps[each.row] for each in found])
    sizes = np.abs([each.gap for each in found])
    assert sizes.tolist() == pytest.approx(sorted(sizes, reverse=True))


def test_answers_on_which_both_say_the_same_are_not_listed():
    """Right or wrong by both: of a hundred answers three differ, though unlike shares of ties set all ranks apart."""
    judgement, score = np.repeat([0.0, 1.0], [24, 76]), np.repeat([0.0, 1.0], [21, 79])
    found = largest_disagreements(panel(judgement, score), "a")
    assert [(each.row, each.judgement, each.score) for each in found] == [(21, 0, 1), (22, 0, 1), (23, 0, 1)]


def test_opposite_ends_differ_however_many_are_tied():
    """People find one answer wrong, the metric most of them: those it calls wrong alone are still its mistakes."""
    found = largest_disagreements(panel([0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]), "a")
    assert [each.row for each in found] == [1, 2, 3]


def test_a_rank_within_the_ties_of_people_agrees():
    """Nine right answers of ten: the metric's order among them contradicts nobody, and its best is not overrated."""
    found = largest_disagreements(panel([1, 1, 1, 1, 0, 1, 1, 1, 1, 1], np.arange(10.0)), "a")
    assert [(each.row, each.gap > 0) for each in found] == [(0, False), (4, True)]


@pytest.mark.parametrize("constant", ["judgement", "score"])
def test_where_one_side_tells_no_answers_apart_none_is_wrong(constant):
    """A constant agrees with any order."""
    values = {"judgement": [1.0, 2.0, 3.0], "score": [1.0, 2.0, 3.0]} | {constant: [5.0, 5.0, 5.0]}
    assert largest_disagreements(panel(**values), "a") == []


def test_a_place_tells_those_below_from_those_level():
    """Of ten answers two are judged 1, three 2 and five 3, counted by hand."""
    judgement = np.repeat([1.0, 2.0, 3.0], [2, 3, 5])
    first = largest_disagreements(panel(judgement, -judgement), "a")[0]
    assert (first.judged.above, first.judged.level) == pytest.approx((0, 0.1))
    assert (first.scored.above, first.scored.level) == pytest.approx((0.8, 0.1))


def test_missing_scores_and_judgements_are_no_disagreement():
    """Only answers that have both are ranked."""
    found = largest_disagreements(panel([1, np.nan, 3, 4], [4, 2, np.nan, 1]), "a")
    assert {each.row for each in found} == {0, 3}


def test_nothing_to_rank_gives_nothing():
    """No complete pair, no disagreement."""
    assert largest_disagreements(panel([np.nan, 1], [1, np.nan]), "a") == []


def test_no_more_are_given_than_asked_for():
    """The first three of many."""
    assert len(largest_disagreements(panel(np.arange(50.0), np.arange(50.0)[::-1]), "a", most=3)) == 3
