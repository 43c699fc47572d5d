"""Carrying numbers from one cutting of a text to another, by the characters that the pieces cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qassay.arrays import Floats, Ints


def spread(spans: Ints, values: Floats, targets: Ints) -> Floats:
    """Give each target span the mean of the values on its characters; 0 where no span covers any of them.

    `spans` and `targets` are (count, 2) arrays of start and end positions in the same text; `spans` are in order
    and do not overlap.
    """
    size = int(max(spans[:, 1].max(initial=0), targets[:, 1].max(initial=0)))
    lengths = spans[:, 1] - spans[:, 0]
    steps = np.zeros(size + 1)
    covered = np.zeros(size + 1)
    np.add.at(steps, spans[:, 0], np.where(lengths > 0, values, 0.0))
    np.subtract.at(steps, spans[:, 1], np.where(lengths > 0, values, 0.0))
    np.add.at(covered, spans[:, 0], lengths > 0)
    np.subtract.at(covered, spans[:, 1], lengths > 0)
    # At each character: the value of the span over it, and whether there is one; then sums up to each character.
    value_before = np.concatenate(([0.0], np.cumsum(np.cumsum(steps))))
    covered_before = np.concatenate(([0.0], np.cumsum(np.cumsum(covered))))
    starts, ends = targets[:, 0], targets[:, 1]
    total = value_before[ends] - value_before[starts]
    count = covered_before[ends] - covered_before[starts]
    means = np.zeros(len(targets))
    np.divide(total, count, out=means, where=count > 0)
    return means
