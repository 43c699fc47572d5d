"""Numbering and finding keys by hashing is what dictionaries do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.tokenisers.factorize import _MULTIPLIER, find_keys, number_keys

few = st.lists(st.integers(0, 5), max_size=40)
many = st.lists(st.integers(0, 2**62), max_size=40)
columns = (few | many).flatmap(
    lambda left: st.tuples(st.just(left), st.lists(st.integers(0, 2), min_size=len(left), max_size=len(left)))
)


def by_dictionary(rows):
    known = {}
    return [known.setdefault(row, len(known)) for row in rows]


@given(few | many)
def test_numbers(keys):
    """Equal keys have the same number, in the order in which they first come."""
    assert number_keys(np.array(keys, np.int64)).number.tolist() == by_dictionary(keys)


@given(columns)
def test_numbers_of_several_columns(drawn):
    """Rows are equal when all their columns are."""
    arrays = [np.array(column, np.int64) for column in drawn]
    assert number_keys(*arrays).number.tolist() == by_dictionary(list(zip(*drawn, strict=True)))


@given(few | many)
def test_first_places(keys):
    """Each number's first place is known."""
    found = number_keys(np.array(keys, np.int64)).first.tolist()
    assert found == [keys.index(key) for key in dict.fromkeys(keys)]


@given(few | many, st.sets(st.integers(0, 5)) | st.sets(st.integers(0, 2**62)))
def test_find(needles, keys):
    """Needles are found where they are."""
    places = list(keys)
    hit, place = find_keys(np.array(needles, np.int64), np.array(places, np.int64))
    assert hit.tolist() == [needle in keys for needle in needles]
    assert place.tolist() == [places.index(needle) for needle in needles if needle in keys]


# multiples of the multiplier's inverse: products are 0 to 15, whose highest bits, and so their slots, are the same
INVERSE = pow(int(_MULTIPLIER), -1, 1 << 64)
CROWD = np.array([i * INVERSE % (1 << 64) for i in range(16)], np.uint64).view(np.int64)


@pytest.mark.parametrize("size", [1, 3, 16])
def test_crowded_slots(size):
    """Keys that want the same slot are told apart."""
    keys = np.random.default_rng(size).permutation(np.repeat(CROWD[:size], 3))
    assert number_keys(keys).number.tolist() == by_dictionary(keys.tolist())


def test_find_in_crowded_slots():
    """And each of them is found."""
    order = np.random.default_rng(0).permutation(16)
    hit, place = find_keys(CROWD + np.array([0, 1] * 8), CROWD[order])
    assert hit.tolist() == [True, False] * 8
    assert order[place].tolist() == list(range(0, 16, 2))


@pytest.mark.parametrize("size", [10_000, 100_000])
def test_large(size):
    """Many random keys are numbered exactly."""
    rng = np.random.default_rng(size)
    keys = rng.integers(0, size, size)
    number, first = number_keys(keys)
    np.testing.assert_array_equal(keys[first][number], keys)
    assert len(first) == len(np.unique(keys))
    needles = rng.integers(0, 2 * size, size)
    hit, place = find_keys(needles, keys[first])
    np.testing.assert_array_equal(hit, np.isin(needles, keys))
    np.testing.assert_array_equal(keys[first][place], needles[hit])
