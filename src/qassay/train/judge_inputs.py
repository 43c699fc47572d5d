"""Rows of text as the numbers a judge's network reads: distinct texts in word pieces, and rows that point to them.

Nothing here needs more than numpy, so that prepared rows travel to a machine with an accelerator as one file.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from qassay.train.judge_rows import JudgeRow

MATCHES_NOTHING, BEGINS_WORD, CONTINUES_WORD = 0, 1, 2
LONGEST = {"context": 256, "reference": 128, "question": 64, "candidate": 160}
"""Pieces that are read of each text, [CLS] and [SEP] included; what is beyond is cut off."""
_NONE = -1


@dataclass(slots=True)
class JudgeInputs:
    """Distinct texts as word pieces, one after the other, and for each pair of answers the texts it consists of."""

    pieces: NDArray[np.uint16]
    lengths: NDArray[np.int64]
    """Pieces of each text."""
    kinds: NDArray[np.uint8]
    """For every piece of the vocabulary: whether it begins a word, continues one, or counts for no match."""
    context: NDArray[np.int64]
    """The text's number, -1 for none; likewise the three that follow."""
    reference: NDArray[np.int64]
    question: NDArray[np.int64]
    candidate: NDArray[np.int64]
    row: NDArray[np.int64]
    """The row that a pair belongs to: one with several references has as many pairs."""
    label: NDArray[np.float32]
    """One a row."""
    source: NDArray[np.int64]
    """One a row: the number of its source in `sources`."""
    sources: NDArray[np.str_]

    def save(self, path: Path) -> None:
        """Write all of it as one compressed file."""
        np.savez_compressed(path, **{each.name: getattr(self, each.name) for each in fields(self)})

    @classmethod
    def load(cls, path: Path) -> JudgeInputs:
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(**{each.name: stored[each.name] for each in fields(cls)})


def piece_kinds(tokenizer: Tokenizer) -> NDArray[np.uint8]:
    """Say of every piece whether it begins a word, continues one, or (special pieces, marks) matches nothing."""
    kinds = np.zeros(tokenizer.get_vocab_size(), np.uint8)
    for piece, number in tokenizer.get_vocab().items():
        if piece.startswith("##"):
            kinds[number] = CONTINUES_WORD
        elif any(character.isalnum() for character in piece) and not (piece[0] == "[" and piece[-1] == "]"):
            kinds[number] = BEGINS_WORD
    return kinds


def word_keys(pieces: NDArray[np.integer], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Give every piece the key of the word it stands in: equal words have equal keys; 0 for what matches nothing."""
    if not len(pieces):
        return np.zeros(0, np.int64)
    kind = kinds[pieces]
    starts = np.flatnonzero(kind != CONTINUES_WORD)
    starts = starts if len(starts) and starts[0] == 0 else np.concatenate([[0], starts])
    word = np.cumsum(np.isin(np.arange(len(pieces)), starts)) - 1
    place = np.arange(len(pieces)) - starts[word]
    # A polynomial over the word's pieces, wrapping around: collisions would need two words alike in 64 bits.
    factors = np.power(np.uint64(1_000_003), place.astype(np.uint64))
    keys = np.add.reduceat((pieces.astype(np.uint64) + np.uint64(1)) * factors, starts)
    matching = kind[starts] != MATCHES_NOTHING
    by_word: NDArray[np.int64] = np.where(matching, keys.astype(np.int64), 0)
    return by_word[word]


def prepare(rows: Sequence[JudgeRow], tokenizer: Tokenizer) -> JudgeInputs:
    """Cut the texts of all rows into pieces, each distinct text once."""
    numbers: dict[tuple[str, int], int] = {}

    def number(text: str, kind: str) -> int:
        if not text.strip():
            return _NONE
        return numbers.setdefault((text, LONGEST[kind]), len(numbers))

    pairs = [
        (
            number(row.context, "context"),
            number(reference, "reference"),
            number(row.question, "question"),
            number(row.candidate, "candidate"),
            index,
        )
        for index, row in enumerate(rows)
        for reference in row.references
    ]
    cut = tokenizer.encode_batch([text for text, _ in numbers])
    # Long texts lose their end but keep the closing [SEP].
    texts = [
        found.ids if len(found.ids) <= longest else [*found.ids[: longest - 1], found.ids[-1]]
        for found, (_, longest) in zip(cut, numbers, strict=True)
    ]
    sources = sorted({row.source for row in rows})
    columns = np.array(pairs, np.int64).reshape(-1, 5).T
    return JudgeInputs(
        pieces=np.fromiter((piece for text in texts for piece in text), np.uint16),
        lengths=np.array([len(text) for text in texts], np.int64),
        kinds=piece_kinds(tokenizer),
        context=columns[0],
        reference=columns[1],
        question=columns[2],
        candidate=columns[3],
        row=columns[4],
        label=np.array([row.label for row in rows], np.float32),
        source=np.array([sources.index(row.source) for row in rows], np.int64),
        sources=np.array(sources),
    )
