"""Rows of text as the numbers a judge's network reads: distinct texts in word pieces, and rows that point to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.onnx.judge_segments import LONGEST, piece_kinds
from qassay.text.split_joined import split_joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from qassay.training.judge.rows import JudgeRow

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
    """One per row."""
    source: NDArray[np.int64]
    """One per row: the number of its source in `sources`."""
    sources: NDArray[np.str_]

    def pairs_where(self, chosen: NDArray[np.bool_]) -> JudgeInputs:
        """Keep some of the pairs; rows and texts stay, whether a pair points to them or not."""
        columns = ("context", "reference", "question", "candidate", "row")
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})


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
    cut = tokenizer.encode_batch([split_joined(text) for text, _ in numbers])
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
        kinds=piece_kinds(tokenizer.get_vocab()),
        context=columns[0],
        reference=columns[1],
        question=columns[2],
        candidate=columns[3],
        row=columns[4],
        label=np.array([row.label for row in rows], np.float32),
        source=np.array([sources.index(row.source) for row in rows], np.int64),
        sources=np.array(sources),
    )
