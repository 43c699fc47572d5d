"""Greedy matching of token embeddings: each token with the most similar one of the other side."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from qassay.arrays import summed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.arrays import Floats, Ints
    from qassay.models.base import TokenEmbeddings

    UnitVectors = NDArray[np.float32]


_ONE_THREAD = 1 << 19
"""Multiplications up to which the matrix library does a product on one thread. Products of two answers are hardly
larger, and waking threads for them takes longer than they do."""
_FEWEST_ROWS = 16
_KEPT_TEXTS = 64
_MOST_SIMILARITIES = 1 << 24
"""Of one pair, all of which are computed; with more, tokens are matched in windows, in linear time."""
_WINDOW, _WINDOW_ROWS = 2048, 512


def unit(encoded: TokenEmbeddings) -> UnitVectors:
    """Scale each token's vector to length 1."""
    vectors = encoded.vectors
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / lengths[:, None], np.float32)


class Units(Sequence["UnitVectors"]):
    """The texts' vectors at length 1, made when asked for and kept for the pairs that follow.

    Pairs of one candidate follow each other. All texts at once would take the memory of their vectors again, and fresh
    memory costs more time than the division.
    """

    def __init__(self, encoded: Sequence[TokenEmbeddings]) -> None:
        self._encoded = encoded
        self._recent: OrderedDict[int, UnitVectors] = OrderedDict()

    def __len__(self) -> int:
        return len(self._encoded)

    @overload
    def __getitem__(self, index: int) -> UnitVectors: ...
    @overload
    def __getitem__(self, index: slice) -> list[UnitVectors]: ...
    def __getitem__(self, index: int | slice) -> UnitVectors | list[UnitVectors]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        if index not in self._recent:
            if len(self._recent) == _KEPT_TEXTS:
                self._recent.popitem(last=False)
            self._recent[index] = unit(self._encoded[index])
        return self._recent[index]


class TokenMatches(NamedTuple):
    """The tokens of one side of many pairs, pair after pair, each with its highest similarity on the other side."""

    similarity: UnitVectors
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


def match_pairs(units: Sequence[UnitVectors], left: Ints, right: Ints) -> tuple[TokenMatches, TokenMatches]:
    """Match the tokens of each pair of texts, greedily, for precision and for recall (Zhang et al. 2020).

    `left` and `right` are rows of `units`. Each pair is multiplied by itself: in one product with others the last
    bits of its similarities would depend on them.
    """
    best = [_best(units[a], units[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    return _side([lefts for lefts, _ in best]), _side([rights for _, rights in best])


def _best(left: UnitVectors, right: UnitVectors) -> tuple[UnitVectors, UnitVectors]:
    """Return the highest similarity of each token on either side.

    Of very long texts each token is compared with those at about the same relative position of the other text.
    """
    if len(left) * len(right) <= _MOST_SIMILARITIES:
        return _best_of_all(left, right)
    of_left = np.empty(len(left), np.float32)
    of_right = np.full(len(right), -np.inf, np.float32)
    ratio = len(right) / len(left)
    for start in range(0, len(left), _WINDOW_ROWS):
        end = min(start + _WINDOW_ROWS, len(left))
        low = max(0, int(start * ratio) - _WINDOW // 2)
        high = min(len(right), int(end * ratio) + 1 + _WINDOW // 2)
        of_left[start:end], found = _best_of_all(left[start:end], right[low:high])
        np.maximum(of_right[low:high], found, out=of_right[low:high])
    return of_left, of_right


def _best_of_all(left: UnitVectors, right: UnitVectors) -> tuple[UnitVectors, UnitVectors]:
    """Compare each token with all of the other side; long texts are taken a few rows at a time."""
    rows = max(_FEWEST_ROWS, _ONE_THREAD // max(right.size, 1) - 1)
    if len(left) <= rows:
        similarity = left @ right.T
        return np.maximum.reduce(similarity, axis=1), np.maximum.reduce(similarity, axis=0)
    of_left = np.empty(len(left), np.float32)
    of_right = np.full(len(right), -np.inf, np.float32)
    for start in range(0, len(left), rows):
        similarity = left[start : start + rows] @ right.T
        of_left[start : start + rows] = similarity.max(axis=1)
        np.maximum(of_right, similarity.max(axis=0), out=of_right)
    return of_left, of_right


def _side(similarities: list[UnitVectors]) -> TokenMatches:
    flat = np.concatenate([np.zeros(0, np.float32), *similarities])
    lengths = np.array([len(each) for each in similarities], np.int64)
    return TokenMatches(flat, np.repeat(np.arange(len(lengths)), lengths))


def match(
    left: UnitVectors, right: UnitVectors, left_weights: Floats, right_weights: Floats, power: float
) -> tuple[float, float]:
    """Match one pair of texts: precision and recall."""
    one = np.zeros(1, np.int64)
    sides = match_pairs([left, right], one, one + 1)
    precision, recall = (
        side.means([weights], one, power) for side, weights in zip(sides, (left_weights, right_weights), strict=True)
    )
    return float(precision[0]), float(recall[0])
