"""Candidates that name the reference to deny it: Sydney, not Canberra."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.rule import AnswerPair, Replacement, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

DENYING = re.compile(r"\b(?:not|rather than|instead of|opposed)\b|n['\u2019]t\b", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:(?:^(?:no,\s)?(?:(?:it|that|he|she|they)\s(?:is|was|are|were))?|,|\s[-\u2013\u2014]|;|\(|\band\b|\bbut\b)"
    r"(?:\s*not|n['\u2019]t)|\b(?:rather\sthan|instead\sof))\s+(?P<what>(?:(?!\b(?:but|and)\b)[^.,;:!?()\n]){1,80})\)?",
    re.IGNORECASE,
)
# A question for what was given up or left out is answered by what is denied.
_ASKS_FOR_DENIED = re.compile(
    r"\b(?:no|not|never|without|instead|rather|replac\w*|substitut\w*|avoid\w*|reject\w*|forb[ai]d\w*|prohibit\w*|ban|bann\w*"
    r"|former\w*|previous\w*|stop\w*|quit|exclu\w*|except\w*|lack\w*|miss\w*|omit\w*|left out|leave out|refus\w*"
    r"|declin\w*|fail\w*|abstain\w*|unable|incapable|lost|lose|oppos\w*|allerg\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_MOST_WORDS = 20
"""Words of a candidate that denies the reference; a longer one may deny much on the way."""
_MORE = 2
"""Words that may follow the denied reference: the Pacific Ocean for the Pacific."""
_WORD = re.compile(r"\w+")
_EMPTY_WORDS = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "it", "is", "was"})
_NOT_ALL = frozenset({"alone", "only", "just"})


def _content(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in _EMPTY_WORDS]


def _may_deny(pair: AnswerPair) -> bool:
    if _ASKS_FOR_DENIED.search(pair.question) or DENYING.search(pair.reference):
        return False
    return len(pair.candidate.split()) <= _MOST_WORDS and bool(_content(pair.reference))


def _denied_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Find what is denied; all of a candidate that says nothing else."""
    wanted = _content(pair.reference)
    for match in _DENIED.finditer(pair.candidate):
        denied = _content(match["what"])
        rest = set(_content(pair.candidate[: match.start()] + pair.candidate[match.end() :]))
        # "Not until 1920" denies nothing, and "not X alone" not X.
        begins = denied[: len(wanted)] == wanted and len(denied) <= len(wanted) + _MORE
        if begins and not _NOT_ALL & set(denied) and not rest & set(wanted):
            return [Replacement(*(match.span() if rest else (0, len(pair.candidate))), "")]
    return []


DENIAL = Rule(
    name="denial",
    definition="What a short answer denies is left out where it is the reference.",
    applies=_may_deny,
    rewrite=_denied_reference,
    reads_denials=True,
)
