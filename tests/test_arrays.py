"""What many modules do with arrays."""

import numpy as np

from qassay.arrays import cut_rows, lengths_of


def test_rows_are_cut_by_their_lengths():
    """A row may be empty, wherever it stands; rows that were joined come back."""
    rows = [np.zeros(0), np.array([1.0, 2.0]), np.zeros(0), np.array([3.0]), np.zeros(0)]
    found = cut_rows(np.concatenate(rows), lengths_of(rows))
    assert [row.tolist() for row in found] == [[], [1.0, 2.0], [], [3.0], []]


def test_no_rows():
    """Nothing is cut into nothing."""
    assert cut_rows(np.zeros(0), lengths_of([])) == []
