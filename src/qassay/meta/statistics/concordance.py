"""Concordant and tied pairs under many weightings of the same rows: what Kendall's τ-b is made of.

Rows sorted by x are cut into blocks, and rows sorted by y into cells, both of whole groups of equal values. Two rows
are either in different blocks and different cells, where running sums over the cells count them; or in one block or
one cell, where a small table of signs counts them in one matrix product for many draws. Nothing is approximated: all
counts are whole numbers or halves, and what single precision could round is done in double.

Each product is so small that the matrix library makes it on one thread. Its own threads would wait for each other
thousands of times; who has several metrics can count them on several threads instead.
"""

from collections.abc import Iterator, Sequence
from math import cbrt, prod

import numpy as np
from numpy.typing import NDArray

from qassay.arrays import Floats, Ints

Columns = NDArray[np.floating]
"""Weights, or sums of them, with one column for each draw."""

_SINGLE = 2.0**23
"""Whole numbers and halves below this are exact in single precision."""
_ONE_THREAD = 1 << 18
"""Multiplications up to which the matrix library does a product on one thread."""
_FEWEST_DRAWS = 16
_TOGETHER = 650_000
"""Numbers that a step works on, so that they stay in the processor's cache."""
_SAVED = 3
"""Equal rows are merged where at least this many become one on average."""
_STRETCHES = 8
"""A piece's running sums are computed in this many parallel stretches."""


def _piece_rows(rows: int) -> int:
    """Choose how many rows are compared pair by pair: more cost more in products, fewer in running sums."""
    return _STRETCHES * max(2, round(cbrt(20 * rows) / _STRETCHES))


def columns_of(weights: Ints) -> list[Columns]:
    """Yield transposed weights (rows, draws), some draws at a time, below a row of zeros for empty cells."""
    draws, rows = weights.shape
    together = _FEWEST_DRAWS * max(1, _ONE_THREAD // _piece_rows(rows) ** 2 // _FEWEST_DRAWS)
    precision = np.float32 if 2 * float(weights.sum(axis=1).max()) < _SINGLE else np.float64
    parts: list[Columns] = []
    for start in range(0, draws, together):
        part = weights[start : start + together].astype(precision)
        columns = np.zeros((rows + 1, len(part)), dtype=precision)
        columns[1:] = part.T
        parts.append(columns)
    return parts


class Sums:
    """Rows that are summed in groups, under many weightings; `rows` says which rows of the columns belong to them."""

    def __init__(self, group: Ints, rows: Ints) -> None:
        from scipy import sparse  # noqa: PLC0415 - heavy, loaded when needed

        self._width = int(rows.max()) + 2
        # An empty group comes first, as the columns have an empty row first.
        cells, shape = (group + 1, rows + 1), (int(group.max()) + 2, self._width)
        self._matrix = sparse.csr_array((np.ones(len(rows), dtype=np.float32), cells), shape)

    def __call__(self, columns: Columns) -> Columns:
        """Return the columns of the groups' weights."""
        return np.asarray(self._matrix @ columns[: self._width])


class Untied:
    """A column of whole numbers (dense ranks) whose pairs of unequal values can be counted under many weightings."""

    def __init__(self, ranks: Ints, rows: Ints) -> None:
        self._sums = Sums(ranks, rows)

    def __call__(self, parts: Sequence[Columns]) -> Floats:
        """Count for each draw."""
        return np.concatenate([self._count(columns) for columns in parts])

    def _count(self, columns: Columns) -> Floats:
        groups = self._sums(columns)
        total = groups.sum(axis=0)
        squares = _products(groups, groups, float(groups.max()) * float(total.max()))
        return np.asarray((total.astype(np.float64) ** 2 - squares) / 2)


class Concordance:
    """Two columns of whole numbers (dense ranks) whose pairs can be counted under many weightings.

    `rows` says which rows of the columns of weights belong to the ranks.
    """

    def __init__(self, x: Ints, y: Ints, rows: Ints) -> None:
        # Fewer values make fewer cells, and a cell of one value has no pairs to count.
        if x.max() < y.max():
            x, y = y, x
        # Equal rows are one row with the sum of their weights, if enough of them make it worth while.
        self._merged: Sums | None = None
        if _SAVED * int(x.max()) < len(rows):
            pairs, pair = np.unique(x * (int(y.max()) + 1) + y, return_inverse=True)
            if _SAVED * len(pairs) <= len(rows):
                self._merged = Sums(pair, rows)
                x, y = np.divmod(pairs, int(y.max()) + 1)
                rows = np.arange(len(pairs))
        size = _piece_rows(len(x))
        block, cell = _cut(x, size), _cut(y, size if y.max() >= size else 1)
        self._cells = int(cell.max()) + 1
        self._blocks = _Table(block, x, y, rows, size)
        self._cell = self._blocks.laid_out(cell, self._cells)
        unequal = np.flatnonzero(np.bincount(cell, y != _first(cell, y))[cell])
        self._mixed = _Table(cell[unequal], y[unequal], block[unequal], rows[unequal], size)

    def __call__(self, parts: Sequence[Columns]) -> Floats:
        """Count concordant less discordant pairs for each draw."""
        if self._merged is not None:
            parts = [self._merged(columns) for columns in parts]
        draws, precision = parts[0].shape[1], parts[0].dtype
        counts = [np.zeros(columns.shape[1]) for columns in parts]
        states = [np.zeros((2, self._cells + 1, columns.shape[1]), precision) for columns in parts]
        room = _Room(precision)
        most = draws * (self._cells + 2 * self._blocks.size)
        for lines in self._blocks.steps(most):
            step = _Step(self._blocks, self._cell, self._cells, lines)
            for part, columns in enumerate(parts):
                counts[part] += step(columns, states[part], room)
        for lines in self._mixed.steps(most):
            rows, signs = self._mixed.rows[lines].T, self._mixed.signs(lines)
            for part, columns in enumerate(parts):
                taken = room.take(columns, rows)
                largest = float(taken.sum(axis=0).max()) ** 2
                within = _products(room.signed(signs, taken), taken, largest)
                counts[part] += within.reshape(taken.shape[1:]).sum(axis=0)
        return np.concatenate(counts)


class _Room:
    """Arrays that are used again and again: getting fresh memory would take longer than what is done in it."""

    def __init__(self, precision: np.dtype[np.floating]) -> None:
        self._precision = precision
        self._arrays: dict[str, Columns] = {}

    def __call__(self, name: str, *shape: int) -> Columns:
        """Return an array of a shape, with anything in it; the one that had the name is no longer needed."""
        size = prod(shape)
        found = self._arrays.get(name)
        if found is None or len(found) < size:
            found = self._arrays[name] = np.empty(size, self._precision)
        return found[:size].reshape(shape)

    def take(self, columns: Columns, index: Ints, name: str = "taken") -> Columns:
        """Pick rows."""
        # Any way to treat indices that are too large makes numpy write to the room itself and not to a copy first.
        return columns.take(index, axis=0, out=self(name, *index.shape, columns.shape[1]), mode="clip")

    def signed(self, signs: Columns, taken: Columns) -> Columns:
        """Multiply each line's table by its rows' weights (size, lines, draws)."""
        found = self("signed", *taken.shape)
        np.matmul(signs, taken.transpose(1, 0, 2), out=found.transpose(1, 0, 2))
        return found


class _Table:
    """Pieces of rows as lines of a table, in which the rows are sorted by the other side.

    A group of equal values that is larger than a line takes several: all of its lines begin at the first.
    """

    def __init__(self, piece: Ints, own: Ints, other: Ints, rows: Ints, size: int) -> None:
        self.size = size
        order = np.lexsort((other, piece))
        sizes = np.bincount(piece)
        sizes = sizes[sizes > 0]
        lines = -(-sizes // size)
        first = np.cumsum(lines) - lines
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._index = np.full((int(lines.sum()), size), -1)
        self._index[np.repeat(first, sizes) + place // size, place % size] = order
        self.first = np.repeat(first, lines)
        self.rows = self.laid_out(rows + 1, 0)
        # Only differences within a line matter, which are far smaller than 2¹⁵: small numbers are compared cheaply.
        own, other = self.laid_out(own, 0), self.laid_out(other, 0)
        self._own = (own - own[:, :1]).astype(np.int16)
        self._other = np.cumsum(np.diff(other, axis=1, prepend=other[:, :1]) != 0, axis=1, dtype=np.int16)

    def laid_out(self, values: Ints, empty: int) -> Ints:
        """Return for each place in the table the value of its row."""
        return np.asarray(np.append(values, empty)[self._index])

    def steps(self, numbers: int) -> Iterator[slice]:
        """Take some lines at a time, given how many numbers each brings."""
        together = max(1, _TOGETHER // numbers)
        for start in range(0, len(self.rows), together):
            yield slice(start, start + together)

    def signs(self, lines: slice) -> Columns:
        """Return ½ for concordant pairs of a line and -½ for discordant ones, as each comes up twice."""
        own, other = (side[lines] for side in (self._own, self._other))
        both = np.sign(own[:, :, None] - own[:, None, :])
        both *= np.sign(other[:, :, None] - other[:, None, :])
        return np.asarray(both.astype(np.float32) * np.float32(0.5))


class _Step:
    """Some lines of blocks: their pairs within, and with all blocks before."""

    def __init__(self, blocks: _Table, cell: Ints, cells: int, lines: slice) -> None:
        self._rows, cell = blocks.rows[lines].T, cell[lines]
        count = len(cell)
        self._signs = blocks.signs(lines)
        line = np.arange(count)[:, None]
        # How many of a line's rows lie below each cell; the last place of the running sums holds 0.
        by_cell = np.bincount((line * (cells + 1) + cell).ravel(), minlength=count * (cells + 1)).reshape(count, -1)
        below = np.cumsum(by_cell, axis=1) - by_cell
        self._below = np.where(below > 0, (below - 1) * count + line, count * blocks.size)
        # Blocks before a line's own: those at the line where its block begins, or before this step.
        self._state = np.maximum(blocks.first[lines] - lines.start + 1, 0)
        self._at = (self._state[:, None] * (cells + 1) + np.where(cell < cells, cell, 0)).T

    def __call__(self, columns: Columns, state: Columns, room: _Room) -> Floats:
        """Count concordant less discordant pairs for each draw, and bring the state up to date.

        The state is two running sums over the cells: before the block that is open, and up to here.
        """
        size, count = self._rows.shape
        draws = columns.shape[1]
        taken = room.take(columns, self._rows)
        up_to = room("up to", size * count + 1, draws)
        _run(taken.reshape(size, -1), up_to[:-1].reshape(size, -1))
        up_to[-1] = 0
        added = room.take(up_to, self._below, "added")
        states = room("states", count + 2, *state.shape[1:])
        states[:2] = state
        for line in range(count):
            np.add(states[line + 1], added[line], out=states[line + 2])
        state[:] = states[self._state[-1]], states[-1]
        weight, before = added[:, -1], states[self._state, -1]
        largest = float(weight.max()) * float(2 * before.max() + weight.max())
        flat = states.reshape(-1, draws)
        below_less_above = room.take(flat, self._at, "below")
        below_less_above += room.take(flat, self._at + 1, "up to and with")
        below_less_above += room.signed(self._signs, taken)
        counted = _products(below_less_above, taken, largest).reshape(count, draws)
        return np.asarray((counted - weight.astype(np.float64) * before).sum(axis=0))


def _cut(ranks: Ints, size: int) -> Ints:
    """Number each row's piece: whole groups of equal values, up to `size` rows, or one group that is larger."""
    ends = np.cumsum(np.bincount(ranks))
    if len(ends) == len(ranks):
        return ranks // size
    piece = np.empty(len(ends), dtype=np.int64)
    start = rows = number = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, rows + size, side="right")))
        piece[start:stop] = number
        start, rows, number = stop, int(ends[stop - 1]), number + 1
    return piece[ranks]


def _first(piece: Ints, ranks: Ints) -> Ints:
    """Return for each row the rank of one row of its piece."""
    one = np.empty(int(piece.max()) + 1, dtype=np.int64)
    one[piece] = ranks
    return one[piece]


def _run(values: Columns, up_to: Columns) -> None:
    """Sum (rows, many) up to each row: whole rows are added at a time, which numpy's own running sums do not do."""
    given, sums = (each.reshape(_STRETCHES, -1, values.shape[1]) for each in (values, up_to))
    sums[:, 0] = given[:, 0]
    for place in range(1, given.shape[1]):
        np.add(sums[:, place - 1], given[:, place], out=sums[:, place])
    for stretch in range(1, _STRETCHES):
        sums[stretch] += sums[stretch - 1, -1]


def _products(a: Columns, b: Columns, largest: float) -> Floats:
    """Sum a·b down the first axis, in double precision where the sum could reach what single precision rounds."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    if largest < _SINGLE:
        return np.asarray(np.einsum("rd,rd->d", a, b), dtype=np.float64)
    return np.asarray(np.einsum("rd,rd->d", a.astype(np.float64), b.astype(np.float64)))
