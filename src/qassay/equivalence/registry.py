"""All rules, in the order in which they are tried."""

from __future__ import annotations

import hashlib
from functools import cache

from qassay.equivalence.dates.clock import CLOCK
from qassay.equivalence.dates.decade import DECADE
from qassay.equivalence.dates.short_year import SHORT_YEAR
from qassay.equivalence.names.acronym import ACRONYM
from qassay.equivalence.names.alias import ALIAS
from qassay.equivalence.names.inner_capitals import INNER_CAPITALS
from qassay.equivalence.names.marked_letter import MARKED_LETTER
from qassay.equivalence.names.other_name import OTHER_NAME
from qassay.equivalence.negation.contradiction import CONTRADICTION
from qassay.equivalence.negation.denial import DENIAL
from qassay.equivalence.negation.not_until import NOT_UNTIL
from qassay.equivalence.negation.opinion import OPINION
from qassay.equivalence.negation.opposite import OPPOSITE, SWAPPED
from qassay.equivalence.negation.relation import RELATION
from qassay.equivalence.negation.undecided import UNDECIDED
from qassay.equivalence.numbers.magnitude import MAGNITUDE
from qassay.equivalence.numbers.number_form import NUMBER_FORM
from qassay.equivalence.numbers.share import SHARE
from qassay.equivalence.numbers.sign import SIGN
from qassay.equivalence.rule import RULE_NAMES, Rule
from qassay.equivalence.units.conversion import UNITS
from qassay.equivalence.writing.characters import CHARACTERS
from qassay.equivalence.writing.spacing import SPACING

RULES: tuple[Rule, ...] = (
    DENIAL,
    NOT_UNTIL,
    OPPOSITE,
    SWAPPED,
    RELATION,
    UNDECIDED,
    CONTRADICTION,
    OPINION,
    SIGN,
    MAGNITUDE,
    MARKED_LETTER,
    OTHER_NAME,
    UNITS,
    SHARE,
    CLOCK,
    DECADE,
    SHORT_YEAR,
    NUMBER_FORM,
    ALIAS,
    ACRONYM,
    INNER_CAPITALS,
    CHARACTERS,
    SPACING,
)


@cache
def active_rules(names: tuple[str, ...] = RULE_NAMES) -> tuple[Rule, ...]:
    """Return the rules of these names, in the order in which they are tried."""
    return tuple(rule for rule in RULES if rule.name in names)


@cache
def rules_fingerprint(names: tuple[str, ...] = RULE_NAMES) -> str:
    """Return a short hash of the rules of these names, for signatures."""
    return hashlib.sha256(b"".join(rule.digest() for rule in active_rules(names))).hexdigest()[:8]
