"""Overlap of n-grams between the two sides of a pair, plain or weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed
from qassay.metrics.base import divide

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats
    from qassay.features import Pairs, View
    from qassay.text.tokens import GramTable


class Overlap(NamedTuple):
    """Hits and totals of each pair, in counts or in weights."""

    left_hits: Floats
    left_total: Floats
    right_hits: Floats
    right_total: Floats

    @property
    def precision(self) -> Floats:
        """The share of the candidate that the reference has."""
        return divide(self.left_hits, self.left_total)

    @property
    def recall(self) -> Floats:
        """The share of the reference that the candidate has."""
        return divide(self.right_hits, self.right_total)


def overlap(view: View, pairs: Pairs, grams: GramTable) -> Overlap:
    """Count clipped matches; with weights, a repeated gram counts with its mean weight (METRICS, BLEU-1-KPQA)."""
    left, right = view.left(pairs), view.right(pairs)
    match = grams.match(left, right)
    clipped = np.minimum(grams.count[match.left], grams.count[match.right]).astype(np.float64)
    if view.weights is None:
        hits = summed(match.pair, clipped, len(left))
        return Overlap(hits, grams.totals[left].astype(float), hits, grams.totals[right].astype(float))
    weight = grams.mean_weights(view.weights)
    text = np.repeat(np.arange(len(view.tokens)), np.diff(grams.starts))
    totals = summed(text, weight * grams.count, len(view.tokens))
    return Overlap(
        summed(match.pair, clipped * weight[match.left], len(left)),
        totals[left],
        summed(match.pair, clipped * weight[match.right], len(left)),
        totals[right],
    )


def identical(view: View, pairs: Pairs) -> Bools:
    """Tell which pairs have the same tokens in the same order."""
    coded = view.tokens.coded
    left, right = view.left(pairs).tolist(), view.right(pairs).tolist()
    return np.array([coded[a] == coded[b] for a, b in zip(left, right, strict=True)], bool)


def no_grams(view: View, pairs: Pairs, grams: GramTable) -> Bools:
    """Tell which pairs are too short on both sides to have any n-gram."""
    return np.asarray((grams.totals[view.left(pairs)] == 0) & (grams.totals[view.right(pairs)] == 0), dtype=bool)
