"""Labelled sentences as the chunker's network takes them: word pieces with a number for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.models.syntax import CHUNKS, ENTITIES, KINDS, PARTS
from qassay.training.chunker.rows import KindRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from qassay.training.answer_text import Span
    from qassay.training.chunker.rows import ChunkerRow

LABELS = {"parts": PARTS, "chunks": CHUNKS, "entities": ENTITIES}
_UNKNOWN = -100


@dataclass(slots=True)
class Sentences:
    """Distinct sentences as word pieces, with the labels that are known of them."""

    pieces: list[list[int]]
    labels: dict[str, list[list[int]]]
    """One a piece for `parts`, `chunks` and `entities`; -100 where nothing is known."""
    answers: list[list[tuple[int, int, int]]]
    """Spans of pieces with the number of the kind of question that they answer."""


def prepare(rows: Iterable[ChunkerRow], cut: Callable[[str], tuple[list[int], list[Span]]]) -> Sentences:
    """Turn rows into labelled word pieces; `cut` gives a text's pieces with [CLS] and [SEP], and their places.

    A label belongs to the pieces of its word: the first piece of a chunk begins it, the others are inside.
    """
    found = Sentences([], {"parts": [], "chunks": [], "entities": []}, [])
    known: dict[str, int] = {}
    places: list[list[Span]] = []
    for row in rows:
        number = known.setdefault(row.text, len(known))
        if number == len(found.pieces):
            pieces, spans = cut(row.text)
            found.pieces.append(pieces)
            places.append(spans)
            for layer in found.labels.values():
                layer.append([_UNKNOWN] * len(pieces))
            found.answers.append([])
        if isinstance(row, KindRow):
            first, last = pieces_within(places[number], row.span)
            if first < last:
                found.answers[number].append((first, last, KINDS.index(row.kind)))
            continue
        for name, layer in found.labels.items():
            _mark(layer[number], places[number], row.words, getattr(row, name), LABELS[name])
    return found


def _mark(
    marked: list[int], places: Sequence[Span], words: Sequence[Span], labels: Sequence[str], names: Sequence[str]
) -> None:
    for word, label in zip(words, labels, strict=False):
        first, last = pieces_within(places, word)
        inside = f"I-{label[2:]}" if label.startswith("B-") else label
        for piece in range(first, last):
            name = label if piece == first else inside
            marked[piece] = names.index(name) if name in names else 0


def pieces_within(places: Sequence[Span], span: Span) -> Span:
    """Return the range of pieces that touch a span of characters; empty places are special pieces."""
    touched = [i for i, (start, end) in enumerate(places) if start < end and start < span[1] and span[0] < end]
    return (touched[0], touched[-1] + 1) if touched else (0, 0)
