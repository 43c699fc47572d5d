"""A candidate in the reference's words, as far as the rules reach, before a judge compares the two.

A network that has read little arithmetic takes "two weeks" and "14 days" for different answers, and 1.5 km and 1.5
miles for the same. Both can be worked out exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.negation.denial import denies
from qassay.equivalence.registry import RULES
from qassay.equivalence.rule import AnswerPair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.rule import Replacement, Rule

_LONGEST = 4000
"""Characters of a reference or candidate that rules read, and the first ones of a question."""

_AT_ONCE = 512
"""Pairs that one rule reads after another; what rules find in a text is remembered for more than these."""


class FiredRule(NamedTuple):
    """A rule that changed a candidate: the original words and the new ones."""

    name: str
    before: str
    after: str


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


def canonicalise_all(pairs: Sequence[AnswerPair], rules: Sequence[Rule] = RULES) -> list[CanonicalCandidate | None]:
    """Return each candidate in its reference's words; `None` where no rule changes it."""
    return [
        found for start in range(0, len(pairs), _AT_ONCE) for found in _some(pairs[start : start + _AT_ONCE], rules)
    ]


def _some(pairs: Sequence[AnswerPair], rules: Sequence[Rule]) -> list[CanonicalCandidate | None]:
    """Try each rule on all pairs before the next one: its patterns are then at hand."""
    read = {
        i: pair._replace(question=pair.question[:_LONGEST])
        for i, pair in enumerate(pairs)
        if max(len(pair.reference), len(pair.candidate)) <= _LONGEST
    }
    # What a candidate denies must not be put into the reference's words.
    asserting = {i: pair for i, pair in read.items() if not denies(pair.candidate)}
    found: dict[int, list[tuple[Replacement, Rule]]] = {}
    for rule in rules:
        for i, pair in (read if rule.reads_denials else asserting).items():
            if rule.applies(pair):
                found.setdefault(i, []).extend((each, rule) for each in rule.replacements(pair))
    return [_replace(pair.candidate, found[i]) if found.get(i) else None for i, pair in enumerate(pairs)]


def _replace(candidate: str, found: Sequence[tuple[Replacement, Rule]]) -> CanonicalCandidate | None:
    """Replace spans of the candidate; of spans that overlap the first stays, of equal ones the first rule's."""
    parts, fired, end = [], [], 0
    for each, rule in sorted(found, key=lambda item: (item[0].start, -item[0].end)):
        if each.start >= end:
            parts += [candidate[end : each.start], each.words]
            fired.append(FiredRule(rule.name, candidate[each.start : each.end], each.words))
            end = each.end
    changed = "".join([*parts, candidate[end:]])
    if any(not each.after for each in fired):
        changed = changed.strip(" ,;")
    return CanonicalCandidate(changed, tuple(fired)) if changed != candidate else None
