"""Pairs of a batch as they are judged: as they are written, or put into the same terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.metrics.base import subset

if TYPE_CHECKING:
    from qassay.arrays import Ints
    from qassay.features.batch import Batch, Pairs


class Side(NamedTuple):
    """Some pairs, in the batch that has their texts."""

    rows: Ints
    """Which of the given pairs they are."""
    batch: Batch
    pairs: Pairs


def as_written(batch: Batch, pairs: Pairs) -> list[Side]:
    """Take all pairs as they are."""
    return [Side(np.arange(len(pairs.example)), batch, pairs)]


def in_same_terms(batch: Batch, pairs: Pairs) -> list[Side]:
    """Take the pairs as they are, and behind them those whose candidates are put into their reference's terms."""
    found = batch.restated(pairs)
    if found is None:
        return as_written(batch, pairs)
    kept = np.ones(len(pairs.example), bool)
    kept[found.rows] = False
    return [Side(np.flatnonzero(kept), batch, subset(pairs, kept)), Side(found.rows, found.batch, found.batch.pairs)]
