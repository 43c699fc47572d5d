import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import calibration, metrics

from qassay.errors import DataError
from qassay.meta.accuracy.classification import ThresholdGoal, auc, best_threshold, calibrate, classify, rate_threshold


def sample(seed, items=300, decimals=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, items)
    return np.clip(labels * 0.3 + rng.random(items) * 0.7, 0, 1).round(decimals), labels


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.7])
def test_decisions_match_scikit_learn(threshold):
    """Accuracy, precision, recall, F1, AUC and MSE are scikit-learn's, with many tied scores."""
    scores, labels = sample(1)
    called = scores >= threshold

    result = classify(scores, labels, threshold)

    wanted = [
        metrics.accuracy_score(labels, called),
        metrics.precision_score(labels, called),
        metrics.recall_score(labels, called),
        metrics.f1_score(labels, called),
        metrics.roc_auc_score(labels, scores),
        metrics.mean_squared_error(labels, scores),
    ]
    got = [result.accuracy, result.precision, result.recall, result.f1, result.auc, result.mse]
    assert got == pytest.approx(wanted, abs=1e-9)
    assert result.undefined == {}


@pytest.mark.parametrize(
    ("scores", "labels", "undefined"),
    [
        ([0.1, 0.2], [1, 0], {"precision": "nothing is called right"}),
        ([0.9, 0.2], [0, 0], {"recall": "nothing is right", "auc": "only one class"}),
        ([0.9, 0.2], [1, 1], {"auc": "only one class"}),
    ],
)
def test_measures_that_do_not_exist_say_why(scores, labels, undefined):
    """None with a reason, never 0 or NaN."""
    result = classify(scores, labels, 0.5)

    assert result.undefined == undefined
    assert all(getattr(result, name) is None for name in undefined)


def test_nothing_to_classify_leaves_everything_undefined():
    """All missing: counted, and no division by zero."""
    result = classify([np.nan, np.nan], [1, 0], 0.5)

    assert (result.n, result.missing, result.accuracy) == (0, 2, None)
    assert result.undefined["accuracy"] == "no items"


def test_missing_items_are_left_out_and_counted():
    """A missing label or score takes the item out of every measure."""
    result = classify([0.9, np.nan, 0.2, 0.8], [1, 1, 0, np.nan], 0.5)

    assert (result.n, result.missing, result.accuracy) == (2, 2, 1.0)


rows = st.lists(st.tuples(st.sampled_from([0, 0.1, 0.1 + 1e-17, 0.5, 0.9]), st.booleans()), min_size=1, max_size=25)


@given(rows)
def test_no_threshold_is_more_accurate_than_the_best(items):
    """Trying every score, and one above all, finds nothing better."""
    scores, labels = (np.array(column, dtype=float) for column in zip(*items, strict=True))

    best = classify(scores, labels, best_threshold(scores, labels)).accuracy

    assert best == max(classify(scores, labels, t).accuracy for t in [*scores, 2.0])


@given(rows)
def test_no_threshold_has_a_higher_f1_than_the_best(items):
    """As for accuracy; without positives every F1 is 0 or undefined."""
    scores, labels = (np.array(column, dtype=float) for column in zip(*items, strict=True))

    best = classify(scores, labels, best_threshold(scores, labels, ThresholdGoal.F1)).f1 or 0.0

    assert best == max(classify(scores, labels, t).f1 or 0.0 for t in [*scores, 2.0])


def test_a_threshold_chosen_on_one_split_is_used_on_another():
    """It lies half-way between the scores that it parts, so it carries over."""
    threshold = best_threshold([0.2, 0.4, 0.8], [0, 0, 1])

    assert threshold == pytest.approx(0.6)
    assert classify([0.55, 0.65], [0, 1], threshold).accuracy == 1


def test_a_threshold_can_make_the_systems_rates_right():
    """Seed 004: the dev threshold makes P@1 by the judge equal P@1 by people, system by system."""
    scores = [0.9, 0.6, 0.3, 0.9, 0.3, 0.2]
    labels = [0, 1, 1, 1, 0, 0]

    threshold = rate_threshold(scores, labels, ["x", "x", "x", "y", "y", "y"])

    assert 0.3 < threshold <= 0.6


def test_auc_counts_ties_half():
    """Two wrong and two right items with one tie between them: (1 + 1 + 1 + 0.5) / 4."""
    assert auc([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1]) == 0.875


def test_the_reliability_curve_matches_scikit_learn():
    """The same bins, edges included, hold the same shares; their mean gap is the calibration error."""
    scores, labels = sample(2, decimals=2)

    result = calibrate(scores, labels)

    true, claimed = calibration.calibration_curve(labels, scores, n_bins=10)
    filled = [each for each in result.bins if each.n]
    np.testing.assert_allclose([each.accuracy for each in filled], true, atol=1e-9)
    np.testing.assert_allclose([each.confidence for each in filled], claimed, atol=1e-9)
    sizes = [each.n for each in filled]
    assert result.error == pytest.approx(np.average(np.abs(true - claimed), weights=sizes), abs=1e-9)


def test_empty_bins_claim_nothing():
    """A bin without scores has no confidence and no accuracy."""
    result = calibrate([0.05, 0.95], [0, 1], bins=2)

    assert [each.n for each in result.bins] == [1, 1]
    assert calibrate([0.9], [1], bins=2).bins[0].confidence is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classify([0.5], [0.5], 0.5), "label 0.5 in row 1 is neither 0 nor 1"),
        (lambda: classify([0.5], [1, 0], 0.5), "1 scores and 2 labels"),
        (lambda: classify([np.inf], [1], 0.5), "scores has 1 infinite values"),
        (lambda: best_threshold([np.nan], [1]), "a threshold needs at least one"),
        (lambda: rate_threshold([np.nan], [1], ["x"]), "a threshold needs at least one"),
        (lambda: calibrate([1.5], [1]), "score 1.5 is no probability"),
    ],
)
def test_bad_input_is_refused(call, message):
    """The message names the value and says what is needed."""
    with pytest.raises(DataError, match=message):
        call()
