"""Correlation coefficients of many re-weightings of the same rows at once.

A bootstrap draw gives every row a count, and a permutation that swaps two metrics chooses, for every row, one of
two values. Both are weights on fixed rows, so that ranks and sorted orders are found once and each draw costs a
few passes over an array. Weights are whole numbers: a row with weight 3 stands for three equal rows, and equal
rows are tied; running sums of whole numbers are also several times faster than those of floats. A coefficient
without a value (constant side, fewer than two rows) is NaN here; callers count it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from qassay.arrays import Floats, Ints
from qassay.meta.statistics.concordance import Columns, Concordance, Untied, columns_of

Found = TypeVar("Found")
Number = TypeVar("Number", bound=np.number)


class Coefficient(StrEnum):
    """A correlation coefficient."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    """Kendall's τ-b, which corrects for ties."""


_FIGURES = 12
"""Significant digits that are kept of the largest number."""
_MOST_DECIMALS = 290
"""With more of them numbers overflow while they are rounded."""
_ROUNDING = 1e-12
"""Share of the second moment below which a variance is rounding noise of a constant column."""
_DENSE_ROWS = 64
"""Up to so many rows, comparing all pairs is faster than sorting."""
_ONE_THREAD = 1 << 18
"""Multiplications up to which the matrix library makes a product on one thread; waking others for so little costs."""
_MOST_WEIGHT = 1 << 20
"""Rows in a draw up to which sums of products of ranks, which go up to twice its cube, are whole numbers of 64 bits."""
_DRAWS = 16
"""Draws that go into one product."""


def ratio(numerator: Floats, product: Floats) -> Floats:
    """Divide by the root of a product of two spreads; NaN where either side has none."""
    defined = product > 0
    value = numerator / np.sqrt(np.where(defined, product, 1.0))
    return np.where(defined, np.clip(value, -1.0, 1.0), np.nan)


def spread_of(second: Floats, first: Floats, total: Floats) -> Floats:
    """Return n·Σw(v - mean)², with 0 where only rounding is left."""
    spread = total * second - first * first
    return np.where(spread > _ROUNDING * total * second, spread, 0.0)


def rounded_ties(means: Floats) -> Floats:
    """Round off what the order of summation left in means (…, rows), so that equal ones are tied in ranks.

    One scale for all of them: rows of several draws may be ranked together.
    """
    largest = float(np.nanmax(np.abs(means), initial=0.0))
    decimals = _FIGURES - math.ceil(math.log10(largest)) if largest else 0
    return np.asarray(np.round(means, min(decimals, _MOST_DECIMALS)))


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
        """Return one coefficient for each row of `weights`."""


class _Dense(Reweighted):
    def __init__(self, coefficient: Coefficient, x: Floats, y: Floats, rows: Ints) -> None:
        self._coefficient = coefficient
        self._x, self._y, self._rows = x, y, rows

    def __call__(self, weights: Ints) -> Floats:
        return dense(self._coefficient, self._x, self._y, weights[:, self._rows])


class _Latest(Generic[Found]):
    """What was found for the weights that came last: metrics that share rows ask in turn, some from other threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._latest: tuple[Ints, Found] | None = None

    def __call__(self, weights: Ints, find: Callable[[Ints], Found]) -> Found:
        with self._lock:
            if self._latest is None or self._latest[0] is not weights:
                self._latest = None
                self._latest = weights, find(weights)
            return self._latest[1]


class _Moments:
    """Sums of products of the judgements and of many metrics: one matrix product for all of them."""

    def __init__(self, judgement: Floats, rows: Ints, width: int) -> None:
        self._y, self._rows, self._width = _centred(judgement), rows, width
        self._columns = [np.ones_like(self._y), self._y, self._y * self._y]
        self._matrix = np.empty((0, 0))
        self._sums = _Latest[Floats]()

    def add(self, scores: Floats) -> int:
        """Add a metric and return its number."""
        x = _centred(scores)
        self._columns += [x, x * x, x * self._y]
        return len(self._columns) // 3 - 1

    def __call__(self, weights: Ints, number: int) -> tuple[Floats, Floats]:
        """Return the weighted sums of 1, y and y², and those of x, x² and xy."""
        sums = self._sums(weights, self._product)
        return sums[:3], sums[3 * number : 3 * number + 3]

    def _product(self, weights: Ints) -> Floats:
        if len(self._columns) != self._matrix.shape[1]:
            self._matrix = np.zeros((self._width, len(self._columns)))
            self._matrix[self._rows] = np.column_stack(self._columns)
        sums = np.zeros((len(weights), len(self._columns)))
        rows = max(1, _ONE_THREAD // (_DRAWS * len(self._columns)))
        for first in range(0, len(weights), _DRAWS):
            draws = slice(first, first + _DRAWS)
            for start in range(0, self._width, rows):
                part = slice(start, start + rows)
                sums[draws] += weights[draws, part].astype(np.float64) @ self._matrix[part]
        return sums.T


class _Pearson(Reweighted):
    wide = True

    def __init__(self, scores: Floats, moments: _Moments) -> None:
        self._moments, self._number = moments, moments.add(scores)

    def __call__(self, weights: Ints) -> Floats:
        (total, sy, syy), (sx, sxx, sxy) = self._moments(weights, self._number)
        return ratio(total * sxy - sx * sy, spread_of(sxx, sx, total) * spread_of(syy, sy, total))


class _Side:
    """One column of numbers in sorted order, whose ranks follow from running sums of the weights."""

    def __init__(self, values: Floats, rows: Ints, width: int) -> None:
        order = np.argsort(values, kind="stable")
        new = np.diff(values[order], prepend=np.nan) != 0
        self.order = rows[order]
        self.distinct = bool(new.all())
        self._last = np.flatnonzero(np.append(new[1:], True))
        # Which distinct value a row has; rows that are left out have 0, and their weights are never summed.
        self.group = np.zeros(width, dtype=np.int64)
        self.group[self.order] = np.cumsum(new) - 1

    def ordered(self, columns: NDArray[Number]) -> NDArray[Number]:
        """Put `columns` (draws, all rows) in ascending order of the values."""
        return np.take(columns, self.order, axis=1, mode="clip")

    def up_to(self, columns: NDArray[Number]) -> NDArray[Number]:
        """Sum `columns` (draws, all rows) up to each distinct value."""
        sums = np.cumsum(self.ordered(columns), axis=1)
        return sums if self.distinct else np.take(sums, self._last, axis=1, mode="clip")


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The ranks of the judgements in a few draws, doubled and centred, so that they are whole numbers."""

    weighted: Ints | Floats
    """(draws, all rows): each row's rank times its weight."""
    spread: Floats
    """Their spread."""
    own: Floats
    """The sum of the ranks times the squared weights."""
    distinct: Floats
    """The spread of ranks on a side without equal values."""


class _JudgementSide(_Side):
    """The side that all metrics share: what it computes for some draws is stored for the next metric."""

    def __init__(self, values: Floats, rows: Ints, width: int) -> None:
        super().__init__(values, rows, width)
        self._ranked = _Latest[_Ranked]()
        self._columns = _Latest[list[Columns]]()
        self._counts = _Latest[Floats](), _Latest[Floats]()
        self._untied, self._apart = Untied(self.group[rows], rows), Untied(np.arange(len(rows)), rows)

    def ranked(self, weights: Ints) -> _Ranked:
        """Return the ranks of the judgements."""
        return self._ranked(weights, self._rank)

    def columns(self, weights: Ints) -> list[Columns]:
        """Return the weights with one column for each draw."""
        return self._columns(weights, columns_of)

    def untied(self, weights: Ints) -> Floats:
        """Count the pairs of rows with unequal judgements."""
        return self._counts[0](weights, lambda weights: self._untied(self.columns(weights)))

    def apart(self, weights: Ints) -> Floats:
        """Count the pairs of different rows, which are untied on a side without equal values."""
        return self._counts[1](weights, lambda weights: self._apart(self.columns(weights)))

    def _rank(self, weights: Ints) -> _Ranked:
        up_to = self.up_to(weights)
        counts = np.diff(up_to, axis=1, prepend=0)
        ranks = 2 * up_to - counts - up_to[:, -1:]
        weighted = np.take(ranks, self.group, axis=1, mode="clip") * weights
        if int(up_to[:, -1].max()) > _MOST_WEIGHT:
            weighted = weighted.astype(np.float64)
        ordered = self.ordered(weights)
        return _Ranked(
            weighted,
            _rank_spread(counts),
            _inner(ordered, self.ordered(weighted)),
            _rank_spread(ordered),
        )


def _rank_spread(counts: Ints) -> Floats:
    """Return the spread of doubled mid-ranks: ties of sizes t leave (n³ - Σt³) / 3."""
    sizes = counts.astype(np.float64)
    return np.asarray((sizes.sum(axis=1) ** 3 - np.einsum("dg,dg,dg->d", sizes, sizes, sizes)) / 3)


def _inner(a: Ints, b: NDArray[np.number]) -> Floats:
    """Sum a·b along the rows."""
    return np.asarray(np.einsum("dg,dg->d", a, b), dtype=np.float64)


class _Spearman(Reweighted):
    def __init__(self, x: _Side, y: _JudgementSide) -> None:
        self._x, self._y = x, y

    def __call__(self, weights: Ints) -> Floats:
        ranked = self._y.ranked(weights)
        up_to = self._x.up_to(weights)
        # The judgements' ranks are centred, so those of the scores, 2·up_to - counts - total, need not be.
        if self._x.distinct:
            products = 2 * _inner(up_to, self._x.ordered(ranked.weighted)) - ranked.own
            return ratio(products, ranked.distinct * ranked.spread)
        counts = np.diff(up_to, axis=1, prepend=0)
        sums = np.diff(self._x.up_to(ranked.weighted), axis=1, prepend=0)
        return ratio(_inner(2 * up_to - counts, sums), _rank_spread(counts) * ranked.spread)


class _Kendall(Reweighted):
    """τ-b from counts of concordant and untied pairs."""

    wide = True

    def __init__(self, x: _Side, y: _JudgementSide, rows: Ints) -> None:
        self._judged = y
        self._pairs = Concordance(x.group[rows], y.group[rows], rows)
        self._untied = None if x.distinct else Untied(x.group[rows], rows)

    def __call__(self, weights: Ints) -> Floats:
        columns = self._judged.columns(weights)
        untied = self._judged.apart(weights) if self._untied is None else self._untied(columns)
        return ratio(self._pairs(columns), untied * self._judged.untied(weights))


class JudgedRows:
    """Rows with a judgement, against which many metrics are correlated under the same weightings.

    `rows` says which columns of the weights (`width` in all) belong to the values, so that rows left out as
    missing cost nothing; without it the weights have one column for each value.
    """

    def __init__(self, judgement: Floats, rows: Ints | None = None, width: int | None = None) -> None:
        self._judgement = judgement
        self._rows = np.arange(len(judgement)) if rows is None else rows
        self._width = len(judgement) if width is None else width

    @cached_property
    def _side(self) -> _JudgementSide:
        return _JudgementSide(self._judgement, self._rows, self._width)

    @cached_property
    def _moments(self) -> _Moments:
        return _Moments(self._judgement, self._rows, self._width)

    def against(self, coefficient: Coefficient, scores: Floats) -> Reweighted:
        """Prepare the coefficient of one metric's scores for these rows."""
        if coefficient is Coefficient.PEARSON:
            return _Pearson(scores, self._moments)
        if len(scores) <= _DENSE_ROWS:
            return _Dense(coefficient, scores, self._judgement, self._rows)
        side = _Side(scores, self._rows, self._width)
        if coefficient is Coefficient.SPEARMAN:
            return _Spearman(side, self._side)
        return _Kendall(side, self._side, self._rows)
