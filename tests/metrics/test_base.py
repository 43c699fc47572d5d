"""The arithmetic that metrics share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.metrics.base import best, divide, f_measure

shares = st.floats(0, 1)


@pytest.mark.parametrize(("above", "below", "expected"), [(1, 2, 0.5), (1, 0, 7), (0, 0, 7)])
def test_divide(above, below, expected):
    """Nothing is divided by zero."""
    assert divide(np.array(above), np.array(below), empty=7.0) == expected


@given(shares, shares, st.floats(0.01, 100))
def test_f_measure_is_a_mean(precision, recall, beta):
    """F lies between precision and recall."""
    found = float(f_measure(np.array(precision), np.array(recall), beta))
    assert min(precision, recall) - 1e-9 <= found <= max(precision, recall) + 1e-9


@given(shares)
def test_f_measure_of_equals(share):
    """F of equal precision and recall is that share."""
    assert float(f_measure(np.array(share), np.array(share), 1.2)) == pytest.approx(share)


@given(st.lists(st.lists(shares, max_size=4), min_size=1, max_size=6))
def test_best(groups):
    """The highest value of each example is taken; an example without any has none."""
    values = np.array([value for group in groups for value in group])
    example = np.array([i for i, group in enumerate(groups) for _ in group], np.int64)
    expected = [max(group, default=np.nan) for group in groups]
    np.testing.assert_array_equal(best(values, example, len(groups)), expected)
