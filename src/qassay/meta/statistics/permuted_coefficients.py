"""Coefficients of two metrics on many small groups after swapping some of their values.

Every kernel takes groups of rows, (groups, rows), with the two metrics' values and the judgements, and then swaps,
(groups, draws, rows) of 0 and 1. It gives the coefficients of the first and of the second column, each
(groups, draws). Sums over a swapped column are linear in the swaps and sums over pairs are quadratic, so that both
columns of a draw cost one matrix product.
"""

from typing import Protocol

import numpy as np

from qassay.arrays import Floats, Ints
from qassay.meta.statistics.weighted import Coefficient, dense, ratio, spread_of


class PermutedCoefficients(Protocol):
    """Groups of rows whose two metrics can be swapped."""

    def __call__(self, swaps: Floats) -> tuple[Floats, Floats]:
        """Correlate both columns with the judgements after the swaps."""


class _Pearson:
    """Pearson's r from sums of values, squares and products."""

    def __init__(self, first: Floats, second: Floats, judgement: Floats, present: Ints) -> None:
        self._n = present.sum(axis=1)[:, None].astype(np.float64)
        mean = judgement.sum(axis=1, keepdims=True) / np.maximum(self._n, 1)
        centred = np.where(present, judgement - mean, 0.0)
        self._judgement = spread_of((centred**2).sum(axis=1)[:, None], centred.sum(axis=1)[:, None], self._n)
        columns = [np.stack([values, values**2, values * centred], axis=-1) for values in (first, second)]
        self._first, self._second = (column.sum(axis=1)[:, None, :] for column in columns)
        self._gain = columns[1] - columns[0]

    def __call__(self, swaps: Floats) -> tuple[Floats, Floats]:
        gained = swaps @ self._gain
        return self._coefficient(self._first + gained), self._coefficient(self._second - gained)

    def _coefficient(self, sums: Floats) -> Floats:
        one, two, product = np.moveaxis(sums, -1, 0)
        return ratio(self._n * product, spread_of(two, one, self._n) * self._judgement)


class _Kendall:
    """Kendall's τ-b from signs of pairs."""

    def __init__(self, first: Floats, second: Floats, judgement: Floats, present: Ints) -> None:
        both = np.concatenate([first, second], axis=1)
        there = np.concatenate([present, present], axis=1)
        pairs = there[:, :, None] * there[:, None, :]
        sign = np.sign(both[:, :, None] - both[:, None, :]) * pairs
        sign_judgement = np.sign(judgement[:, :, None] - judgement[:, None, :])
        self._concordance = _PairSum(sign * np.tile(sign_judgement, (1, 2, 2)))
        self._untied = _PairSum(np.abs(sign))
        self._judgement = (np.abs(sign_judgement) * pairs[:, : first.shape[1], : first.shape[1]]).sum(axis=(1, 2))[
            :, None
        ]

    def __call__(self, swaps: Floats) -> tuple[Floats, Floats]:
        first, second = (
            ratio(concordance, untied * self._judgement)
            for concordance, untied in zip(self._concordance(swaps), self._untied(swaps), strict=True)
        )
        return first, second


class _PairSum:
    """The sum of a symmetric table of pairs over the rows that swaps choose, and over the rows left for the other.

    With swaps a, the first column holds rows (1 - a, a) of the stacked table [[P, R], [R', S]], so its sum is
    1'P1 + 2·1'(R - P)a + a'(P - R - R' + S)a; the second column's is the same with P and S exchanged.
    """

    def __init__(self, table: Floats) -> None:
        half = table.shape[1] // 2
        p, r, s = table[:, :half, :half], table[:, :half, half:], table[:, half:, half:]
        self._constant = p.sum(axis=(1, 2))[:, None], s.sum(axis=(1, 2))[:, None]
        linear = 2 * (r - p).sum(axis=1), 2 * (r.swapaxes(1, 2) - s).sum(axis=1)
        self._linear = np.stack(linear, axis=-1)
        curved = p - r - r.swapaxes(1, 2) + s
        self._curved = curved if curved.any() else None

    def __call__(self, swaps: Floats) -> tuple[Floats, Floats]:
        straight = swaps @ self._linear
        curved = 0.0 if self._curved is None else np.einsum("gdr,gdr->gd", swaps @ self._curved, swaps)
        first, second = (self._constant[side] + straight[..., side] + curved for side in (0, 1))
        return first, second


class _Spearman:
    """Spearman's coefficient, ranking the chosen rows among each other."""

    def __init__(self, first: Floats, second: Floats, judgement: Floats, present: Ints) -> None:
        self._scores = np.concatenate([first, second], axis=1)
        self._judgement = np.concatenate([judgement, judgement], axis=1)
        self._present = present[:, None, :]

    def __call__(self, swaps: Floats) -> tuple[Floats, Floats]:
        swapped = swaps.astype(np.int64) * self._present
        kept = self._present - swapped
        first, second = (
            dense(Coefficient.SPEARMAN, self._scores, self._judgement, np.concatenate(pair, axis=2))
            for pair in ((kept, swapped), (swapped, kept))
        )
        return first, second


def permuted_coefficients(
    coefficient: Coefficient, first: Floats, second: Floats, judgement: Floats, present: Ints
) -> PermutedCoefficients:
    """Prepare groups of rows, (groups, rows), for many swaps; `present` is 0 where a group has fewer rows."""
    if coefficient is Coefficient.PEARSON:
        return _Pearson(first, second, judgement, present)
    if coefficient is Coefficient.SPEARMAN:
        return _Spearman(first, second, judgement, present)
    return _Kendall(first, second, judgement, present)
