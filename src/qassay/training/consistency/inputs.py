"""Claims about documents as the consistency network takes them: word pieces, and which of them are wrong or support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.training.chunker.inputs import pieces_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from qassay.training.answer_text import Span
    from qassay.training.consistency.rows import DocumentRow

LONGEST_CLAIM = 96
LONGEST_DOCUMENT = 320
"""Word pieces that are read of a claim and of a window of a document, marks included."""
NOWHERE = (0, 0)
"""The opening mark, which stands for no span."""


@dataclass(slots=True)
class ConsistencyInputs:
    """Claims on documents, as numbers of distinct texts."""

    texts: list[list[int]]
    """Word pieces with [CLS] and [SEP]."""
    claims: list[int]
    documents: list[int]
    consistent: list[bool]
    wrong: list[tuple[Span, ...]]
    """First and last piece of what is wrong in the claim; the opening mark where nothing is, none where unknown."""
    support: list[tuple[Span, ...]]
    """First and last piece of what supports it in the document; the opening mark where nothing does."""
    kinds: list[str]
    sources: list[str]


def prepare(rows: Iterable[DocumentRow], cut: Callable[[str], tuple[list[int], list[Span]]]) -> ConsistencyInputs:
    """Turn rows into word pieces; `cut` gives a text's pieces with [CLS] and [SEP], and their places.

    Texts that are longer than is read at once end early, and spans behind their end are left out.
    """
    made = ConsistencyInputs([], [], [], [], [], [], [], [])
    known: dict[str, tuple[int, list[Span]]] = {}

    def number(text: str, longest: int) -> tuple[int, list[Span]]:
        if text not in known:
            pieces, places = cut(text)
            if len(pieces) > longest:
                pieces, places = [*pieces[: longest - 1], pieces[-1]], [*places[: longest - 1], (0, 0)]
            known[text] = len(made.texts), places
            made.texts.append(pieces)
        return known[text]

    for row in rows:
        document, places = number(row.document, LONGEST_DOCUMENT)
        for claim in row.claims:
            text, inside = number(claim.text, LONGEST_CLAIM)
            made.claims.append(text)
            made.documents.append(document)
            made.consistent.append(claim.consistent)
            made.wrong.append((NOWHERE,) if claim.consistent else _pieces(inside, claim.wrong))
            unsupported = not claim.consistent and not claim.wrong
            made.support.append((NOWHERE,) if unsupported else _pieces(places, claim.support))
            made.kinds.append(claim.kind)
            made.sources.append(row.source)
    return made


def _pieces(places: list[Span], spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the first and last piece of spans of characters, those that there are."""
    found = (pieces_within(places, span) for span in spans)
    return tuple((first, last - 1) for first, last in found if first < last)
