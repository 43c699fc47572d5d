"""What an answer asserts, in words for a person."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.records import AnswerNotes

_LONGEST = 200
"""How many characters of the asserted words are worth showing."""
NOTHING_SAID = "asserts nothing"


def says(notes: AnswerNotes) -> str:
    """Return what is shown beside a verdict: `says: Jules Massenet`, or that nothing is asserted."""
    if notes.asserted is None:
        return NOTHING_SAID
    return f"says: {shorten(notes.asserted, _LONGEST, placeholder=' …')}"


def asserted_spans(notes: Mapping[str, AnswerNotes]) -> tuple[tuple[int, int], ...]:
    """Return where the asserted words stand, as the first metric that knows it has it."""
    return next((each.spans for each in notes.values() if each.spans), ())
