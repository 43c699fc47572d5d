import numpy as np
import pytest

from qassay.models.reader import Answer
from qassay.train.reader_quality import Measured
from qassay.train.reader_rows import ReaderRow

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
    found = Measured.of(_ANSWERS, _ROWS).at(0.5)
    assert (found.n, found.answered) == (4, 2)
    assert found.exact_match == pytest.approx((1 + 0 + 1 + 0) / 4)
    assert found.f1 == pytest.approx((1 + 0.5 + 1 + 0) / 4)
    assert (found.no_answer, found.is_answered) == (0.5, 0.75)


def test_a_question_left_unanswered_scores_nothing_where_there_is_an_answer():
    """The forced figure shows what the spans are worth."""
    found = Measured.of(_ANSWERS, _ROWS).at(0.0)
    assert (found.answered_f1, found.forced_f1, found.no_answer) == (0.0, 0.75, 1.0)


def test_the_best_threshold_is_the_best_of_all():
    """No other gives a higher F1."""
    measured = Measured.of(_ANSWERS, _ROWS)
    best = measured.at(measured.best_threshold()).f1
    assert best == pytest.approx(max(measured.at(threshold).f1 for threshold in np.linspace(0, 1, 101)))


def test_rows_without_any_answer_can_be_measured():
    """There is nothing to compare, and nothing to divide by."""
    found = Measured.of(_ANSWERS[2:], _ROWS[2:]).at(0.5)
    assert found.f1 == 0.5
    assert np.isnan(found.answered_f1)
