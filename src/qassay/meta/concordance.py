"""Concordant and tied pairs under many weightings of the same rows: what Kendall's τ-b is made of.

Rows sorted by x are cut into blocks, and rows sorted by y into cells, both of whole groups of equal values. Two rows
are either in different blocks and different cells, where running sums over the cells count them; or in one block or
one cell, where a small table of signs counts them in one matrix product for all draws. Nothing is approximated: all
counts are whole numbers, and sums that single precision could round are made in double.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from qassay.arrays import Floats, Ints

Columns = NDArray[np.float32]
"""Weights, or sums of them, with one column for each draw."""

_BLOCK_ROWS = 64
"""About so many rows, or the root of their number if that is more, are compared pair by pair."""
_SINGLE = 2.0**24
"""Whole numbers below this are exact in single precision."""


def columns_of(weights: Ints) -> Columns:
    """Turn weights (draws, rows) on their side, so that picking rows copies whole stretches of memory."""
    return np.ascontiguousarray(weights.T, dtype=np.float32)


class Concordance:
    """Two columns of whole numbers (dense ranks) whose pairs can be counted under many weightings.

    `rows` says which rows of the columns of weights belong to the ranks.
    """

    def __init__(self, x: Ints, y: Ints, rows: Ints) -> None:
        # Fewer values make fewer cells, and a cell of one value has no pairs to count.
        if x.max() < y.max():
            x, y = y, x
        size = max(_BLOCK_ROWS, isqrt(len(x)))
        by_y = np.argsort(y, kind="stable")
        cells = _pieces(by_y, y, size if y.max() >= size else 1)
        cell = _numbered(cells)
        by_x = np.lexsort((y, x))
        blocks = _pieces(by_x, x, max(_BLOCK_ROWS, len(cells)))
        block = _numbered(blocks)
        self._blocks = [_Block(rows[each], x[each], y[each], cell[each]) for each in blocks]
        self._cells = [_Piece(rows[each], y[each], block[each]) for each in cells]
        order = np.arange(len(cells))
        self._above = np.sign(order[:, None] - order).astype(np.float32)

    def __call__(self, columns: Columns) -> tuple[Floats, Floats, Floats]:
        """Count for each draw: concordant less discordant pairs, pairs untied in x, and pairs untied in y.

        Which of the two sides is x is left open: τ-b takes their product.
        """
        draws = columns.shape[1]
        concordance, squares_x, squares_y = np.zeros((3, draws))
        before = np.zeros((len(self._cells), draws), dtype=np.float32)
        total = np.zeros(draws)
        for block in self._blocks:
            taken = columns[block.rows]
            by_cell = block.by_cell(taken, len(before))
            weight = by_cell.sum(axis=0)
            concordance += _products(by_cell, self._above @ before, float((weight * total).max()))
            before += by_cell
            total += weight
            if block.tied:
                squares_x += weight.astype(np.float64) ** 2
            else:
                concordance += block.concordance(taken, weight)
                squares_x += block.squares(taken, weight)
        for cell, weight in zip(self._cells, before, strict=True):
            if cell.tied:
                squares_y += weight.astype(np.float64) ** 2
            else:
                taken = columns[cell.rows]
                concordance += cell.concordance(taken, weight)
                squares_y += cell.squares(taken, weight)
        return concordance, (total**2 - squares_x) / 2, (total**2 - squares_y) / 2


class _Piece:
    """Rows that lie together by one side: their pairs are compared one by one, unless that side ties them all."""

    def __init__(self, rows: Ints, own: Ints, other: Ints) -> None:
        self.rows = rows
        self.tied = bool(own[0] == own[-1])
        if not self.tied:
            self._own, self._other = _ranks(own), _ranks(other)

    def concordance(self, taken: Columns, weight: Columns) -> Floats:
        """Count concordant less discordant pairs in it; each comes up twice in the table of signs."""
        own, other = (np.sign(side - side[:, None]) for side in (self._own, self._other))
        return _products((own * other).astype(np.float32) @ taken, taken, float(weight.max()) ** 2) / 2

    def squares(self, taken: Columns, weight: Columns) -> Floats:
        """Sum the squared weights of groups of equal values."""
        groups = np.arange(int(self._own.max()) + 1, dtype=np.int16)
        sums = taken if len(groups) == len(taken) else (groups[:, None] == self._own).astype(np.float32) @ taken
        return _products(sums, sums, float(weight.max()) ** 2)


class _Block(_Piece):
    """A piece by x, whose rows are spread over the cells."""

    def __init__(self, rows: Ints, own: Ints, other: Ints, cell: Ints) -> None:
        super().__init__(rows, own, other)
        self._cell = cell

    def by_cell(self, taken: Columns, cells: int) -> Columns:
        """Sum the weights of the rows in each cell: (cells, draws)."""
        if not self.tied:
            return np.asarray((np.arange(cells)[:, None] == self._cell).astype(np.float32) @ taken)
        # Rows with one x are sorted by y, and there may be very many of them.
        starts = np.flatnonzero(np.diff(self._cell, prepend=-1))
        sums = np.zeros((cells, taken.shape[1]), dtype=np.float32)
        sums[self._cell[starts]] = np.add.reduceat(taken, starts, axis=0)
        return sums


def _pieces(order: Ints, values: Ints, size: int) -> list[Ints]:
    """Cut an ascending order into pieces of about `size` rows without parting equal values; many equal stand alone."""
    starts = np.flatnonzero(np.diff(values[order], prepend=-1))
    cuts, filled = [], 0
    for start, rows in zip(starts.tolist(), np.diff(starts, append=len(order)).tolist(), strict=True):
        if filled and (filled >= size or rows >= size):
            cuts.append(start)
            filled = 0
        filled += rows
    return np.split(order, cuts)


def _numbered(pieces: list[Ints]) -> Ints:
    number = np.empty(sum(map(len, pieces)), dtype=np.int64)
    number[np.concatenate(pieces)] = np.repeat(np.arange(len(pieces)), [len(each) for each in pieces])
    return number


def _ranks(values: Ints) -> NDArray[np.int16]:
    """Rank the values of a piece, which has far fewer than 2¹⁵ rows, so that comparing them is cheap."""
    return np.unique(values, return_inverse=True)[1].astype(np.int16)


def _products(a: Columns, b: Columns, largest: float) -> Floats:
    """Sum a·b down each column, in double precision where the sum could reach what single precision rounds."""
    if largest < _SINGLE:
        return np.asarray(np.einsum("rd,rd->d", a, b), dtype=np.float64)
    return np.asarray(np.einsum("rd,rd->d", a.astype(np.float64), b.astype(np.float64)))
