"""Overlap of n-grams between the two sides of a pair, plain or weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed
from qassay.metrics.base import divide
from qassay.metrics.lexical.ngram_overlap import SharedGrams

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.batch import Batch, Pairs
    from qassay.features.token_views import View
    from qassay.text.tokenisers.tokens import GramTable


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

    @property
    def bare(self) -> Bools:
        """Which pairs are too short on both sides to have any n-gram."""
        return np.asarray((self.left_total == 0) & (self.right_total == 0), dtype=bool)


def overlap(batch: Batch, view: View, pairs: Pairs, order: int) -> Overlap:
    """Count the clipped matches of n-grams, or sum their weights."""
    if view.weights is not None:
        return table_overlap(view, pairs, view.tokens.grams(order))
    hits = shared_grams(batch, view, pairs).hits(order)
    left, right = (gram_totals(view.tokens.lengths[side], order) for side in (view.left(pairs), view.right(pairs)))
    return Overlap(hits, left, hits, right)


def shared_grams(batch: Batch, view: View, pairs: Pairs) -> SharedGrams:
    """Return the n-grams that each pair shares, counted once for all metrics."""
    # Tokens are equal only to themselves, and the memo keeps them: no other tokens can take their place.
    return batch.memo(
        (shared_grams, view.tokens, pairs.reference.tobytes()),
        lambda: SharedGrams(view.tokens, view.left(pairs), view.right(pairs), np.arange(len(pairs.example))),
    )


def gram_totals(lengths: Ints, order: int) -> Floats:
    """Return how many n-grams texts of these lengths have."""
    return np.maximum(lengths - (order - 1), 0).astype(np.float64)


def table_overlap(view: View, pairs: Pairs, grams: GramTable) -> Overlap:
    """Count clipped matches; with weights, a repeated gram counts with its mean weight (Lee et al. 2021)."""
    left, right = view.left(pairs), view.right(pairs)
    match = grams.match(left, right)
    clipped = np.minimum(grams.count[match.left], grams.count[match.right]).astype(np.float64)
    if view.weights is None:
        hits = summed(match.pair, clipped, len(left))
        return Overlap(hits, grams.totals[left].astype(float), hits, grams.totals[right].astype(float))
    weight = grams.mean_weights(view.weights)
    text = np.repeat(np.arange(len(view.tokens)), np.diff(grams.starts))
    totals = summed(text, weight * grams.count, len(view.tokens))
    left_hits = summed(match.pair, clipped * weight[match.left], len(left))
    right_hits = summed(match.pair, clipped * weight[match.right], len(left))
    # The reference's weights are added in the candidate's order, which may round to a little more than their total.
    return Overlap(left_hits, totals[left], np.minimum(right_hits, totals[right]), totals[right])


def identical(view: View, pairs: Pairs) -> Bools:
    """Return which pairs have the same tokens in the same order."""
    coded = view.tokens.as_strings
    left, right = view.left(pairs).tolist(), view.right(pairs).tolist()
    return np.array([coded[a] == coded[b] for a, b in zip(left, right, strict=True)], bool)
