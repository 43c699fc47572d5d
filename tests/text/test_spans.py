"""Numbers carried from word pieces to words by character positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.tokenisers.spans import spread


def test_word_takes_the_mean_of_its_pieces_by_characters():
    """A word of two pieces gets their mean, each piece counting by its letters."""
    pieces = np.array([[0, 2], [2, 6]])  # "un" + "done"
    words = np.array([[0, 6]])
    assert spread(pieces, np.array([0.0, 0.9]), words) == pytest.approx([0.6])


def test_uncovered_word_weighs_nothing():
    """What no piece covers gets 0."""
    assert spread(np.array([[0, 2]]), np.array([1.0]), np.array([[5, 7]])).tolist() == [0.0]


def test_empty_spans_carry_nothing():
    """Special tokens have empty spans and change nothing."""
    pieces = np.array([[0, 0], [0, 3], [3, 3]])
    assert spread(pieces, np.array([9.0, 0.5, 9.0]), np.array([[0, 3]])) == pytest.approx([0.5])


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2), st.floats(0, 1)), min_size=1, max_size=12))
def test_same_cutting_keeps_every_value(parts):
    """Spread onto the spans themselves, every value comes back."""
    spans, position = [], 0
    for length, gap, _ in parts:
        spans.append([position + gap, position + gap + length])
        position += gap + length
    values = np.array([value for *_, value in parts])
    assert spread(np.array(spans), values, np.array(spans)) == pytest.approx(values, abs=1e-9)
