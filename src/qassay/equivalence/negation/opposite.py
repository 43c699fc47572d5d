"""Candidates that have the reference's words and say the opposite: one word exchanged, or two sides swapped."""

from __future__ import annotations

import re
from functools import lru_cache

from qassay.equivalence.rule import AnswerPair, Rule
from qassay.equivalence.tables import read_table, read_words

_WORDS = re.compile(r"[\w%$]+(?:['\u2019]\w+)?")
_ARTICLES = frozenset({"a", "an", "the"})
_OPPOSITES = frozenset(frozenset(pair) for pair in read_table("opposites"))
_ONE_WAY = read_words("one_way_words")
"""Words between two sides that do not hold the other way round: beat, than."""
_BOTH_WAYS = frozenset({"with", "alongside", "and", "or", "as"})
_LONGEST_SWAPPED = 20


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORDS.findall(text)) if word not in _ARTICLES]


def _equally_long(pair: AnswerPair) -> bool:
    return len(_words(pair.reference)) == len(_words(pair.candidate))


def _differ_by_opposite(pair: AnswerPair) -> bool:
    both = zip(_words(pair.reference), _words(pair.candidate), strict=True)
    differing = [{one, other} for one, other in both if one != other]
    # Two opposites may cancel: prices fall when rates rise.
    return len(differing) == 1 and differing[0] in _OPPOSITES


def _are_swapped(pair: AnswerPair) -> bool:
    wanted, given = _words(pair.reference), _words(pair.candidate)
    if len(wanted) > _LONGEST_SWAPPED or wanted == given or sorted(wanted) != sorted(given):
        return False
    while wanted[0] == given[0]:
        wanted, given = wanted[1:], given[1:]
    while wanted[-1] == given[-1]:
        wanted, given = wanted[:-1], given[:-1]
    return any(
        given == right + between + left and _ONE_WAY & set(between) and not _BOTH_WAYS & set(between)
        for i in range(1, len(wanted) - 1)
        for j in range(i + 1, len(wanted))
        for left, between, right in [(wanted[:i], wanted[i:j], wanted[j:])]
    )


OPPOSITE = Rule(
    name="opposite",
    definition="Nothing is left of an answer that differs from the reference by one word, which is its opposite.",
    applies=_equally_long,
    veto=_differ_by_opposite,
    tables=("opposites",),
)
SWAPPED = Rule(
    name="swapped",
    definition="Nothing is left of an answer that swaps the two sides of a comparison or of a verb like beat.",
    applies=_equally_long,
    veto=_are_swapped,
    tables=("one_way_words",),
)
