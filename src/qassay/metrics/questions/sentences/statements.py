"""Which sentences are statements that stand by themselves, and where they begin behind a dateline."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.sentence_units import FINITE

if TYPE_CHECKING:
    from qassay.models.syntax import TaggedSentence

_AGENCY = r"\( ?[A-Z][\w. ]{1,30}\)"
_DATELINE = re.compile(
    rf"^(?:[^().:;\"]{{0,60}}{_AGENCY}\s*(?:--?|[\u2013\u2014])|{_AGENCY})\s*(?=[\"\u201c'`]*[A-Z0-9])"
)
"""Where from, and who reports: "ROME, Italy (CNN) -- ", "(CNN)"."""
_JOINING = re.compile(r"^(?:[\s,*\u2022\u2013\u2014-]|(?:and|but|or|so|yet)\s)+", re.IGNORECASE)
_BRACKETS = re.compile(r"[()\[\]]")
_OPENING = frozenset({"IN", "DT", "PRP", "PRP$"})
"""Parts of speech that have a capital at the start of a sentence alone, and in titles."""
_CLOSING = frozenset("\"'\u2019\u201d")
_TWICE = frozenset({"that", "had", "is", "very", "really", "so"})
"""Words that may stand twice in a row."""


def statement_start(text: str) -> int:
    """Return where a sentence's own words begin: behind a dateline, a bullet, "and" and "but"."""
    start = found.end() if (found := _DATELINE.match(text)) else 0
    joining = _JOINING.match(text[start:])
    return start + (joining.end() if joining else 0)


def is_statement(sentence: TaggedSentence) -> bool:
    """Whether a sentence is a statement by itself: no question, no heading, not cut off, not two run together."""
    text = sentence.text.rstrip("\"'\u2019\u201d )")
    words = [word.text.lower() for word in sentence.words]
    twice = any(a == b and a.isalpha() and a not in _TWICE for a, b in pairwise(words))
    return (
        not text.endswith(("?", ",", ":", "-", "\u2026", "..."))
        and not twice
        and not _runs_together(sentence)
        and _has_pairs(sentence.text)
        and any(word.part in FINITE for word in sentence.words)
    )


def _runs_together(sentence: TaggedSentence) -> bool:
    """Whether another sentence begins in the middle without a stop: "he said Of the 35", "'Alien' On Sunday"."""
    for before, word, after in zip(sentence.words, sentence.words[1:], sentence.words[2:], strict=False):
        if word.part in _OPENING and word.text[:1].isupper() and word.text != "I":
            heading = before.text[-1:] in _CLOSING and sentence.text[before.end : before.end + 1] == " "
            if heading or (before.text[-1:].isalnum() and after.text[:1].islower()):
                return True
    return False


def _has_pairs(text: str) -> bool:
    """Whether every bracket that opens is closed."""
    depth = 0
    for mark in _BRACKETS.findall(text):
        depth += 1 if mark in "([" else -1
        if depth < 0:
            return False
    return depth == 0
