"""Projecting values from one tokenisation of a text to another, by the characters that the tokens cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from qassay.arrays import Floats, Ints


def spread(spans: Ints, values: Floats, targets: Ints) -> Floats:
    """Return for each target span the mean of the values on its characters; 0 where no span covers any of them.

    `spans` and `targets` are (count, 2) arrays of start and end positions in the same text; `spans` are in order
    and do not overlap.
    """
    filled = spans[:, 1] > spans[:, 0]
    starts, ends = spans[filled].T
    first = np.searchsorted(ends, targets[:, 0], side="right")
    counts = np.maximum(np.searchsorted(starts, targets[:, 1], side="left") - first, 0)
    place = ranges(first, counts)
    target = np.repeat(np.arange(len(targets)), counts)
    overlap = np.minimum(ends[place], targets[target, 1]) - np.maximum(starts[place], targets[target, 0])
    covered = summed(target, overlap, len(targets))
    means = np.zeros(len(targets))
    np.divide(summed(target, overlap * values[filled][place], len(targets)), covered, out=means, where=covered > 0)
    return means
