"""What a rule is: a name, a definition, examples that are its tests, and a rewriting of the candidate.

A rule knows one way in which two wordings mean the same, or in which two that look alike do not. It puts what the
candidate says into the reference's words, or takes away what contradicts the reference, before a judge compares them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.equivalence.tables import read_bytes, read_table
from qassay.text.traits import has_trait

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Bools, Ints
    from qassay.equivalence.pair_words import PairWords

RULE_NAMES = (
    "denial",
    "not_until",
    "opposite",
    "swapped",
    "relation",
    "undecided",
    "contradiction",
    "opinion",
    "sign",
    "magnitude",
    "marked_letter",
    "other_name",
    "units",
    "share",
    "clock",
    "decade",
    "short_year",
    "number_form",
    "alias",
    "acronym",
    "inner_capitals",
    "characters",
    "spacing",
)
"""The names of all rules, in the order in which they are tried; known without loading their patterns."""
_UNCHANGED, _NOTHING = "(unchanged)", "(nothing)"


class AnswerPair(NamedTuple):
    """A candidate with one reference, and the question that both answer."""

    question: str
    reference: str
    candidate: str


class Replacement(NamedTuple):
    """New words for a span of the candidate."""

    start: int
    end: int
    words: str


class RuleExample(NamedTuple):
    """A pair, and the candidate as the rule leaves it: `None` where it stays as it is."""

    pair: AnswerPair
    read: str | None


class Needs(NamedTuple):
    """Traits of texts without which a rule changes nothing; of those that are joined by `|`, one is enough."""

    reference: tuple[int, ...] = ()
    candidate: tuple[int, ...] = ()
    either: tuple[int, ...] = ()
    """Of the reference, the candidate or both."""

    def met(self, reference: Ints, candidate: Ints) -> Bools:
        """Return which pairs have what is needed, given the traits of their references and candidates."""
        found = np.ones(len(reference), bool)
        for traits, needed in ((reference, self.reference), (candidate, self.candidate)):
            for trait in needed:
                found &= has_trait(traits, trait)
        for trait in self.either:
            found &= has_trait(reference | candidate, trait)
        return found


_NO_NEEDS = Needs()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One equivalence or contradiction: it either rewrites parts of a candidate, or vetoes it."""

    name: str
    definition: str
    """One sentence, for the documentation, for notes and for `qassay explain`."""
    applies: Callable[[AnswerPair], bool]
    """Whether the pair may have what the rule is for; quick."""
    rewrite: Callable[[AnswerPair], Sequence[Replacement]] | None = None
    """Finds the spans of the candidate to replace."""
    veto: Callable[[AnswerPair], bool] | None = None
    """Whether the candidate contradicts the reference, so that nothing is left of it."""
    needs: Needs = _NO_NEEDS
    """What texts must have for the rule to change anything, which is known of many pairs at once."""
    may_change: Callable[[PairWords], Bools] | None = None
    """Of many pairs those whose words let the rule change anything; the others are not looked at."""
    tables: tuple[str, ...] = ()
    """The data files that the rule reads."""
    revision: int = 1
    """Incremented when the code changes what the rule does."""
    reads_denials: bool = False
    """Whether the rule also reads candidates that deny something, which all others leave alone."""
    unsure: bool = False
    """Whether a candidate of which a veto leaves nothing may as well be right: it is unsure instead of wrong."""

    def replacements(self, pair: AnswerPair) -> Sequence[Replacement]:
        """Return the spans of the candidate to replace, all of it for a veto, in a pair to which the rule applies."""
        if self.veto is not None:
            return [Replacement(0, len(pair.candidate), "")] if self.veto(pair) else []
        return self.rewrite(pair) if self.rewrite is not None else []

    @property
    def examples(self) -> list[RuleExample]:
        """The rule's examples, which are its tests."""
        return [
            RuleExample(AnswerPair(*row[1:4]), {_UNCHANGED: None, _NOTHING: ""}.get(row[4], row[4]))
            for row in read_table("examples")
            if row[0] == self.name
        ]

    def digest(self) -> bytes:
        """Return a hash of what decides what the rule does: revision, definition, examples and tables."""
        parts = [self.name, self.definition, str(self.revision), repr(self.examples)]
        return hashlib.sha256("\0".join(parts).encode() + b"".join(map(read_bytes, self.tables))).digest()
