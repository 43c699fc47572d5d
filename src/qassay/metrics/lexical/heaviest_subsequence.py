"""The heaviest of the longest common subsequences of two texts, for many pairs of texts at once.

Two texts often have several longest common subsequences. Where tokens have weights, it matters which one is taken: of
"there are seven steps involved" and "four steps are involved" it is "are involved" or "steps involved".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from qassay.arrays import summed
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qassay.arrays import Bools, Floats, Ints
    from qassay.text.tokenisers.tokens import Tokens

_TOKEN = 4.0
"""What a token adds for itself. The shares of weight that a subsequence has on both sides add up to 2 at most, so that
they decide between subsequences of one length and never between two lengths."""
_TABLE = 1 << 17
"""Cells that are filled at once."""
LARGEST_TABLE = 1 << 25
"""Shared tokens of the candidate times those of the reference up to which the heaviest one is looked for: half a
second. Beyond that any longest one is taken."""


class _Shared(NamedTuple):
    """Of one side of each pair, the tokens that the other side has too: no other can be in a common subsequence."""

    position: Ints
    """Where each of them stands among all texts' tokens, pair after pair."""
    starts: Ints
    """Where each pair's begin."""

    @property
    def lengths(self) -> Ints:
        """How many each pair has."""
        return np.diff(self.starts)


def heaviest_subsequence(tokens: Tokens, left: Ints, right: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weights, on the left and on the right, of each pair's heaviest longest common subsequence.

    Heaviest is the one with the largest sum of its shares of both texts' weight: of precision and recall.
    """
    totals = summed(tokens.text_of, weights, len(tokens))
    shares = weights / np.where(totals > 0, totals, 1.0)[tokens.text_of]
    ours, theirs = _shared(tokens, left, right)
    cells = ours.lengths.astype(np.float64) * theirs.lengths
    sides = [_any_subsequence(tokens, left, right, np.flatnonzero(cells > LARGEST_TABLE))]
    for rows in _similar_sizes(ours.lengths, theirs.lengths, np.flatnonzero((cells > 0) & (cells <= LARGEST_TABLE))):
        tables = [_padded(tokens, side, rows, shares) for side in (ours, theirs)]
        pair, i, j = _trace(*_fill(*tables))
        sides.append(
            (rows[pair], ours.position[ours.starts[rows[pair]] + i], theirs.position[theirs.starts[rows[pair]] + j])
        )
    pair, i, j = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    # Added up in the texts' own order, as the totals are: so no share comes out above 1, and no other text matters.
    order = np.argsort(i, kind="stable")
    pair, i, j = pair[order], i[order], j[order]
    return summed(pair, weights[i], len(left)), summed(pair, weights[j], len(left))


def _shared(tokens: Tokens, left: Ints, right: Ints) -> tuple[_Shared, _Shared]:
    places, pairs, keys = [], [], []
    for texts in (left, right):
        lengths = tokens.lengths[texts]
        places.append(ranges(tokens.starts[texts], lengths))
        pairs.append(np.repeat(np.arange(len(texts)), lengths))
        keys.append(pairs[-1] * len(tokens.words) + tokens.ids[places[-1]])
    found = []
    for place, pair, here, there in zip(places, pairs, keys, keys[::-1], strict=True):
        kept = np.isin(here, there)
        counts = np.bincount(pair[kept], minlength=len(left))
        found.append(_Shared(place[kept], np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))))
    return found[0], found[1]


def _similar_sizes(left: Ints, right: Ints, rows: Ints) -> Iterator[Ints]:
    """Yield the pairs in groups of similar lengths, whose tables are filled together."""
    rows = rows[np.lexsort((right[rows], left[rows]))]
    start = 0
    while start < len(rows):
        cells = np.maximum.accumulate(left[rows[start:]]) * np.maximum.accumulate(right[rows[start:]])
        fitting = int(np.searchsorted(cells * np.arange(1, len(cells) + 1), _TABLE, side="right"))
        yield rows[start : start + max(fitting, 1)]
        start += max(fitting, 1)


def _padded(tokens: Tokens, side: _Shared, rows: Ints, shares: Floats) -> tuple[Ints, Floats]:
    """Return some pairs' tokens and their shares of weight as two tables, one row per pair; -1 where a row ended."""
    lengths = side.lengths[rows]
    inside = np.arange(lengths.max()) < lengths[:, None]
    position = side.position[ranges(side.starts[rows], lengths)]
    ids, of_token = np.full(inside.shape, -1, np.int64), np.zeros(inside.shape)
    ids[inside], of_token[inside] = tokens.ids[position], shares[position]
    return ids, of_token


def _fill(left: tuple[Ints, Floats], right: tuple[Ints, Floats]) -> tuple[Bools, Bools]:
    """Return for each cell, (left tokens, pairs, right tokens), whether the best of it is that above, or that before.

    A cell's value is the best that the tokens up to there have in common: their number first, their weight second.
    """
    (left_ids, left_shares), (right_ids, right_shares) = left, right
    pairs, width = right_ids.shape
    above, before = (np.zeros((left_ids.shape[1], pairs, width), bool) for _ in range(2))
    previous, current = (np.zeros((pairs, width + 1)) for _ in range(2))
    for i in range(left_ids.shape[1]):
        gain = _TOKEN + left_shares[:, i, None] + right_shares
        equal = (left_ids[:, i, None] == right_ids) & (right_ids >= 0)
        taken = np.where(equal, previous[:, :-1] + gain, 0.0)
        np.maximum.accumulate(np.maximum(previous[:, 1:], taken), axis=1, out=current[:, 1:])
        np.equal(current[:, 1:], previous[:, 1:], out=above[i])
        np.equal(current[:, 1:], current[:, :-1], out=before[i])
        previous, current = current, previous
    return above, before


def _trace(above: Bools, before: Bools) -> tuple[Ints, Ints, Ints]:
    """Walk back from the last cell of each pair: return the pair and both places of every token on the way."""
    height, pairs, width = above.shape
    pair, i, j = np.arange(pairs), np.full(pairs, height - 1), np.full(pairs, width - 1)
    found: list[tuple[Ints, Ints, Ints]] = []
    while len(pair):
        up = above[i, pair, j]
        back = ~up & before[i, pair, j]
        taken = ~up & ~back
        found.append((pair[taken], i[taken], j[taken]))
        i, j = i - (up | taken), j - (back | taken)
        inside = (i >= 0) & (j >= 0)
        pair, i, j = pair[inside], i[inside], j[inside]
    joined = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    return joined[0], joined[1], joined[2]


def _any_subsequence(tokens: Tokens, left: Ints, right: Ints, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the pair and both places, in all texts' tokens, of every token of a longest common subsequence."""
    coded, starts = tokens.as_strings if len(rows) else [], tokens.starts.tolist()
    blocks = [
        (row, starts[a] + block.src_start, starts[b] + block.dest_start, block.src_end - block.src_start)
        for row, a, b in zip(rows.tolist(), left[rows].tolist(), right[rows].tolist(), strict=True)
        for block in LCSseq.opcodes(coded[a], coded[b])
        if block.tag == "equal"
    ]
    pair, left_start, right_start, length = np.array(blocks, np.int64).reshape(-1, 4).T
    return np.repeat(pair, length), ranges(left_start, length), ranges(right_start, length)
