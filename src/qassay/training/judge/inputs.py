"""Rows of text as the numbers a judge's network reads: distinct texts in word pieces, and rows that point to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.onnx.judge import around
from qassay.models.onnx.judge_segments import LONGEST, piece_kinds
from qassay.text.split_joined import moved_spans, split_joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from qassay.training.answer_text import Span
    from qassay.training.judge.rows import JudgeRow

    Asserted = tuple[Span, ...] | None
    """Where a candidate asserts something; all of it for None."""

_NONE = -1
_EDGES = 2
"""[CLS] and [SEP]."""


@dataclass(slots=True)
class JudgeInputs:
    """Distinct texts as word pieces, one after the other, and for each pair of answers the texts it consists of."""

    pieces: NDArray[np.uint16]
    asserted: NDArray[np.bool_]
    """For every piece whether its text asserts it; only candidates do."""
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


def prepare(rows: Sequence[JudgeRow], tokenizer: Tokenizer, asserted: Sequence[Asserted] | None = None) -> JudgeInputs:
    """Cut the texts of all rows into pieces, each distinct text once.

    `asserted` says of each row where its candidate asserts something; without it candidates assert all of themselves.
    """
    numbers: dict[tuple[str, int, Asserted], int] = {}

    def number(text: str, kind: str, spans: Asserted = ()) -> int:
        if not text.strip():
            return _NONE
        return numbers.setdefault((text, LONGEST[kind], spans), len(numbers))

    pairs = [
        (
            number(row.context, "context"),
            number(reference, "reference"),
            number(row.question, "question"),
            number(row.candidate, "candidate", asserted[index] if asserted else None),
            index,
        )
        for index, row in enumerate(rows)
        for reference in row.references
    ]
    cut = tokenizer.encode_batch([split_joined(text) for text, _, _ in numbers])
    pieces, marks = [], []
    for found, (text, longest, spans) in zip(cut, numbers, strict=True):
        marked = _marked(text, np.array(found.offsets[1:-1], np.int64).reshape(-1, 2), spans)
        # Long texts lose their end, candidates what is far from what they assert; [CLS] and [SEP] stay.
        kept = slice(0, longest - _EDGES) if spans == () else around(marked, min(longest - _EDGES, len(marked)))
        pieces.append([found.ids[0], *found.ids[1:-1][kept], found.ids[-1]])
        marks.append([False, *marked[kept].tolist(), False])
    sources = sorted({row.source for row in rows})
    columns = np.array(pairs, np.int64).reshape(-1, 5).T
    return JudgeInputs(
        pieces=np.fromiter((piece for text in pieces for piece in text), np.uint16),
        asserted=np.fromiter((mark for text in marks for mark in text), bool),
        lengths=np.array([len(text) for text in pieces], np.int64),
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


def _marked(text: str, offsets: NDArray[np.int64], spans: Asserted) -> NDArray[np.bool_]:
    """Return which pieces of a text it asserts."""
    if spans is None:
        return np.ones(len(offsets), bool)
    found = np.zeros(len(offsets), bool)
    for start, end in moved_spans(text, spans):
        found |= (offsets[:, 0] < end) & (offsets[:, 1] > start)
    return found
