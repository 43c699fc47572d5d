"""Numbers with the same figures of another magnitude: 19 million for 19 billion, two dozen for 2."""

from __future__ import annotations

import math
import re
import string
from functools import lru_cache
from typing import NamedTuple

from qassay.equivalence.numbers.quantities import (
    GROUPS,
    MAGNITUDE_LETTERS,
    MAGNITUDES,
    NUMBER,
    Quantity,
    placed_quantities,
)
from qassay.equivalence.rule import AnswerPair, Needs, Rule
from qassay.equivalence.units.amounts import amounts
from qassay.text.traits import neighbour_trait, word_trait

_WORDS = "|".join((*MAGNITUDES, *GROUPS))
_SCALED = re.compile(rf"(?:\b(?:{_WORDS})|\d(?:{'|'.join(MAGNITUDE_LETTERS)}))$", re.IGNORECASE)
_HAS_SCALED = word_trait((*MAGNITUDES, *GROUPS)) | neighbour_trait(string.digits, string.ascii_letters)
_LETTERS_BEHIND = re.compile(rf"(?<=\d)(?:{'|'.join(MAGNITUDE_LETTERS)})$")
_NAMED = re.compile(rf"\b(?:{_WORDS})s?\b", re.IGNORECASE)
_OTHER_NOTATION = re.compile(
    r"\b(?:[bm]n|ml[nd]|m?rd|mio|trn?|tn|[kmgt]yr?|(?:thousand|hundred|million)\s(?:thousand|million))\b|[\u00d7x*]\s?10|\d\s?\^|\de\d",
    re.IGNORECASE,
)
"""Magnitudes that are not read as numbers."""
_PLAIN_WORDS, _MOST_WORDS, _MOST = 4, 25, 10
"""Words of a candidate for a number without unit, words of any text, and numbers of a candidate that are compared."""


class _Number(NamedTuple):
    start: int
    quantity: Quantity
    scaled: bool
    """Whether it is written with a word or letter for its magnitude."""
    lettered: float
    """Its value if a letter behind it is a magnitude, as in 2m, which may also be two metres."""


@lru_cache(maxsize=1 << 12)
def _numbers(text: str) -> tuple[_Number, ...]:
    return tuple(
        _Number(start, quantity, bool(_SCALED.search(text, start, end)), _lettered(text[start:end], quantity))
        for start, end, quantity in placed_quantities(text)
        if quantity.low == quantity.high and text[start:end].lower() != "one"
    )


def _lettered(written: str, quantity: Quantity) -> float:
    """Return what a number is worth with the letter behind it."""
    letters = _LETTERS_BEHIND.search(written)
    return quantity.bare * MAGNITUDE_LETTERS[letters[0]] if letters else quantity.low


def _have_magnitude(pair: AnswerPair) -> bool:
    if (
        max(len(pair.reference.split()), len(pair.candidate.split())) > _MOST_WORDS
        or len(_numbers(pair.reference)) != 1
    ):
        return False
    given = _numbers(pair.candidate)
    return 0 < len(given) <= _MOST and any(each.scaled for each in (*_numbers(pair.reference), *given))


def _differ_by_magnitude(pair: AnswerPair) -> bool:
    """Whether some number has the reference's figures in another magnitude, and none is the reference's.

    Not where the question asks in millions, or the candidate has the magnitude elsewhere.
    """
    (wanted,), given = _numbers(pair.reference), _numbers(pair.candidate)
    # A bare number may be meant in millions, though its question does not say so.
    if pair.reference.strip(" .").isdigit() and len(pair.candidate.split()) > _PLAIN_WORDS:
        return False
    if (
        _NAMED.search(pair.question)
        or _OTHER_NOTATION.search(pair.candidate)
        or any(_equal(wanted, each) for each in given)
    ):
        return False
    alike = [
        each
        for each in given
        if (each.scaled or wanted.scaled)
        and _same_figures(wanted.quantity, each.quantity)
        and not _convertible(pair, each.start)
    ]
    elsewhere = wanted.scaled and not any(each.scaled for each in alike) and _NAMED.search(pair.candidate)
    return bool(alike) and not elsewhere


def _equal(wanted: _Number, given: _Number) -> bool:
    if math.isclose(wanted.quantity.low, given.quantity.low) or wanted.quantity.rounds(given.quantity):
        return True
    return math.isclose(wanted.quantity.low, given.lettered) or math.isclose(wanted.lettered, given.quantity.low)


def _same_figures(one: Quantity, other: Quantity) -> bool:
    """Whether two differ by a power of ten, or by a magnitude alone."""
    if not one.low or not other.low:
        return False
    power = math.log10(one.low / other.low)
    return math.isclose(power, round(power), abs_tol=1e-9) or math.isclose(one.bare, other.bare)


def _convertible(pair: AnswerPair, start: int) -> bool:
    """Whether a number has a unit that the reference's unit can be converted to: 5 km are 5 thousand metres."""
    given = [each for each in amounts(pair.candidate) if each.start == start]
    return any(one.kind == other.kind and one.unit != other.unit for one in given for other in amounts(pair.reference))


MAGNITUDE = Rule(
    name="magnitude",
    definition="Nothing is left of an answer that has the reference's number in another magnitude.",
    applies=_have_magnitude,
    needs=Needs(reference=(NUMBER,), candidate=(NUMBER,), either=(_HAS_SCALED,)),
    veto=_differ_by_magnitude,
    tables=("number_words", "units"),
    revision=3,
)
