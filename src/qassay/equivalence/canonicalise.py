"""A candidate in the reference's words, as far as the rules reach, before a judge compares the two.

A network that has read little arithmetic takes "two weeks" and "14 days" for different answers, and 1.5 km and 1.5
miles for the same. Both can be worked out exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.negation.denial import DENYING
from qassay.equivalence.registry import RULES
from qassay.equivalence.rule import AnswerPair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.rule import Replacement, Rule

_LONGEST = 4000
"""Characters of a reference or candidate that rules read, and the first ones of a question."""


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
    if max(len(reference), len(candidate)) > _LONGEST:
        return None
    pair = AnswerPair(question[:_LONGEST], reference, candidate)
    # What a candidate denies must not be put into the reference's words.
    denies = bool(DENYING.search(candidate))
    found: list[tuple[Replacement, Rule]] = []
    for rule in rules:
        if rule.reads_denials or not denies:
            found += [(each, rule) for each in rule.replacements(pair)]
    return _replace(candidate, found)


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
