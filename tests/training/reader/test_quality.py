import numpy as np
import pytest

from qassay.meta.accuracy.classification import calibrate
from qassay.models.onnx.reader import Answer
from qassay.training.reader.quality import MeasuredAnswers
from qassay.training.reader.rows import ReaderRow

_PASSAGE = "Paris is the capital of France."


def _row(*spans):
    return ReaderRow("what?", _PASSAGE, spans, "test", "group")


_ROWS = [_row((0, 5)), _row((13, 30)), _row(), _row()]
# Answers: right; half of "capital of France" (F1 of 1 token in 3: 2 * 1 * 1/3 / (1 + 1/3) = .5); two on nothing.
_ANSWERS = [
    Answer("Paris", 0, 5, 0.1),
    Answer("capital", 13, 20, 0.4),
    Answer("France", 24, 30, 0.6),
    Answer("Paris", 0, 5, 0.2),
]


def test_saying_nothing_is_right_where_there_is_no_answer():
    """As SQuAD 2.0's own script counts."""
    found = MeasuredAnswers.of(_ANSWERS, _ROWS).at(0.5)
    assert (found.n, found.answered) == (4, 2)
    assert found.exact_match == pytest.approx((1 + 0 + 1 + 0) / 4)
    assert found.f1 == pytest.approx((1 + 0.5 + 1 + 0) / 4)
    assert (found.no_answer, found.is_answered) == (0.5, 0.75)


def test_a_question_left_unanswered_scores_nothing_where_there_is_an_answer():
    """The forced figure shows what the spans are worth."""
    found = MeasuredAnswers.of(_ANSWERS, _ROWS).at(0.0)
    assert (found.answered_f1, found.forced_f1, found.no_answer) == (0.0, 0.75, 1.0)


def test_the_best_threshold_is_the_best_of_all():
    """No other gives a higher F1."""
    measured = MeasuredAnswers.of(_ANSWERS, _ROWS)
    best = measured.at(measured.best_threshold()).f1
    assert best == pytest.approx(max(measured.at(threshold).f1 for threshold in np.linspace(0, 1, 101)))


def test_rows_without_any_answer_can_be_measured():
    """There is nothing to compare, and nothing to divide by."""
    found = MeasuredAnswers.of(_ANSWERS[2:], _ROWS[2:]).at(0.5)
    assert found.f1 == 0.5
    assert np.isnan(found.answered_f1)


def test_calibrated_probabilities_say_how_often_there_is_an_answer():
    """Odds that claim three times too much are cut to what holds, and keep their order."""
    rng = np.random.default_rng(0)
    true = rng.normal(0.5, 2, 20_000)
    answerable = rng.random(len(true)) < 1 / (1 + np.exp(-true))
    boastful = MeasuredAnswers(1 / (1 + np.exp(3 * true - 1)), np.zeros(len(true)), np.zeros(len(true)), answerable)
    scale, shift = boastful.calibration()
    assert (scale, shift) == pytest.approx((1 / 3, 1 / 3), abs=0.03)
    calibrated = boastful.calibrated(scale, shift)
    assert calibrate(1 - calibrated.none, answerable.astype(float)).error < 0.02
    assert calibrate(1 - boastful.none, answerable.astype(float)).error > 0.1
    assert (np.argsort(calibrated.none) == np.argsort(boastful.none)).all()


@pytest.mark.parametrize("chosen", [slice(0, 2), slice(2, 4)])
def test_questions_of_one_kind_calibrate_nothing(chosen):
    """Where all have an answer, or none has, probabilities stay as they are."""
    assert MeasuredAnswers.of(_ANSWERS[chosen], _ROWS[chosen]).calibration() == (1.0, 0.0)


def test_odds_that_point_the_wrong_way_calibrate_nothing():
    """Turned round they would answer just where there is no answer."""
    wrong = MeasuredAnswers(
        np.array([0.9, 0.8, 0.6, 0.1, 0.3, 0.7]), np.zeros(6), np.zeros(6), np.array([1, 1, 1, 0, 0, 0]) == 1
    )
    assert wrong.calibration() == (1.0, 0.0)


def test_a_probability_of_nought_or_one_has_finite_odds():
    """A reader may be as sure as floating point allows."""
    sure = MeasuredAnswers(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2), np.array([True, False]))
    assert np.isfinite(sure.odds).all()
    assert sure.odds[0] > 30 > -30 > sure.odds[1]


def test_a_few_rows_make_nothing_certain():
    """Four questions that the odds part without error might be chance."""
    parted = MeasuredAnswers(
        np.array([0.0, 0.499, 0.501, 1.0]), np.zeros(4), np.zeros(4), np.array([True, True, False, False])
    )
    scale, shift = parted.calibration()
    assert 0 < scale < 1
    assert (np.abs(parted.calibrated(scale, shift).none - 0.5) < 0.5).all()
