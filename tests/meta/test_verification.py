import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.verdict_quality import MAJORITY, are_verdicts, score_distributions, verification_quality

TRUTH = [1, 1, 1, 0, 0, 1]
SCORES = {
    "good": np.array([0.9, 0.8, 0.7, 0.1, 0.2, 0.9]),
    "poor": np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
}


def _quality(scores=SCORES, truth=TRUTH, **options):
    return verification_quality(scores, truth, np.random.default_rng(1), **options)


def test_accuracy_is_that_of_the_best_threshold_and_the_error_that_of_the_scores():
    """Deutsch and Roth (2022), section 4.1; the numbers are counted by hand."""
    rows, _ = _quality()
    found = {row.method: (row.accuracy, round(row.mse, 4)) for row in rows}
    # good: squared errors .01 .04 .09 .01 .04 .01; poor: calling everything right is right four times of six
    assert found == {
        MAJORITY: (4 / 6, round(2 / 6, 4)),
        "good": (1.0, round(0.2 / 6, 4)),
        "poor": (4 / 6, round(4 / 6, 4)),
    }


def test_a_method_far_behind_is_not_tied_with_the_best():
    """Forty pairs, all right against one half: the permutation test tells them apart."""
    truth = [1, 0] * 20
    scores = {"right": np.array(truth, float), "constant": np.full(40, 0.5)}
    rows, leads = _quality(scores, truth)
    tied = {row.method: (row.accuracy_tied, row.mse_tied) for row in rows}
    assert tied == {MAJORITY: (False, False), "right": (False, False), "constant": (False, False)}
    lead = next(each for each in leads if {each.a, each.b} == {"right", "constant"})
    assert (lead.a, lead.accuracy, lead.mse) == ("right", 0.5, 0.25)
    assert lead.accuracy_p < 0.001


def test_pairs_without_a_score_or_a_verdict_are_left_out():
    """All methods are held against the same pairs."""
    scores = {"a": np.array([0.9, np.nan, 0.1, 0.4]), "b": np.array([0.9, 0.1, 0.1, 0.4])}
    rows, _ = _quality(scores, [1, 1, 0, None])
    assert {row.n for row in rows} == {2}


def test_nothing_to_compare_is_an_error():
    """It says what a verdict is."""
    with pytest.raises(DataError, match="1 for the same meaning"):
        _quality({"a": np.array([np.nan])}, [1])


@pytest.mark.parametrize(
    ("judgements", "expected"), [([1, 0, None], True), ([1.0, 0.5], False), ([4, 5], False), ([None], False)]
)
def test_verdicts_are_told_from_ratings(judgements, expected):
    """Only 0 and 1 can be classified."""
    assert are_verdicts(judgements) == expected


def test_scores_are_counted_by_verdict():
    """Tenths from 0 to 1; what lies beyond belongs to the outer ones, and what is unknown to none."""
    scores = {"a": np.array([-0.2, 0.05, 0.95, 1.4, 0.5, np.nan])}

    (found,) = score_distributions(scores, [1, 0, 1, 1, None, 0])

    assert found.same == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    assert found.different == (1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert found.to_dict() == {"method": "a", "same": list(found.same), "different": list(found.different)}
