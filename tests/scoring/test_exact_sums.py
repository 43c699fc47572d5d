"""Sums that do not depend on the order of addition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.scoring.aggregates.exact_sums import add_exactly, empty_sums, merge_exactly, rounded_sums

numbers = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=60)


def total(values):
    sums = empty_sums(1, 1)
    add_exactly(sums, np.zeros(len(values), np.int64), np.array(values, np.float64).reshape(-1, 1))
    return sums


@given(numbers, st.randoms())
def test_order_does_not_matter(values, random):
    """The same numbers in another order have the same sum, to the last bit."""
    mixed = random.sample(values, len(values))
    assert rounded_sums(total(values)).tolist() == rounded_sums(total(mixed)).tolist()


@given(numbers, st.integers(0, 60))
def test_parts_merge_to_the_whole(values, place):
    """Sums of parts merge to the sum of all, to the last bit."""
    merged = merge_exactly(total(values[:place]), total(values[place:]))
    assert rounded_sums(merged).tolist() == rounded_sums(total(values)).tolist()


def test_sum_is_the_nearest_number():
    """The sum of 10,000 thirds is as near to the true sum as a number can be."""
    values = [1 / 3] * 10_000
    exact = sum(map(Fraction, values))
    assert float(rounded_sums(total(values))[0, 0]) == float(exact)


def test_large_numbers_are_added_as_they_are():
    """Numbers of any size give no overflow."""
    assert rounded_sums(total([1e300, 2.5]))[0, 0] == pytest.approx(1e300)
