"""Greedy matching of token embeddings: each token with the most similar one of the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed
from qassay.models.matching import best_similarities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats, Ints
    from qassay.models.base import Encoder, TokenEmbeddings, Vectors


class TokenMatches(NamedTuple):
    """The tokens of one side of many pairs, pair after pair, each with its highest similarity on the other side."""

    similarity: Vectors
    pair: Ints
    """Of each token."""

    def means(self, weights: Sequence[Floats], rows: Ints, power: float) -> Floats:
        """Return each pair's weighted mean of the best similarities; `rows` names each pair's row of weights.

        A power other than 1 is applied to similarities clipped to 0 and above. Weights that are all 0 count
        uniformly, without the special tokens at both ends.
        """
        similarity = np.minimum(self.similarity, 1.0)  # single precision may round above
        if power != 1:
            similarity = np.clip(similarity, 0.0, None) ** power
        given = np.concatenate([np.zeros(0), *(weights[row] for row in rows.tolist())])
        totals = summed(self.pair, given, len(rows))
        if (totals <= 0).any():
            inner = np.ones(len(given))
            inner[np.diff(self.pair, prepend=-1) > 0] = inner[np.diff(self.pair, append=len(rows)) > 0] = 0.0
            given = np.where((totals <= 0)[self.pair], inner, given)
            totals = summed(self.pair, given, len(rows))
        found = np.zeros(len(rows))
        np.divide(summed(self.pair, given * similarity, len(rows)), totals, out=found, where=totals > 0)
        return found


def match_pairs(
    encoder: Encoder, encoded: Sequence[TokenEmbeddings], left: Ints, right: Ints
) -> tuple[TokenMatches, TokenMatches]:
    """Match the tokens of each pair of texts, greedily, for precision and for recall (Zhang et al. 2020).

    `left` and `right` are rows of `encoded`, which the encoder made.
    """
    lengths = np.array([len(each.states) for each in encoded], np.int64)
    return _sides(encoder.match(encoded, left, right), lengths, left, right)


def match_units(units: Sequence[Vectors], left: Ints, right: Ints) -> tuple[TokenMatches, TokenMatches]:
    """Match the tokens of pairs of texts whose vectors have length 1; `left` and `right` are rows of `units`."""
    lengths = np.array([len(each) for each in units], np.int64)
    return _sides(best_similarities(units, left, right), lengths, left, right)


def _sides(
    similarities: tuple[Vectors, Vectors], lengths: Ints, left: Ints, right: Ints
) -> tuple[TokenMatches, TokenMatches]:
    pairs = np.arange(len(left))
    return (
        TokenMatches(similarities[0], np.repeat(pairs, lengths[left])),
        TokenMatches(similarities[1], np.repeat(pairs, lengths[right])),
    )


def match(
    left: Vectors, right: Vectors, left_weights: Floats, right_weights: Floats, power: float
) -> tuple[float, float]:
    """Match one pair of texts: precision and recall."""
    one = np.zeros(1, np.int64)
    sides = match_units([left, right], one, one + 1)
    precision, recall = (
        side.means([weights], one, power) for side, weights in zip(sides, (left_weights, right_weights), strict=True)
    )
    return float(precision[0]), float(recall[0])
