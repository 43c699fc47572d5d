import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.system_wise import Measure, RankedAnswers, evaluate_systems, tune_threshold

# Two systems rank the same three sentences for each of two questions; the third question has no right sentence.
SENTENCES = {("q1", "a"): 1, ("q1", "b"): 0, ("q1", "c"): 1, ("q2", "a"): 0, ("q2", "b"): 1, ("q2", "c"): 0}
JUDGED = {("q1", "a"): 0.9, ("q1", "b"): 0.6, ("q1", "c"): 0.2, ("q2", "a"): 0.1, ("q2", "b"): 0.8, ("q2", "c"): 0.3}
ORDERS = {"good": {"q1": "acb", "q2": "bac"}, "bad": {"q1": "bac", "q2": "acb"}}
ROWS = [
    (system, question, -place, JUDGED[question, sentence], SENTENCES[question, sentence])
    for system, order in ORDERS.items()
    for question, sentences in order.items()
    for place, sentence in enumerate(sentences, 1)
]


def ranked(rows):
    return RankedAnswers.build(*map(list, zip(*rows, strict=True)))


def test_measures_by_people_and_by_judge():
    """Worked by hand: by people "good" ranks 1, 1, 0 and 1, 0, 0; by the judge at 0.5 it ranks 1, 0, 1 and 1, 0, 0."""
    result = evaluate_systems(ranked(ROWS), 0.5)
    assert result.systems == ("good", "bad")
    assert result.true[Measure.P_AT_1] == (1.0, 0.0)
    assert result.true[Measure.MAP] == pytest.approx((1.0, ((1 / 2 + 2 / 3) / 2 + 1 / 3) / 2))
    assert result.true[Measure.MRR] == pytest.approx((1.0, (1 / 2 + 1 / 3) / 2))
    assert result.by_judge[Measure.P_AT_1] == (1.0, 0.5)
    assert result.by_judge[Measure.MAP] == pytest.approx((((1 + 2 / 3) / 2 + 1) / 2, (1.0 + 1 / 3) / 2))
    assert result.by_judge[Measure.MRR] == pytest.approx((1.0, (1 + 1 / 3) / 2))


def test_agreement_over_systems():
    """P@1 is off by 0 and by one half: RMSE sqrt(1/8), deviation of the errors 1/4; two systems are no ranking."""
    agreement = evaluate_systems(ranked(ROWS), 0.5).agreement[Measure.P_AT_1]
    assert agreement.rmse == pytest.approx(np.sqrt(1 / 8))
    assert agreement.sigma == pytest.approx(0.25)
    assert agreement.kendall is None
    assert agreement.reason


def test_questions_that_tell_nothing_are_left_out():
    """All wrong, or all right: Vu and Moschitti 2021 removes them."""
    none = [
        ("good", "q3", -1, 0.9, 0),
        ("good", "q3", -2, 0.8, 0),
        ("bad", "q3", -1, 0.9, 0),
        ("bad", "q3", -2, 0.8, 0),
    ]
    result = evaluate_systems(ranked(ROWS + none), 0.5)
    assert (result.questions, result.left_out) == (2, 1)
    assert result.true == evaluate_systems(ranked(ROWS), 0.5).true


def test_a_question_in_which_the_judge_sees_nothing_right_counts_zero():
    """With a threshold above all scores every measure is 0, not missing."""
    result = evaluate_systems(ranked(ROWS), 0.95)
    assert result.by_judge[Measure.MAP] == (0.0, 0.0)


def test_single_answers_are_not_left_out():
    """Where a system gives one answer a question, P@1 is its accuracy and all questions count."""
    rows = [
        ("A", f"q{i}", 0.0, score, right) for i, (score, right) in enumerate([(0.9, 1), (0.2, 0), (0.8, 0), (0.4, 1)])
    ]
    result = evaluate_systems(ranked(rows), 0.5)
    assert (result.true[Measure.P_AT_1], result.by_judge[Measure.P_AT_1]) == ((0.5,), (0.5,))
    assert result.left_out == 0


def test_the_tuned_threshold_brings_the_first_answers_closest():
    """Good is right twice and bad never: only above 0.6 and up to 0.8 are the judge's first answers just so."""
    threshold = tune_threshold(ranked(ROWS))
    assert 0.6 < threshold <= 0.8
    assert evaluate_systems(ranked(ROWS), threshold).agreement[Measure.P_AT_1].rmse == 0


def test_answers_without_score_or_label_are_counted():
    """Missing is not wrong."""
    rows = [*ROWS, ("good", "q1", -4, np.nan, 1), ("good", "q1", -5, 0.5, np.nan)]
    assert evaluate_systems(ranked(rows), 0.5).missing == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["A"], ["q"], None, [0.5], [1, 0]), "for every answer"),
        ((["A", "A"], ["q", "q"], None, [0.5, 0.4], [1, 0]), "several answers of one system; give the rank"),
        ((["A"], ["q"], [np.nan], [0.5], [1]), "have no rank"),
    ],
)
def test_bad_columns_are_refused(columns, message):
    """With what to do."""
    with pytest.raises(DataError, match=message):
        RankedAnswers.build(*columns)


def test_nothing_judged_is_an_error():
    """There is nothing to compare with."""
    with pytest.raises(DataError, match="both a score and a label"):
        evaluate_systems(RankedAnswers.build(["A"], ["q"], None, [0.5], [np.nan]), 0.5)
