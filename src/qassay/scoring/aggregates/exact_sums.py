"""Sums of statistics that do not depend on the order of addition, so that shards add up to the whole exactly.

Each number is cut into two: a multiple of 2^-20, and the rest, rounded to a multiple of 2^-62. Sums of either are exact
in floating point as long as they are carried over in time (Demmel and Nguyen 2015 cut likewise). Numbers beyond 2^32
are added as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qassay.arrays import Floats, Ints

_COARSE, _FINE, _LARGE = 2.0**20, 2.0**62, 2.0**32
_AT_ONCE = 2048
"""So many fine parts add up without rounding before they are carried over."""


def empty_sums(rows: int, width: int) -> Floats:
    """Return sums of nothing: for each row, the coarse parts of all statistics and then their fine parts."""
    return np.zeros((rows, 2 * width))


def add_exactly(sums: Floats, row: Ints, stats: Floats) -> None:
    """Add each row of statistics to a row of the sums."""
    width = stats.shape[1]
    with np.errstate(over="ignore"):
        coarse = np.where(np.abs(stats) < _LARGE, np.rint(stats * _COARSE) / _COARSE, stats)
    parts = np.concatenate([coarse, np.rint((stats - coarse) * _FINE) / _FINE], axis=1)
    flat = sums.reshape(-1)
    columns = np.arange(2 * width)
    for start in range(0, len(row), _AT_ONCE):
        places = row[start : start + _AT_ONCE, None] * (2 * width) + columns
        np.add.at(flat, places.ravel(), parts[start : start + _AT_ONCE].ravel())
        _carry(sums, width)


def merge_exactly(sums: Floats, other: Floats) -> Floats:
    """Return the sum of two sums of equal shape."""
    total = sums + other
    _carry(total, total.shape[1] // 2)
    return total


def rounded_sums(sums: Floats) -> Floats:
    """Return the sums as plain numbers."""
    width = sums.shape[1] // 2
    return sums[:, :width] + sums[:, width:]


def _carry(sums: Floats, width: int) -> None:
    carried = np.rint(sums[:, width:] * _COARSE) / _COARSE
    sums[:, :width] += carried
    sums[:, width:] -= carried
