import numpy as np
import pytest
from scipy import stats

from qassay.meta.disagreement import largest_disagreements
from qassay.meta.panel import Panel


def panel(judgement, score):
    return Panel.build(judgement, {"a": score})


def test_the_answer_ranked_farthest_from_people_comes_first():
    """Last by people and first by the metric is the largest gap; it is overrated."""
    found = largest_disagreements(panel([1, 2, 3, 4, 5], [9, 2, 3, 4, 1]), "a")
    assert [(each.row, each.judgement, each.score) for each in found[:2]] == [(0, 1, 9), (4, 5, 1)]
    assert found[0].gap == pytest.approx(0.8)
    assert found[1].gap == pytest.approx(-0.8)


def test_gaps_are_differences_of_scipys_ranks():
    """Ties share their mean rank."""
    rng = np.random.default_rng(3)
    judgement, score = rng.integers(1, 6, 200).astype(float), np.round(rng.random(200), 1)
    gaps = (stats.rankdata(score) - stats.rankdata(judgement)) / 200
    found = largest_disagreements(panel(judgement, score), "a", most=200)
    assert [each.gap for each in found] == pytest.approx([gaps[each.row] for each in found])
    assert np.abs([each.gap for each in found]).tolist() == pytest.approx(sorted(np.abs(gaps), reverse=True))


def test_missing_scores_and_judgements_are_no_disagreement():
    """Only answers that have both are ranked."""
    found = largest_disagreements(panel([1, np.nan, 3, 4], [1, 2, np.nan, 4]), "a")
    assert {each.row for each in found} == {0, 3}


def test_nothing_to_rank_gives_nothing():
    """No complete pair, no disagreement."""
    assert largest_disagreements(panel([np.nan, 1], [1, np.nan]), "a") == []


def test_no_more_are_given_than_asked_for():
    """The first three of many."""
    assert len(largest_disagreements(panel(np.arange(50.0), np.arange(50.0)[::-1]), "a", most=3)) == 3
