"""Hashes of many texts at once: 64 bits each, the same on every machine. They tell texts apart; they hide nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qassay.text.utf8 import byte_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

Hashes = NDArray[np.uint64]
_WORD = 8
_STEP, _FIRST, _SECOND = (np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""The constants of SplitMix64 (Steele et al. 2014)."""
_MASKS = np.array([(1 << 8 * kept) - 1 for kept in (8, 1, 2, 3, 4, 5, 6, 7)], np.uint64)
"""By the length of a text modulo 8, what its last word keeps."""


def hash_texts(texts: Sequence[str], lane: int = 0) -> Hashes:
    """Return a hash of each text; other lanes give other hashes, as if drawn anew."""
    content, lengths = _joined(texts)
    words = -(-lengths // _WORD)
    # Eight bytes from every byte on, so that a text may begin anywhere.
    padded = np.frombuffer(content + bytes(_WORD), np.uint8)
    overlapping = np.lib.stride_tricks.as_strided(
        padded[:_WORD].view("<u8"), (len(content) + 1,), (1,), writeable=False
    )
    ends = np.cumsum(words)
    firsts, starts = np.cumsum(lengths) - lengths, ends - words
    position = np.arange(len(content) and int(ends[-1])) - np.repeat(starts, words)
    found = overlapping[np.repeat(firsts, words) + _WORD * position]
    filled = words > 0
    found[ends[filled] - 1] &= _MASKS[lengths[filled] % _WORD]
    # Each word is spread over 64 bits together with its place, and all are summed.
    found ^= (position + (1 + (lane << 32))).view(np.uint64) * _STEP
    found *= _FIRST
    found ^= found >> np.uint64(32)
    found *= _SECOND
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(found)])
    return mix(sums[ends] - sums[starts] + lengths.astype(np.uint64) * _FIRST)


def mix(values: Hashes) -> Hashes:
    """Return numbers that look random and follow from the given ones, as SplitMix64 makes them."""
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


def tagged(hashes: Hashes, tag: int | Hashes) -> Hashes:
    """Return hashes that depend on a tag too: a field, or a place in a list. Their sum stands for a record."""
    return mix(hashes + (_mixed_tag(tag) if isinstance(tag, int) else mix(tag * _STEP + _SECOND)))


@cache
def _mixed_tag(tag: int) -> Hashes:
    return mix(np.array([tag], np.uint64) * _STEP + _SECOND)


def _joined(texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """Return all texts as bytes, and how many bytes each has."""
    coded = byte_texts(texts)
    return "".join(coded).encode("latin-1"), np.fromiter(map(len, coded), np.int64, len(coded))
