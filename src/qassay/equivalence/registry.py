"""All rules, in the order in which they are tried."""

from __future__ import annotations

import hashlib
from functools import cache

from qassay.equivalence.dates.decade import DECADE
from qassay.equivalence.names.acronym import ACRONYM
from qassay.equivalence.names.alias import ALIAS
from qassay.equivalence.names.inner_capitals import INNER_CAPITALS
from qassay.equivalence.negation.denial import DENIAL
from qassay.equivalence.negation.opposite import OPPOSITE, SWAPPED
from qassay.equivalence.numbers.number_form import NUMBER_FORM
from qassay.equivalence.rule import RULE_NAMES, Rule
from qassay.equivalence.units.conversion import UNITS

RULES: tuple[Rule, ...] = (
    DENIAL,
    OPPOSITE,
    SWAPPED,
    UNITS,
    DECADE,
    NUMBER_FORM,
    ALIAS,
    ACRONYM,
    INNER_CAPITALS,
)


@cache
def active_rules(names: tuple[str, ...] = RULE_NAMES) -> tuple[Rule, ...]:
    """Return the rules of these names, in the order in which they are tried."""
    return tuple(rule for rule in RULES if rule.name in names)


@cache
def rules_fingerprint(names: tuple[str, ...] = RULE_NAMES) -> str:
    """Return a short hash of the rules of these names, for signatures."""
    return hashlib.sha256(b"".join(rule.digest() for rule in active_rules(names))).hexdigest()[:8]
