"""Greedy matching of token embeddings: each token with the most similar one of the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats, Ints
    from qassay.models.base import TokenEmbeddings

    Unit = NDArray[np.float32]


def unit(encoded: TokenEmbeddings) -> Unit:
    """Scale each token's vector to length 1."""
    return np.asarray(encoded.vectors / np.linalg.norm(encoded.vectors, axis=1, keepdims=True), np.float32)


class Side(NamedTuple):
    """The tokens of one side of many pairs, pair after pair, each with its highest similarity on the other side."""

    similarity: Unit
    pair: Ints
    """Of each token."""

    def means(self, weights: Sequence[Floats], rows: Ints, power: float) -> Floats:
        """Give each pair's weighted mean of the best similarities; `rows` names each pair's row of weights.

        A power other than 1 is applied to similarities clipped to 0 and above. Weights that are all 0 count
        uniformly, without the marks at both ends.
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


def match_pairs(units: Sequence[Unit], left: Ints, right: Ints) -> tuple[Side, Side]:
    """Match the tokens of each pair of texts, greedily, for precision and for recall (Zhang et al. 2020).

    `left` and `right` are rows of `units`. Each pair is multiplied by itself: in one product with others the last
    bits of its similarities would depend on them.
    """
    lefts: list[Unit] = []
    rights: list[Unit] = []
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        similarity = units[a] @ units[b].T
        lefts.append(similarity.max(axis=1))
        rights.append(similarity.max(axis=0))
    lengths = np.array([len(each) for each in units], np.int64)
    return _side(lefts, lengths[left]), _side(rights, lengths[right])


def _side(similarities: list[Unit], lengths: Ints) -> Side:
    flat = np.concatenate([np.zeros(0, np.float32), *similarities])
    return Side(flat, np.repeat(np.arange(len(lengths)), lengths))


def match(left: Unit, right: Unit, left_weights: Floats, right_weights: Floats, power: float) -> tuple[float, float]:
    """Match one pair of texts: precision and recall."""
    one = np.zeros(1, np.int64)
    sides = match_pairs([left, right], one, one + 1)
    precision, recall = (
        side.means([weights], one, power) for side, weights in zip(sides, (left_weights, right_weights), strict=True)
    )
    return float(precision[0]), float(recall[0])
