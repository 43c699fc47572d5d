"""Candidates that have the reference's words and say the opposite: one word exchanged, or two sides swapped."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.negation.roles import (
    RELATES,
    asked_roles,
    is_of_one_and_other,
    name_words,
    stated_relations,
    tokens,
)
from qassay.equivalence.pair_words import PairWords, exchange_keys
from qassay.equivalence.rule import AnswerPair, Needs, Rule
from qassay.equivalence.tables import read_table, read_words
from qassay.text.traits import word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools

_WORDS = re.compile(r"[\w%$]+(?:['\u2019]\w+)?")
_CONTRACTED = re.compile(r"\b(?:(it|he|she|that|there)['\u2019]s|(they|we|you)['\u2019]re)\b", re.IGNORECASE)
_ARTICLES = frozenset({"a", "an", "the"})
_OPPOSITES = frozenset(frozenset(pair) for pair in read_table("opposites"))
_HAS_OPPOSITE = word_trait(word for pair in _OPPOSITES for word in pair)
_EXCHANGES = exchange_keys([(one, other) for one, other in map(sorted, _OPPOSITES)])
_ONE_WAY = read_words("one_way_words")
"""Words between two sides that do not hold the other way round: beat, than."""
_HAS_SIDES = word_trait(_ONE_WAY) | RELATES
"""Of answers that may have two sides."""
_BOTH_WAYS = frozenset({"with", "alongside", "and", "or", "as", "other"})
_LONGEST_SWAPPED = 20
"""Words of an answer with two sides."""
_LONGEST_SENTENCE, _LONGEST_NAME = 200, 60
"""Characters of such an answer, and of a reference that is one side."""
_MOST_OF_NAME = 5
_FIRST_NAMES = 2
"""Words of a name in the question before the surname that an answer may give alone."""
_APPOSITION = frozenset({",", "who", "which", "("})
_CLAUSES = frozenset({",", "but", "and", "who", "which", "that", "although", "while", "after"})
"""Words that join clauses: the contest that is asked for may be another one."""
_ASKS = re.compile(r"\b(?:who|which|what|whom)\b", re.IGNORECASE)


def _spelt_out(text: str) -> str:
    """Write "it is" for "it's"."""
    if "'" not in text and "\u2019" not in text:
        return text
    return _CONTRACTED.sub(lambda match: f"{match[1]} is" if match[1] else f"{match[2]} are", text)


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORDS.findall(_spelt_out(text))) if word not in _ARTICLES]


@lru_cache(maxsize=1 << 12)
def _word_count(text: str, most: int) -> int:
    """Return the number of a text's words, or one that is larger than `most`."""
    count = 0
    for match in _WORDS.finditer(_spelt_out(text)):
        count += match[0].lower() not in _ARTICLES
        if count > most:
            break
    return count


def _equally_long(pair: AnswerPair) -> bool:
    words = len(_words(pair.reference))
    return _word_count(pair.candidate, words) == words


def _differ_by_opposite(pair: AnswerPair) -> bool:
    both = zip(_words(pair.reference), _words(pair.candidate), strict=True)
    differing = [{one, other} for one, other in both if one != other]
    # Two opposites may cancel: prices fall when rates rise. Of two, one is older than the other, and one is younger.
    return len(differing) == 1 and differing[0] in _OPPOSITES and not is_of_one_and_other(pair.candidate)


def _may_have_sides(words: PairWords) -> Bools:
    reference, candidate = words.lengths
    one_side = (reference <= _LONGEST_NAME) & (candidate <= _LONGEST_SENTENCE) & (candidate > reference)
    return one_side | words.may_have_same_words() | words.have_apostrophe()


def _may_differ(words: PairWords) -> Bools:
    # What is contracted here may be spelt out there.
    return words.may_differ_by(_EXCHANGES) | words.have_apostrophe()


def _may_be_swapped(pair: AnswerPair) -> bool:
    return _equally_long(pair) or _names_one_side(pair)


def _names_one_side(pair: AnswerPair) -> bool:
    """Whether the question may ask for the reference as one side of what the candidate states."""
    if len(pair.reference) > _LONGEST_NAME or len(pair.candidate) > _LONGEST_SENTENCE:
        return False
    if len(pair.candidate) <= len(pair.reference) or not _ASKS.search(pair.question):
        return False
    return _words(pair.reference)[-1:] != [] and len(pair.candidate.split()) <= _LONGEST_SWAPPED


def _has_other_role(pair: AnswerPair) -> bool:
    """Whether the candidate states what the question asks about, with the reference on the other side."""
    name = tokens(pair.reference)
    if not name or len(name) > _MOST_OF_NAME or not set(name[-1:]) & set(tokens(pair.candidate)):
        return False
    words = tokens(pair.candidate)
    # "Bob, who later sold it" has answered before it states anything else.
    if words[: len(name)] == name and len(words) > len(name) and words[len(name)] in _APPOSITION:
        return False
    stated = list(stated_relations(pair.candidate))
    for asked in asked_roles(pair.question) if stated else ():
        if asked.other is None and not _CLAUSES.isdisjoint(words):
            continue
        for relation in stated:
            given, other = (relation.second, relation.first) if asked.first else (relation.first, relation.second)
            if relation.name == asked.name and _begins(given, name) and _is_named(other, asked.other, name):
                return True
    return False


def _begins(side: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a side is the reference, whole or by its surname, with at most a time, place or clause behind it."""
    for known in (name, name[-1:]):
        if list(side[: len(known)]) == list(known):
            return not name_words(side[len(known) :])
    return False


def _is_named(side: Sequence[str], named: Sequence[str] | None, name: Sequence[str]) -> bool:
    """Whether a side is what the question names, whole or by its surname, and has no word of the reference."""
    words = name_words(side)
    if not words or set(words) & set(name):
        return False
    if named is None:
        return True
    if set(named[: len(words)]) & set(name):
        return False
    begins = any(list(named[skipped : skipped + len(words)]) == words for skipped in range(_FIRST_NAMES + 1))
    return begins or (len(words) == _FIRST_NAMES and words[-1:] == list(named[:1]))


def _is_swapped(pair: AnswerPair) -> bool:
    return (_equally_long(pair) and _are_swapped(pair)) or (_names_one_side(pair) and _has_other_role(pair))


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
    needs=Needs(reference=(_HAS_OPPOSITE,), candidate=(_HAS_OPPOSITE,)),
    may_change=_may_differ,
    veto=_differ_by_opposite,
    tables=("opposites",),
    revision=3,
)
SWAPPED = Rule(
    name="swapped",
    definition="Nothing is left of an answer that swaps the sides of a comparison or a verb, of reference or question.",
    applies=_may_be_swapped,
    needs=Needs(candidate=(_HAS_SIDES,)),
    may_change=_may_have_sides,
    veto=_is_swapped,
    tables=("one_way_words", "relations", "transfers", "both_ways_verbs", "opposites", "comparing_words"),
    revision=4,
)
