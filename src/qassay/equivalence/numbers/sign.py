"""Numbers below zero: 5 is not -5, and minus five is."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.numbers.quantities import NUMBER, placed_quantities
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import HYPHEN, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_MINUS = re.compile(r"(?:(?<![^\s(])(?<!\d\s)[-\u2212]|\b(?:minus|negative)\s)[$\u00a3\u20ac]?$", re.IGNORECASE)
_BELOW = re.compile(r"(?:\s?(?:degrees|\u00b0[CF]?))?\s(?:degrees\s)?below(?:\s(?:zero|freezing))?\b", re.IGNORECASE)
_NEGATIVE = HYPHEN | word_trait({"minus", "negative", "below"})
# Words and marks that make a number one below zero, or a change for the worse.
_LESS = re.compile(
    r"\b(?:below|under|minus|negative|less|loss|losses|lost|lose|loses|deficit|debt|owes?|owed|decreas\w*|declin\w*|fell|fall\w*"
    r"|drop\w*|down|shr[aiu]nk\w*|contract\w*|reduc\w*|cut|lower\w*|behind|bce?|south|west)\b|\bb\.c|\u00b0\s?[SW]\b|^\(.*\)$",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?:^|[\s($\u00a3\u20ac+])$")
_PART_BEHIND = re.compile(r"\w|[-\u2013:/]\d|\s?[-\u2013]\s?\d")
_MOST_WORDS = 4
"""Words of a reference that is a number and little else."""
_BACK = 10


class _Signed(NamedTuple):
    start: int
    end: int
    value: float
    negative: bool


@lru_cache(maxsize=1 << 12)
def _signed(text: str) -> tuple[_Signed, ...]:
    """Find numbers that stand by themselves, with the words or marks that put them below zero."""
    found = []
    for start, end, quantity in placed_quantities(text):
        minus = _MINUS.search(text, max(0, start - _BACK), start)
        below = _BELOW.match(text, end)
        if (
            quantity.low == quantity.high
            and not _PART_BEHIND.match(text, end)
            and (minus or _PLAIN.search(text, max(0, start - 1), start))
        ):
            span = (minus.start() if minus else start, below.end() if below else end)
            found.append(_Signed(*span, quantity.low, bool(minus or below)))
    return tuple(found)


def _one_is_negative(pair: AnswerPair) -> bool:
    if len(pair.reference.split()) > _MOST_WORDS or len(_signed(pair.reference)) != 1:
        return False
    return any(each.negative for each in (*_signed(pair.reference), *_signed(pair.candidate)))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Put a negative number into the reference's words; nothing is left of a candidate with the other sign alone."""
    (wanted,) = _signed(pair.reference)
    same = [each for each in _signed(pair.candidate) if math.isclose(each.value, wanted.value)]
    agreeing = [each for each in same if each.negative == wanted.negative]
    if agreeing and wanted.negative:
        words = pair.reference[wanted.start : wanted.end]
        return [
            Replacement(each.start, each.end, words)
            for each in agreeing
            if pair.candidate[each.start : each.end].lower() != words.lower()
        ]
    other = pair.candidate if wanted.negative else pair.reference
    if not same or agreeing or not wanted.value or _LESS.search(other) or _LESS.search(pair.question):
        return []
    return [Replacement(0, len(pair.candidate), "")]


SIGN = Rule(
    name="sign",
    definition="A number below zero takes the reference's form, and nothing is left of the number with the other sign.",
    applies=_one_is_negative,
    needs=Needs(reference=(NUMBER,), either=(_NEGATIVE,)),
    rewrite=_as_in_reference,
    tables=("number_words",),
)
