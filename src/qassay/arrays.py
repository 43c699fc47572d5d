"""The array types that the whole project speaks of."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


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
