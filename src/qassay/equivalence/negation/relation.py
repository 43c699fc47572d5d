"""Candidates that state what the reference states about two sides: from the other side, or with the sides exchanged.

"Bea is younger than Ann" is "Ann is older than Bea", and "Disney was bought by Pixar" is not "Disney bought Pixar".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.negation.denial import denies
from qassay.equivalence.negation.roles import COMPARED, RELATES, is_known, lead_of, name_words, stated_relations, tokens
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.negation.roles import Relation

_LONGEST = 120
"""Characters of a text that states one relation."""
_MOST_OF_NAME = 5
_TOGETHER = frozenset({"with", "alongside", "between", "from", "or", "near", "next", "to", "beside", "'s", "\u2019s"})
"""Words of a side that holds two, or one that is neither of them."""
_CLAUSES = frozenset({",", "but", "that", "said", "says", "while", "whereas"})
"""Words of an answer that states more than one relation, or what somebody says."""
_FIGURES = re.compile(r"\d+|[$\u20ac\u00a3\u00a5]")
_SHARE = re.compile(r"%|\bper\s?cent\b", re.IGNORECASE)
_MULTIPLES = frozenset({"half", "twice", "double", "triple", "times"})
_TIMES = frozenset(
    {"now", "today", "nowadays", "currently", "once", "used", "formerly", "originally", "previously", "yesterday"}
)
_WHEN = re.compile(r"\b(?:in|on|during|after|by)\b.*", re.IGNORECASE)
"""When or where an answer's lead says that the rest holds."""
_SUBJECTS = frozenset({"it", "he", "she", "they"})
_PRONOUNS = _SUBJECTS | {"this", "that", "him", "her", "them", "his", "their", "its"}
_MOST_AROUND = 6
"""Words of a text besides the two sides: yes, was much more expensive than."""


@lru_cache(maxsize=1 << 12)
def _stated(text: str) -> tuple[Relation, ...]:
    """Return the relations between two sides that a text may state, none if it denies something."""
    if denies(text):
        return ()
    return tuple(each for each in stated_relations(text) if each.first and each.second)


def _is_short(pair: AnswerPair) -> bool:
    return len(pair.reference) <= _LONGEST >= len(pair.candidate) and pair.reference != pair.candidate


def _rewrite(pair: AnswerPair) -> list[Replacement]:
    """Put a candidate that states the reference's relation into its words, and leave nothing of its reverse."""
    wanted = _stated(pair.reference)
    given = _stated(pair.candidate) if wanted else ()
    if any(_equal(one, other) and _is_all(one, pair) for one in given for other in wanted):
        takes_words = _from_other_side(pair) and _have_same_figures(pair)
        return [Replacement(0, len(pair.candidate), pair.reference)] if takes_words else []
    if not given or not _CLAUSES.isdisjoint(tokens(pair.candidate[len(lead_of(pair.candidate)) :])):
        return []
    if _are_of_two_times(pair):
        return []
    exchanged = any(
        _exchanges(one, other) and not any(one.name == each.name and _same(one.first, each.first) for each in given)
        for one in wanted
        for other in given
    )
    return [Replacement(0, len(pair.candidate), "")] if exchanged else []


def _equal(one: Relation, other: Relation) -> bool:
    """Whether two relations are the same but for the order of their words; a mother and a father are parents both."""
    alike = one.name == other.name and not one.name.startswith("the ")
    sides = zip((one.first, one.second, one.detail), (other.first, other.second, other.detail), strict=True)
    return alike and all(list(each) == list(wanted) for each, wanted in sides)


def _is_all(relation: Relation, pair: AnswerPair) -> bool:
    """Whether a relation is all that both texts state, but for a few words around the sides."""
    sides = len(relation.first) + len(relation.second) + len(relation.detail)
    return max(len(tokens(pair.reference)), len(tokens(pair.candidate))) - sides <= _MOST_AROUND


def _have_same_figures(pair: AnswerPair) -> bool:
    """Whether figures and currencies are the same; who has 50 % more than another gives him no 50 % less."""
    if _SHARE.search(pair.reference):
        return False
    return _FIGURES.findall(pair.reference) == _FIGURES.findall(pair.candidate)


def _are_of_two_times(pair: AnswerPair) -> bool:
    """Whether the texts speak of two times or places, as far as such words tell: once and now, in Rome and in Bari."""
    times = [_TIMES.intersection(tokens(text)) for text in pair[1:]]
    leads = [_WHEN.search(lead_of(text).lower()) for text in pair[1:]]
    return times[0] != times[1] or (None not in leads and len({lead[0] for lead in leads if lead}) > 1)


def _from_other_side(pair: AnswerPair) -> bool:
    """Whether the candidate has the sides in another order than the reference, and opens as it does or not at all."""
    reference, candidate = tokens(pair.reference), tokens(pair.candidate)
    leads = [lead_of(text).strip().lower() for text in (pair.candidate, pair.reference)]
    ends = [(words[0], words[-1]) for words in (reference, candidate)]
    return ends[0] != ends[1] and leads[0] in {"", leads[1]}


def _exchanges(wanted: Relation, given: Relation) -> bool:
    """Whether a relation has the sides of another one exchanged; in comparisons a pronoun may stand for one side."""
    pairs = ((given.first, wanted.second), (given.second, wanted.first))
    if given.name != wanted.name or _same(given.first, wanted.first) or _same(given.second, wanted.second):
        return False
    # Verbs that no table has may hold the other way round, unless one of them is passive.
    if not is_known(wanted.name) and given.passive == wanted.passive:
        return False
    details = [list(each.detail) for each in (given, wanted)]
    if details[0] != details[1] and not any(len(each) <= 1 and _PRONOUNS.issuperset(each) for each in details):
        return False
    named = [_same(one, other) for one, other in pairs]
    if not wanted.name.startswith(COMPARED):
        return all(named)
    pronoun = [_is_pronoun(one) or _is_pronoun(other) for one, other in pairs]
    return any(named) and all(same or stands for same, stands in zip(named, pronoun, strict=True))


def _is_pronoun(side: Sequence[str]) -> bool:
    """Whether a side is a pronoun alone: "it was" compares something with its own past."""
    return len(side) == 1 and side[0] in _SUBJECTS


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two sides name the same, whole or by a first or last word, whatever time or place stands behind."""
    shorter, longer = sorted((name_words(one), name_words(other)), key=len)
    if not shorter or shorter == longer:
        return shorter != []
    if len(longer) > _MOST_OF_NAME or (_TOGETHER | _MULTIPLES) & {*one, *other}:
        return False
    return len(shorter) == 1 and shorter[0] not in _PRONOUNS and shorter[0] in {longer[0], longer[-1]}


RELATION = Rule(
    name="relation",
    definition=(
        "An answer that states the reference's relation from the other side takes its words; nothing is left of one "
        "that exchanges the sides."
    ),
    applies=_is_short,
    rewrite=_rewrite,
    needs=Needs(reference=(RELATES,), candidate=(RELATES,)),
    tables=("relations", "transfers", "both_ways_verbs", "opposites", "comparing_words"),
    revision=2,
)
