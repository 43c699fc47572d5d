"""Keyphrase rows and judged pairs as word pieces, ready for training."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qassay.text.tokenisers.tokenise import locate, word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Ints
    from qassay.models.base import Encoder, TokenEmbeddings, Weigher
    from qassay.training.keyphrase.rows import JudgedPair, KeyphraseRow

    Shares = NDArray[np.float32]
    Cut = Callable[[Sequence[str]], list[tuple[Ints, Ints]]]

LONGEST_QUESTION = 48
SOFT_LAYER = 2
SOFT_POWER = 4


@dataclass(slots=True)
class Examples:
    """Questions and answers as word pieces, with what the weights of the answers' pieces should be."""

    texts: list[tuple[str, str]]
    questions: list[Ints]
    answers: list[Ints]
    spans: list[Ints]
    """The answers' pieces in characters."""
    marked: list[Shares] = field(default_factory=list)
    """The key pieces' shares of each answer, which add up to 1; none for pairs without marks."""
    taught: list[Shares] = field(default_factory=list)
    """The teachers' mean weights; none without teachers."""
    sources: list[str] = field(default_factory=list)

    @classmethod
    def cut(cls, texts: Sequence[tuple[str, str]], cut: Cut, longest: int) -> Examples:
        """Cut (question, answer) pairs with `cut`, which gives pieces and spans; answers end at `longest` pieces."""
        questions = [ids[:LONGEST_QUESTION] for ids, _ in cut([question for question, _ in texts])]
        answers = cut([answer for _, answer in texts])
        return cls(
            list(texts), questions, [ids[:longest] for ids, _ in answers], [spans[:longest] for _, spans in answers]
        )

    @classmethod
    def of(cls, rows: Sequence[KeyphraseRow], cut: Cut, longest: int) -> Examples:
        """Cut rows and mark their key pieces; a row whose key part lies beyond `longest` pieces is left out."""
        spans = [places[:longest] for _, places in cut([row.answer for row in rows])]
        marks = [_touched(places, row.spans) for places, row in zip(spans, rows, strict=True)]
        kept = [index for index, mark in enumerate(marks) if mark.any()]
        made = cls.cut([(rows[index].question, rows[index].answer) for index in kept], cut, longest)
        made.marked = [(marks[index] / marks[index].sum()).astype(np.float32) for index in kept]
        made.sources = [rows[index].source for index in kept]
        return made

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def lengths(self) -> Ints:
        """Pieces of each answer."""
        return np.array([len(answer) for answer in self.answers], np.int64)

    def learn_from(self, teachers: Sequence[Weigher], *, with_question: bool = True) -> None:
        """Ask teachers, which must cut texts into the same pieces, for the weights of every answer's pieces."""
        asked = [(question if with_question else None, answer) for question, answer in self.texts]
        opinions = [teacher.weigh(asked) for teacher in teachers]
        self.taught = []
        for index, spans in enumerate(self.spans):
            weights = np.mean([opinion[index].weights[: len(spans)] for opinion in opinions], axis=0)
            self.taught.append((weights / max(weights.sum(), np.finfo(float).tiny)).astype(np.float32))


@dataclass(slots=True)
class JudgedExamples:
    """Judged pairs: candidate and reference as examples, and which of their pieces the other side holds."""

    examples: Examples
    candidate: Ints
    reference: Ints
    label: NDArray[np.float32]
    exact: tuple[list[Shares], list[Shares]]
    """For each pair, both sides: the share of each piece's word that the other side holds (repeats clipped)."""
    soft: tuple[list[Shares], list[Shares]]
    """The same by embeddings: each piece's highest cosine, clipped at 0 and sharpened."""

    @classmethod
    def of(cls, pairs: Sequence[JudgedPair], cut: Cut, longest: int, encoder: Encoder) -> JudgedExamples:
        """Hold each candidate against the reference that it shares most words with.

        Pairs of which a side has no piece are left out: there is nothing to weigh.
        """
        pairs = [pair for pair in pairs if pair.references]
        numbers: dict[tuple[str, str], int] = {}
        chosen = [(pair.question, pair.candidate, closest(pair)) for pair in pairs]
        sides = [
            np.array([numbers.setdefault((entry[0], entry[side]), len(numbers)) for entry in chosen], np.int64)
            for side in (1, 2)
        ]
        examples = Examples.cut(list(numbers), cut, longest)
        kept = np.logical_and(*(examples.lengths[side] > 0 for side in sides)) if pairs else np.zeros(0, bool)
        sides = [side[kept] for side in sides]
        encoded = encoder.encode([text for _, text in examples.texts], min(SOFT_LAYER, encoder.layers))
        exact: tuple[list[Shares], list[Shares]] = ([], [])
        soft: tuple[list[Shares], list[Shares]] = ([], [])
        for left, right in zip(*(side.tolist() for side in sides), strict=True):
            for ours, theirs, held in ((left, right, exact[0]), (right, left, exact[1])):
                held.append(_held(examples.texts[ours][1], examples.texts[theirs][1], examples.spans[ours]))
            for held, near in zip(soft, _nearest(encoded[left], encoded[right]), strict=True):
                held.append(near[:longest])
        label = np.array([pair.label for pair in pairs], np.float32)[kept]
        return cls(examples, sides[0], sides[1], label, exact, soft)


def closest(pair: JudgedPair) -> str:
    """Return the reference that shares the largest part of its words with the candidate."""
    held = set(word(pair.candidate))

    def overlap(text: str) -> float:
        words = set(word(text))
        return len(held & words) / max(len(held | words), 1)

    return max(pair.references, key=overlap)


def _touched(spans: Ints, chosen: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    found = np.zeros(len(spans), bool)
    for start, end in chosen:
        found |= (spans[:, 0] < end) & (start < spans[:, 1])
    return found


def _held(text: str, other: str, spans: Ints) -> Shares:
    ours, theirs = word(text), Counter(word(other))
    counts = Counter(ours)
    held = np.zeros(len(spans), np.float32)
    for token, place in zip(ours, locate(text, ours), strict=True):
        share = min(counts[token], theirs[token]) / counts[token]
        if share:
            touched = _touched(spans, [place])
            held[touched] = np.maximum(held[touched], share)
    return held


def _nearest(left: TokenEmbeddings, right: TokenEmbeddings) -> tuple[Shares, Shares]:
    units = [each.vectors / np.linalg.norm(each.vectors, axis=1, keepdims=True) for each in (left, right)]
    cosines = np.clip(units[0] @ units[1].T, 0, 1) ** SOFT_POWER
    return cosines.max(1)[~left.special], cosines.max(0)[~right.special]
