"""Candidates that deny all times before one: it did not open until 1920."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNTIL = word_trait({"until", "till"})
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_TIME = (
    rf"(?:(?:the|early|late|mid|about|around|in|year|{_MONTH}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)[\s-]+|\d{{1,2}}(?:st|nd|rd|th)?\s+(?={_MONTH}))*"
    rf"(?:{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?)?"
    r"(?:\d{3,4}s?|\d{1,2}(?:[:.]\d{2})?\s*(?:[ap]\.?\s?m\b|o['\u2019]clock)|\d{1,2}[:.]\d{2})"
    r"(?:\s+(?:bc|ad|bce|ce))?"
)
_DENIED = r"(?:(?:did|does|do|was|is|were|are|could|can|will|would)\s*n['\u2019o]t|cannot)"
_NOT_UNTIL = re.compile(
    rf"(?:(?P<subject>[\w'\u2019 -]{{1,40}}?)\s+{_DENIED}\s+(?P<verb>[\w -]{{1,30}}?)|not)"
    rf"\s+(?:until|till)\s+(?P<when>{_TIME})\s*[.!]?",
    re.IGNORECASE,
)
_ASKS_FOR_TIME = re.compile(
    r"\W*(?:(?:in|on|at|from|since)\s+)?(?:when|(?:what|which)\s+(?:time|year|date|month|century))\b", re.IGNORECASE
)
_ASKS_FOR_END = re.compile(
    r"\b(?:until|till|before|by|late|latest|last|deadline|must|have\s+to|should|need|due|submit|expire|register|and|stay\w*|stop\w*|quit|end\w*|leave|no|not|never|over)\b"
    r"|n['\u2019]t\b|,|\d",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_UNTIL_WORD = re.compile(r"\b(?:until|till)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ed|es|ing|s|e|d)$")
_LIGHT = frozenset({"a", "an", "the", "be", "been", "it", "he", "she", "they", "you", "we", "i", "get"})
_WORD = re.compile(r"\b(?:until|till)\b", re.IGNORECASE)
_STEM = 4
"""Letters by which a word is known in another form."""
_LIGHT = frozenset({"a", "an", "the", "be", "been", "to", "of", "it", "he", "she", "they", "you", "we", "i", "get"})
_WORD = re.compile(r"[a-z0-9]+")


def _may_be_limited(pair: AnswerPair) -> bool:
    """Whether a question for a time, and not for its end, has a reference with figures."""
    if not _DIGIT.search(pair.reference) or not _ASKS_FOR_TIME.match(pair.question):
        return False
    return not _ASKS_FOR_END.search(pair.question) and not _UNTIL_WORD.search(pair.reference)


def _stems(text: str) -> list[str]:
    return [_ENDING.sub("", word) or word for word in _WORD.findall(text.lower()) if word not in _LIGHT]


def _is_of_question(text: str, question: str) -> bool:
    """Whether all words of a text that say something are in the question, in some form and in this order."""
    asked = iter(_stems(question))
    return all(word in asked for word in _stems(text))


def _until_then(pair: AnswerPair) -> Sequence[Replacement]:
    """Return the time alone, where what is denied before it is what the question asks for, word for word."""
    match = _NOT_UNTIL.fullmatch(pair.candidate.strip())
    if match is None or not _is_of_question(f"{match['subject'] or ''} {match['verb'] or ''}", pair.question):
        return ()
    return (Replacement(0, len(pair.candidate), match["when"]),)


NOT_UNTIL = Rule(
    name="not_until",
    definition='To a question for a time, "it did not open until 1920" says 1920.',
    applies=_may_be_limited,
    needs=Needs(candidate=(_UNTIL,)),
    rewrite=_until_then,
    reads_denials=True,
)
