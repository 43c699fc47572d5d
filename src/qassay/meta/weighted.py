"""Correlation coefficients of many re-weightings of the same rows at once.

A bootstrap draw gives every row a count, and a permutation that swaps two metrics chooses, for every row, one of
two values. Both are weights on fixed rows, so that ranks and sorted orders are found once and each draw costs a
few passes over an array. Weights are whole numbers: a row with weight 3 stands for three equal rows, and equal
rows are tied; running sums of whole numbers are also several times faster than those of floats. A coefficient
without a value (constant side, fewer than two rows) is NaN here; callers count it.
"""

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from qassay.arrays import Floats, Ints
from qassay.meta.concordance import Columns, Concordance, columns_of

Number = TypeVar("Number", np.int64, np.float64)


class Coefficient(StrEnum):
    """How two columns of numbers are compared."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    """Kendall's τ-b, which corrects for ties."""


_ROUNDING = 1e-12
"""Share of the second moment below which a variance is rounding noise of a constant column."""
_DENSE_ROWS = 64
"""Up to so many rows, comparing all pairs is faster than sorting."""


def ratio(numerator: Floats, product: Floats) -> Floats:
    """Divide by the root of a product of two spreads; NaN where either side has none."""
    defined = product > 0
    value = numerator / np.sqrt(np.where(defined, product, 1.0))
    return np.where(defined, np.clip(value, -1.0, 1.0), np.nan)


def spread_of(second: Floats, first: Floats, total: Floats) -> Floats:
    """Give n·Σw(v - mean)², with 0 where only rounding is left."""
    spread = total * second - first * first
    return np.where(spread > _ROUNDING * total * second, spread, 0.0)


def settled(means: Floats) -> Floats:
    """Round off what the order of summation left in means (…, rows), so that equal ones are tied in ranks."""
    scale = np.nanmax(np.abs(means), axis=-1, keepdims=True, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(np.round(means / scale, 12) * scale)


def _centred(values: Floats) -> Floats:
    """Shift to mean 0 and scale to 1, which changes no coefficient and keeps one-pass moments exact enough."""
    shifted = values - values.mean(axis=-1, keepdims=True)
    scale = np.abs(shifted).max(axis=-1, keepdims=True)
    return np.asarray(shifted / np.where(scale > 0, scale, 1.0))


def _dense_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    columns = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)
    total, sx, sy, sxx, syy, sxy = np.moveaxis(weights @ columns, -1, 0)
    return ratio(total * sxy - sx * sy, spread_of(sxx, sx, total) * spread_of(syy, sy, total))


def _dense_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    middle = weights.sum(axis=-1, keepdims=True) / 2
    ranks = []
    for side in (x, y):
        difference = side[..., None, :] - side[..., :, None]
        before = (difference > 0) + 0.5 * (difference == 0)
        ranks.append(weights @ before - middle)
    rx, ry = ranks
    sxx, syy, sxy = ((weights * a * b).sum(axis=-1) for a, b in ((rx, rx), (ry, ry), (rx, ry)))
    return ratio(sxy, sxx * syy)


def _dense_kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    sign_x, sign_y = (np.sign(side[..., None, :] - side[..., :, None]) for side in (x, y))
    concordance, untied_x, untied_y = (
        ((weights @ pairs) * weights).sum(axis=-1) for pairs in (sign_x * sign_y, np.abs(sign_x), np.abs(sign_y))
    )
    return ratio(concordance, untied_x * untied_y)


def dense(coefficient: Coefficient, x: Floats, y: Floats, weights: Ints) -> Floats:
    """Correlate many small groups: `x`, `y` (…, rows), `weights` (…, draws, rows) -> (…, draws).

    Every pair of rows in a group is compared, which suits groups of up to a few dozen rows. Rows that are missing
    from a group have weight 0 and any finite value.
    """
    kernel = {
        Coefficient.PEARSON: _dense_pearson,
        Coefficient.SPEARMAN: _dense_spearman,
        Coefficient.KENDALL: _dense_kendall,
    }[coefficient]
    if coefficient is Coefficient.PEARSON:
        x, y = _centred(x), _centred(y)
    return kernel(x, y, weights.astype(np.float64))


class Reweighted(ABC):
    """A coefficient of fixed rows, ready for many weightings: `(draws, all rows) -> (draws,)`."""

    wide = False
    """Whether it is faster on hundreds of draws at once than on the few that the processor's cache holds."""

    @abstractmethod
    def __call__(self, weights: Ints) -> Floats:
        """Give one coefficient for each row of `weights`."""


class _Dense(Reweighted):
    def __init__(self, coefficient: Coefficient, x: Floats, y: Floats, rows: Ints) -> None:
        self._coefficient = coefficient
        self._x, self._y, self._rows = x, y, rows

    def __call__(self, weights: Ints) -> Floats:
        return dense(self._coefficient, self._x, self._y, weights[:, self._rows])


class _Pearson(Reweighted):
    def __init__(self, x: Floats, y: Floats, rows: Ints, width: int) -> None:
        x, y = _centred(x), _centred(y)
        self._columns = np.zeros((width, 6))
        self._columns[rows] = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])

    def __call__(self, weights: Ints) -> Floats:
        total, sx, sy, sxx, syy, sxy = (weights.astype(np.float64) @ self._columns).T
        return ratio(total * sxy - sx * sy, spread_of(sxx, sx, total) * spread_of(syy, sy, total))


class _Side:
    """One column of numbers in sorted order, whose ranks follow from running sums of the weights."""

    def __init__(self, values: Floats, rows: Ints, width: int) -> None:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        new = np.ones(len(values), dtype=bool)
        new[1:] = ordered[1:] != ordered[:-1]
        self.order = rows[order]
        self.starts = np.flatnonzero(new)
        self.distinct = len(self.starts) == len(values)
        # Which distinct value a row has; rows that are left out have 0, and their weights are never summed.
        self.group = np.zeros(width, dtype=np.int64)
        self.group[self.order] = np.cumsum(new) - 1

    def sums(self, columns: NDArray[Number]) -> NDArray[Number]:
        """Sum `columns` (draws, all rows) within each distinct value, in ascending order of the values."""
        ordered = np.take(columns, self.order, axis=1)
        if self.distinct:
            return ordered
        return np.asarray(np.add.reduceat(ordered, self.starts, axis=1))

    def counts(self, weights: Ints) -> tuple[Floats, Ints, Floats]:
        """Count the rows with each distinct value, those up to it, and give the spread of their doubled mid-ranks."""
        counts = self.sums(weights)
        up_to = np.cumsum(counts, axis=1)
        sizes = counts.astype(np.float64)
        # Ties of sizes t leave (n³ - Σt³) / 3.
        spread = (up_to[:, -1].astype(np.float64) ** 3 - np.einsum("dg,dg,dg->d", sizes, sizes, sizes)) / 3
        return sizes, up_to, spread


class _JudgementSide(_Side):
    """The side that all metrics share: what it needs of a block of draws is found once and kept for the next."""

    def __init__(self, values: Floats, rows: Ints, width: int) -> None:
        super().__init__(values, rows, width)
        self._ranked: Ints | None = None
        self._ranks: tuple[Floats, Floats]
        self._turned: Ints | None = None
        self._columns: Columns

    def weighted_ranks(self, weights: Ints) -> tuple[Floats, Floats]:
        """Give twice each row's centred mid-rank, times its weight, and the spread of the doubled ranks."""
        if self._ranked is not weights:
            counts, up_to, spread = self.counts(weights)
            ranks = 2 * up_to - counts - up_to[:, -1:]
            self._ranks = np.take(ranks, self.group, axis=1) * weights, spread
            self._ranked = weights
        return self._ranks

    def columns(self, weights: Ints) -> Columns:
        """Give the weights with one column for each draw."""
        if self._turned is not weights:
            self._columns = columns_of(weights)
            self._turned = weights
        return self._columns


class _Spearman(Reweighted):
    def __init__(self, x: _Side, y: _JudgementSide) -> None:
        self._x, self._y = x, y

    def __call__(self, weights: Ints) -> Floats:
        weighted, spread_y = self._y.weighted_ranks(weights)
        counts, up_to, spread_x = self._x.counts(weights)
        sums = self._x.sums(weighted)
        # The judgements' ranks are centred, so those of the scores, 2·up_to - counts - total, need not be.
        products = 2 * np.einsum("dg,dg->d", up_to, sums) - np.einsum("dg,dg->d", counts, sums)
        return ratio(products, spread_x * spread_y)


class _Kendall(Reweighted):
    """τ-b from counts of concordant and untied pairs."""

    wide = True

    def __init__(self, x: _Side, y: _JudgementSide, rows: Ints) -> None:
        self._judged = y
        self._pairs = Concordance(x.group[rows], y.group[rows], rows)

    def __call__(self, weights: Ints) -> Floats:
        concordance, untied_x, untied_y = self._pairs(self._judged.columns(weights))
        return ratio(concordance, untied_x * untied_y)


class Judged:
    """Rows with a judgement, against which many metrics are correlated under the same weightings.

    `rows` says which columns of the weights (`width` in all) belong to the values, so that rows left out as
    missing cost nothing; without it the weights have one column for each value.
    """

    def __init__(self, judgement: Floats, rows: Ints | None = None, width: int | None = None) -> None:
        self._judgement = judgement
        self._rows = np.arange(len(judgement)) if rows is None else rows
        self._width = len(judgement) if width is None else width
        self._side = _JudgementSide(judgement, self._rows, self._width)

    def against(self, coefficient: Coefficient, scores: Floats) -> Reweighted:
        """Prepare the coefficient of one metric's scores for these rows."""
        if coefficient is Coefficient.PEARSON:
            return _Pearson(scores, self._judgement, self._rows, self._width)
        if len(scores) <= _DENSE_ROWS:
            return _Dense(coefficient, scores, self._judgement, self._rows)
        side = _Side(scores, self._rows, self._width)
        if coefficient is Coefficient.SPEARMAN:
            return _Spearman(side, self._side)
        return _Kendall(side, self._side, self._rows)
