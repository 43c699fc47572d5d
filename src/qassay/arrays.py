"""The array types that the whole project speaks of."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def summed(index: Ints, weights: Floats | Ints, size: int) -> Floats:
    """Add up the weights of each index from 0 to `size`."""
    return np.asarray(np.bincount(index, weights, size), np.float64)
