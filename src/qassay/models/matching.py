"""The highest similarity of each token with the tokens of another text, over arrays in the processor's memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qassay.arrays import Ints
    from qassay.models.base import Vectors

_ONE_THREAD = 1 << 19
"""Multiplications up to which the matrix library does a product on one thread. Products of two answers are hardly
larger, and waking threads for them takes longer than they do."""
_FEWEST_ROWS = 16
_KEPT_TEXTS = 64
MOST_SIMILARITIES = 1 << 24
"""Of one pair, all of which are computed; with more, tokens are matched in windows, in linear time."""
_WINDOW, _WINDOW_ROWS = 2048, 512


def unit(vectors: Vectors) -> Vectors:
    """Scale each token's vector to length 1."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / lengths[:, None], np.float32)


class Units(Sequence["Vectors"]):
    """The texts' vectors at length 1, made when asked for and kept for the pairs that follow.

    Pairs of one candidate follow each other. All texts at once would take the memory of their vectors again, and fresh
    memory costs more time than the division.
    """

    def __init__(self, texts: Sequence[Vectors]) -> None:
        self._texts = texts
        self._recent: OrderedDict[int, Vectors] = OrderedDict()

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Vectors: ...
    @overload
    def __getitem__(self, index: slice) -> list[Vectors]: ...
    def __getitem__(self, index: int | slice) -> Vectors | list[Vectors]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        if index not in self._recent:
            if len(self._recent) == _KEPT_TEXTS:
                self._recent.popitem(last=False)
            self._recent[index] = unit(self._texts[index])
        return self._recent[index]


def best_similarities(units: Sequence[Vectors], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
    """Return the highest similarity of each token, pair after pair: those of the left texts, and of the right ones.

    `left` and `right` are rows of `units`. Each pair is multiplied by itself: in one product with others the last
    bits of its similarities would depend on them.
    """
    best = [_best(units[a], units[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    nothing = np.zeros(0, np.float32)
    return np.concatenate([nothing, *(lefts for lefts, _ in best)]), np.concatenate(
        [nothing, *(rights for _, rights in best)]
    )


class TokenWindow(NamedTuple):
    """Tokens of a left text, from `start` to `end`, and those of a right one, `low` to `high`, to compare them with."""

    start: int
    end: int
    low: int
    high: int


def token_windows(left: int, right: int) -> Iterator[TokenWindow]:
    """Yield the tokens to compare of two texts with so many tokens each.

    Of very long texts each token is compared with those at about the same relative position of the other text.
    """
    if left * right <= MOST_SIMILARITIES:
        yield TokenWindow(0, left, 0, right)
        return
    ratio = right / left
    for start in range(0, left, _WINDOW_ROWS):
        end = min(start + _WINDOW_ROWS, left)
        low = max(0, int(start * ratio) - _WINDOW // 2)
        high = min(right, int(end * ratio) + 1 + _WINDOW // 2)
        yield TokenWindow(start, end, low, high)


def _best(left: Vectors, right: Vectors) -> tuple[Vectors, Vectors]:
    """Return the highest similarity of each token on either side."""
    if len(left) * len(right) <= MOST_SIMILARITIES:
        return _best_of_all(left, right)
    of_left = np.empty(len(left), np.float32)
    of_right = np.full(len(right), -np.inf, np.float32)
    for start, end, low, high in token_windows(len(left), len(right)):
        of_left[start:end], found = _best_of_all(left[start:end], right[low:high])
        np.maximum(of_right[low:high], found, out=of_right[low:high])
    return of_left, of_right


def _best_of_all(left: Vectors, right: Vectors) -> tuple[Vectors, Vectors]:
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
