"""The array types that the whole project speaks of."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_Number = TypeVar("_Number", bound=np.generic)


def real_numbers(given: object) -> Floats | None:
    """Return what a registered method gave as an array, or `None` where it is no array of real numbers."""
    try:
        found = np.asarray(given)
    except (TypeError, ValueError):
        return None
    return found.astype(np.float64, copy=False) if found.dtype.kind in "biuf" or not found.size else None


def summed(index: Ints, weights: Floats | Ints, size: int) -> Floats:
    """Add up the weights of each index from 0 to `size`."""
    return np.asarray(np.bincount(index, weights, size), np.float64)


def lengths_of(rows: Sequence[Sequence[Any] | NDArray[Any]]) -> Ints:
    """Return the length of each row."""
    return np.fromiter(map(len, rows), np.int64, len(rows))


def cut_rows(flat: NDArray[_Number], lengths: Ints) -> list[NDArray[_Number]]:
    """Cut an array into rows of the given lengths, one behind the other, which are views of it."""
    return [flat[start:end] for start, end in pairwise([0, *np.cumsum(lengths).tolist()])]
