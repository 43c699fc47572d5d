"""The rows that the judge reads: the pieces of all pairs' texts with their segment ids, made for all pairs at once."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.models.onnx.judge_segments import ASSERTED, COMPARED, ROLES
from qassay.text.tokenisers.factorize import number_keys
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Ints

    Spans = Sequence[tuple[int, int]]

_CANDIDATE = ROLES.index("candidate")
_NOWHERE, _EVERYWHERE = (0, 0), (-1, 1 << 60)


class PieceText(NamedTuple):
    """A text in word pieces, without special tokens."""

    pieces: Ints
    keys: Ints
    """Of the words that they are pieces of."""
    spans: Ints
    """Where the pieces stand in the text, joined words parted."""
    parted: bool = False
    """Whether the text has joined words."""


class PairTexts(NamedTuple):
    """The texts of a pair that are not blank, in the order of their roles."""

    roles: tuple[int, ...]
    texts: tuple[PieceText, ...]
    asserted: Spans | None = None
    """Where the candidate asserts something, in its parted text; all of it for None."""


class _Parts(NamedTuple):
    """The texts of all pairs, one behind the other."""

    pair: Ints
    role: Ints
    lengths: Ints
    texts: Sequence[PieceText]


def judge_rows(
    pairs: Sequence[PairTexts], special_tokens: tuple[int, int], *, marks_assertions: bool
) -> list[tuple[Ints, Ints]]:
    """Return the pieces of each pair's texts in one row, with their segment ids.

    A row begins with a special token, and each of its texts ends in one, which matches nothing.
    """
    parts = _parts_of(pairs)
    before, after = special_tokens
    # Each text takes a place more than it has pieces, and each row one more than its texts.
    starts = np.cumsum(parts.lengths + 1) - (parts.lengths + 1) + parts.pair + 1
    widths = 1 + np.bincount(parts.pair, parts.lengths + 1, len(pairs)).astype(np.int64)
    bounds = np.cumsum(np.append(0, widths))
    places = ranges(starts, parts.lengths)
    ids = np.full(bounds[-1], after, np.int64)
    ids[bounds[:-1]] = before
    ids[places] = _flat([text.pieces for text in parts.texts])
    segments = np.empty(bounds[-1], np.int64)
    segments[bounds[:-1]] = [4 * (each.roles[0] if each.roles else 0) for each in pairs]
    segments[ranges(starts, parts.lengths + 1)] = np.repeat(4 * parts.role, parts.lengths + 1)
    segments[places] += _shared(parts)
    if marks_assertions:
        segments[places] += ASSERTED * _asserted(parts, pairs)
    return [(ids[low:high], segments[low:high]) for low, high in pairwise(bounds.tolist())]


def _parts_of(pairs: Sequence[PairTexts]) -> _Parts:
    texts = list(chain.from_iterable(each.texts for each in pairs))
    counts = np.array([len(each.texts) for each in pairs], np.int64)
    roles = np.array(list(chain.from_iterable(each.roles for each in pairs)), np.int64)
    lengths = np.array([len(text.pieces) for text in texts], np.int64)
    return _Parts(np.repeat(np.arange(len(pairs)), counts), roles, lengths, texts)


def _shared(parts: _Parts) -> Ints:
    """Return which texts hold each piece's word: 1 for the first of the two others of its pair, 2 for the second."""
    keys = _flat([text.keys for text in parts.texts])
    role = np.repeat(parts.role, parts.lengths)
    word, first = number_keys(np.repeat(parts.pair, parts.lengths), keys)
    held = np.zeros((len(ROLES), len(first)), bool)
    held[role, word] = True
    others = np.array([[ROLES.index(other) for other in COMPARED[name]] for name in ROLES], np.int64)
    found = held[others[role, 0], word] + 2 * held[others[role, 1], word].astype(np.int64)
    return np.where(keys != 0, found, 0)


def _asserted(parts: _Parts, pairs: Sequence[PairTexts]) -> Bools:
    """Return which pieces a candidate asserts."""
    spans = np.concatenate([np.zeros((0, 2), np.int64), *(text.spans for text in parts.texts)])
    given = [(_EVERYWHERE,) if each.asserted is None else each.asserted for each in pairs]
    found = np.zeros(len(spans), bool)
    of_candidates = parts.role == _CANDIDATE
    for place in range(max(map(len, given), default=0)):
        some = np.array([each[place] if place < len(each) else _NOWHERE for each in given], np.int64)
        wanted = np.where(of_candidates[:, None], some[parts.pair], np.array(_NOWHERE))
        start, end = np.repeat(wanted, parts.lengths, axis=0).T
        found |= (spans[:, 0] < end) & (spans[:, 1] > start)
    return found


def _flat(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *arrays])
