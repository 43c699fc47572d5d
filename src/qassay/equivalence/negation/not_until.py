"""Candidates that deny all times but one: it did not open until 1920."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNTIL_WORDS = frozenset({"until", "till"})
_DENIED_UNTIL = re.compile(
    r"[^.,;:!?()\n]*(?:\b(?:not|cannot|never)|n['\u2019]t)\b(?P<what>[^.,;:!?()\n]{0,60})\b(?:until|till)\s+"
    r"(?P<when>[^.,;!?()\n][^,;!?()\n]{0,40}?)[.!]?",
    re.IGNORECASE,
)
_OTHER_LIMIT = re.compile(r"\b(?:until|till|before|how long|no|not|never)\b|n['\u2019]t\b", re.IGNORECASE)
"""A question for a time's end is answered otherwise, and one that denies something likewise."""
_MOST_WORDS = 20
_STEM = 3
"""Letters by which a verb is known in another form."""
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+")


def _may_be_limited(pair: AnswerPair) -> bool:
    if len(pair.candidate.split()) > _MOST_WORDS or not _DIGIT.search(pair.candidate):
        return False
    return not _OTHER_LIMIT.search(pair.question) and not _OTHER_LIMIT.search(pair.reference)


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if len(word) >= _STEM}


def _until_then(pair: AnswerPair) -> Sequence[Replacement]:
    """Return the time alone, where what is denied before it is what the question asks for."""
    match = _DENIED_UNTIL.fullmatch(pair.candidate.strip())
    if match is None or not _DIGIT.search(match["when"]):
        return ()
    if match["what"].strip() and _stems(match["what"]).isdisjoint(_stems(pair.question)):
        return ()
    return (Replacement(0, len(pair.candidate), match["when"]),)


NOT_UNTIL = Rule(
    name="not_until",
    definition="An answer that denies what is asked for until a time takes that time for its answer.",
    applies=_may_be_limited,
    needs=Needs(candidate=(word_trait(_UNTIL_WORDS),)),
    rewrite=_until_then,
    reads_denials=True,
)
