"""A text split into words and the characters between them, for colouring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.report.explain.alignment import Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from qassay.report.explain.explanation import ExplainedText, ReferenceComparison

_NO_WEIGHTS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Segment:
    """A word with its match and weights, or the characters between words."""

    text: str
    match: Match
    weights: Mapping[str, float]
    asserted: bool = False
    """Whether it belongs to what the answer asserts."""


def segments(side: ExplainedText) -> Iterator[Segment]:
    """Yield the whole shown text in segments; neighbours that look alike are joined unless they have weights."""
    text, position = side.shown.text, 0
    for word in side.words:
        if word.start > position:
            yield Segment(text[position : word.start], Match.NONE, _NO_WEIGHTS, side.asserts(position, word.start))
        if word.end > word.start:
            asserted = side.asserts(word.start, word.end)
            yield Segment(text[word.start : word.end], word.match, word.weights, asserted)
            position = word.end
    if position < len(text):
        yield Segment(text[position:], Match.NONE, _NO_WEIGHTS, side.asserts(position, len(text)))


def strongest(comparison: ReferenceComparison, weighting: str) -> float:
    """Return the highest weight on either side, which the heat map shows at full strength."""
    words = (*comparison.candidate_side.words, *comparison.reference_side.words)
    return max((word.weights.get(weighting, 0.0) for word in words), default=0.0)
