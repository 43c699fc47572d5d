"""Segment ids for the judge: which text a piece belongs to, which other texts hold its word, and what is asserted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Ints

ROLES = ("reference", "question", "candidate", "context")
"""The order in which the texts of a pair are read."""
COMPARED = {
    "reference": ("candidate", "question"),
    "question": ("candidate", "reference"),
    "candidate": ("reference", "question"),
    "context": ("reference", "candidate"),
}
"""For each role, the two texts in which its words are looked for."""
ASSERTED = 4 * (len(ROLES) - ROLES.index("candidate"))
"""What is added to the segment ids of a candidate's pieces that it asserts."""
MARKS = 4 * (len(ROLES) + 1)
LONGEST = {"reference": 128, "question": 64, "candidate": 96, "context": 256}
"""How many pieces of each text are read, including [CLS] and [SEP]; of a longer candidate those around
what it asserts."""
MATCHES_NOTHING, BEGINS_WORD, CONTINUES_WORD = 0, 1, 2


def piece_kinds(vocabulary: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return for every piece whether it begins a word, continues one, or (special, punctuation) matches nothing."""
    kinds = np.zeros(1 + max(vocabulary.values(), default=-1), np.uint8)
    for piece, number in vocabulary.items():
        if piece.startswith("##"):
            kinds[number] = CONTINUES_WORD
        elif any(character.isalnum() for character in piece) and not (piece[0] == "[" and piece[-1] == "]"):
            kinds[number] = BEGINS_WORD
    return kinds


def word_keys(pieces: NDArray[np.integer], kinds: NDArray[np.uint8]) -> Ints:
    """Return for every piece the key of its word: equal words have equal keys; 0 for what matches nothing."""
    return text_keys([pieces], kinds)[0]


def text_keys(texts: Sequence[NDArray[np.integer]], kinds: NDArray[np.uint8]) -> list[Ints]:
    """Return the keys of the words of several texts' pieces."""
    ends = np.cumsum([len(pieces) for pieces in texts])
    keys = _keys(np.concatenate([np.zeros(0, np.int64), *texts]), ends, kinds)
    return [keys[end - len(pieces) : end] for pieces, end in zip(texts, ends.tolist(), strict=True)]


def _keys(pieces: NDArray[np.integer], ends: Ints, kinds: NDArray[np.uint8]) -> Ints:
    """Return the keys of pieces of texts that stand one behind the other and end where `ends` says."""
    if not len(pieces):
        return np.zeros(0, np.int64)
    kind = kinds[pieces]
    begins = kind != CONTINUES_WORD
    begins[0] = True
    begins[ends[ends < len(pieces)]] = True
    starts = np.flatnonzero(begins)
    word = np.cumsum(begins) - 1
    place = np.arange(len(pieces)) - starts[word]
    # A polynomial over the word's pieces, wrapping around: collisions would need two words alike in 64 bits.
    factors = np.power(np.uint64(1_000_003), place.astype(np.uint64))
    keys = np.add.reduceat((pieces.astype(np.uint64) + np.uint64(1)) * factors, starts)
    by_word = np.where(kind[starts] != MATCHES_NOTHING, keys.astype(np.int64), 0)
    by_piece: Ints = by_word[word]
    return by_piece


def segment_ids(keys: Mapping[str, Ints], asserted: Bools | None = None) -> dict[str, Ints]:
    """Return each piece's segment id: its text's role, and which of the two other texts hold its word.

    `asserted` says which pieces of the candidate it asserts, for a judge that is told.
    """
    ids = {}
    for role, own in keys.items():
        found = [(own[:, None] == keys[other]).any(1) & (own != 0) if other in keys else 0 for other in COMPARED[role]]
        ids[role] = (4 * ROLES.index(role) + found[0] + 2 * found[1]) * np.ones(len(own), np.int64)
    if asserted is not None and "candidate" in ids:
        ids["candidate"] = ids["candidate"] + ASSERTED * asserted
    return ids
