"""A candidate in the reference's words, as far as the rules reach, before a judge compares the two.

A network that has read little arithmetic takes "two weeks" and "14 days" for different answers, and 1.5 km and 1.5
miles for the same. Both can be worked out exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.equivalence.negation.denial import DENYING, denies
from qassay.equivalence.pair_words import PairWords
from qassay.equivalence.registry import RULES
from qassay.equivalence.rule import AnswerPair
from qassay.text.traits import find_traits, has_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Ints
    from qassay.equivalence.rule import Replacement, Rule

_LONGEST = 4000
"""Characters of a reference or candidate that rules read, and the first ones of a question."""

_UNREAD = AnswerPair("", "", "")

_AT_ONCE = 512
"""Pairs that one rule reads after another; what rules find in a text is remembered for more than these."""


class FiredRule(NamedTuple):
    """A rule that changed a candidate: the original words and the new ones."""

    name: str
    before: str
    after: str
    unsure: bool = False
    """Whether the candidate is neither right nor wrong by this."""


class CanonicalCandidate(NamedTuple):
    """A candidate in its reference's words, with the rules that put it there."""

    candidate: str
    fired: tuple[FiredRule, ...]


def canonicalise(
    question: str, reference: str, candidate: str, rules: Sequence[Rule] = RULES
) -> CanonicalCandidate | None:
    """Return the candidate in the reference's words; `None` where no rule changes it, as for almost all."""
    (found,) = canonicalise_all([AnswerPair(question, reference, candidate)], rules)
    return found


def canonicalise_all(
    pairs: Sequence[AnswerPair], rules: Sequence[Rule] = RULES, traits: tuple[Ints, Ints] | None = None
) -> list[CanonicalCandidate | None]:
    """Return each candidate in its reference's words; `None` where no rule changes it.

    `traits` are those of the pairs' references and candidates, where they are known.
    """
    if traits is None:
        traits = find_traits([pair.reference for pair in pairs]), find_traits([pair.candidate for pair in pairs])
    found: list[CanonicalCandidate | None] = []
    for start in range(0, len(pairs), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        found += _some(pairs[part], rules, traits[0][part], traits[1][part])
    return found


def _some(
    pairs: Sequence[AnswerPair], rules: Sequence[Rule], reference: Ints, candidate: Ints
) -> list[CanonicalCandidate | None]:
    """Try each rule on all pairs before the next one: its patterns are then at hand."""
    pairs = [
        each if len(each.question) <= _LONGEST else each._replace(question=each.question[:_LONGEST]) for each in pairs
    ]
    read = np.array([len(each.reference) <= _LONGEST >= len(each.candidate) for each in pairs], bool)
    # What a candidate denies must not be put into the reference's words.
    asserting = read.copy()
    for i in np.flatnonzero(read & has_trait(candidate, DENYING)).tolist():
        asserting[i] = not denies(pairs[i].candidate)
    words = PairWords([each if known else _UNREAD for each, known in zip(pairs, read.tolist(), strict=True)], candidate)
    found: dict[int, list[tuple[Replacement, Rule]]] = {}
    for rule in rules:
        some = rule.needs.met(reference, candidate) & (read if rule.reads_denials else asserting)
        if rule.may_change is not None and some.any():
            some &= rule.may_change(words)
        for i in np.flatnonzero(some).tolist():
            if rule.applies(pairs[i]):
                found.setdefault(i, []).extend((each, rule) for each in rule.replacements(pairs[i]))
    return [_replace(pair.candidate, found[i]) if found.get(i) else None for i, pair in enumerate(pairs)]


def _replace(candidate: str, found: Sequence[tuple[Replacement, Rule]]) -> CanonicalCandidate | None:
    """Replace spans of the candidate; of spans that overlap the first stays, of equal ones the first rule's."""
    parts, fired, end = [], [], 0
    for each, rule in sorted(found, key=lambda item: (item[0].start, -item[0].end)):
        if each.start >= end:
            parts += [candidate[end : each.start], each.words]
            fired.append(FiredRule(rule.name, candidate[each.start : each.end], each.words, rule.unsure))
            end = each.end
    changed = "".join([*parts, candidate[end:]])
    if any(not each.after for each in fired):
        changed = changed.strip(" ,;")
    return CanonicalCandidate(changed, tuple(fired)) if changed != candidate else None
