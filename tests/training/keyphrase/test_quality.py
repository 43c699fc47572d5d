import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from qassay.training.keyphrase.quality import average_precision, quality


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=12, unique_by=lambda pair: pair[0]))
def test_average_precision_is_scikit_learns(pairs):
    """Oracle: scikit-learn, where no two scores tie; with nothing relevant it is 0 here."""
    scores, relevant = np.array([score for score, _ in pairs]), np.array([mark for _, mark in pairs])

    found = average_precision(scores, relevant)

    assert found == pytest.approx(average_precision_score(relevant, scores) if relevant.any() else 0.0)


def test_two_class_pieces_are_key_above_one_half():
    """Counted by hand: two called key, one of them rightly, two marked: F1 = 2·1/(2+2)."""
    logits, marked = [np.array([2.0, 1.0, -1.0])], [np.array([0.5, 0.0, 0.5])]

    assert quality(0.0, logits, marked, "two-class").token_f1 == 0.5


def test_listed_pieces_are_key_from_half_the_largest_weight():
    """Counted by hand: the first two weights are 1 and e^-0.5 of the largest, the third e^-1: two called key."""
    logits, marked = [np.array([2.0, 1.5, 1.0])], [np.array([0.5, 0.5, 0.0])]

    assert quality(0.0, logits, marked, "list").token_f1 == 1.0
