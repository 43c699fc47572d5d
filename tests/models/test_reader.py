import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.models.reader import best_span

_SCORE = st.floats(-8, 8, width=32)


def _all_spans(scores, longest):
    pieces = range(len(scores))
    return {(i, j): scores[i, 0] + scores[j, 1] for i in pieces for j in pieces if i <= j < i + longest}


@given(st.lists(st.tuples(_SCORE, _SCORE), min_size=1, max_size=12), _SCORE, st.integers(1, 14))
def test_the_best_span_and_its_probability_are_those_of_all_spans(rows, none, longest):
    """Listing every span one by one gives the same."""
    scores = np.array(rows, np.float32)
    spans = _all_spans(scores.astype(np.float64), longest)
    first, last, lead, probability = best_span(scores, np.array([none, none], np.float32), longest)
    assert spans[first, last] == pytest.approx(max(spans.values()))
    assert lead == pytest.approx(max(spans.values()) - 2 * none, abs=1e-5)
    weights = np.exp(np.array([2 * none, *spans.values()]) - 2 * none)
    assert probability == pytest.approx(1 / weights.sum(), rel=1e-4)


def test_a_span_never_ends_before_it_begins():
    """However high a later start and an earlier end score."""
    scores = np.array([[0.0, 9.0], [0.0, 0.0], [9.0, 1.0]], np.float32)
    assert best_span(scores, np.zeros(2, np.float32), 3)[:2] == (2, 2)


def test_extreme_scores_do_not_overflow():
    """Probabilities stay between 0 and 1."""
    scores = np.array([[3e4, 3e4]], np.float32)
    assert best_span(scores, np.zeros(2, np.float32), 3)[3] == pytest.approx(0, abs=1e-100)
    assert best_span(-scores, np.zeros(2, np.float32), 3)[3] == pytest.approx(1)
