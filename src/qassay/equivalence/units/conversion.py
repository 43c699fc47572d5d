"""Amounts in another unit than the reference's: the same amount, or the same number and so another amount."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from qassay.equivalence.mention import compare_mentions
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.equivalence.units.amounts import AMOUNT, amounts
from qassay.equivalence.units.units import BY_NAME, TEMPERATURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.mention import Mention

_EXACTLY, _CONVERTED, _ROUNDED, _DEGREES = 1e-9, 0.007, 0.002, 0.3
"""How far amounts may be off, of their size; between systems nobody converts to the last figure."""
_OF_CHANGE = re.compile(
    r"\b(?:by|rise|rose|risen|increas\w*|warm\w*|differ\w*|drop\w*|fall|fell|cool\w*|colder|hotter)\b", re.IGNORECASE
)
_ABOUT = re.compile(r"(?:about|around|approximately|roughly|some|over|nearly|almost)?[\s.~]*", re.IGNORECASE)


def _have_amounts(pair: AnswerPair) -> bool:
    return bool(amounts(pair.reference) and amounts(pair.candidate))


def _convert(pair: AnswerPair) -> Sequence[Replacement]:
    # A difference of temperatures is no temperature.
    changes = bool(_OF_CHANGE.search(f"{pair.question} {pair.reference}"))
    given = amounts(pair.candidate)
    units = {(each.kind, each.unit) for each in given}
    if not changes and _is_other_amount(pair):
        return [Replacement(0, len(pair.candidate), "")]
    found = []
    for each, wanted in compare_mentions(pair, amounts, _same_amount):
        others = [
            other
            for other in wanted
            # Where the candidate uses the reference's unit as well, that amount is the one to compare.
            if other.kind == each.kind and (other.unit == each.unit or (other.kind, other.unit) not in units)
            if not (changes and each.kind == TEMPERATURE)
        ]
        # The same unit first: a reference may give both degrees Celsius and degrees Fahrenheit.
        same = sorted((other for other in others if _same_amount(each, other)), key=lambda one: one.unit != each.unit)
        words = [pair.reference[other.start : other.end] for other in same] or [
            _converted(each, other)
            for other in others
            if each.unit != other.unit and other.written and each.number is not None and each.number == other.number
            if not any(_same_amount(one, other) for one in given)
        ]
        found += [Replacement(each.start, each.end, words[0])] if words else []
    return found


def _is_other_amount(pair: AnswerPair) -> bool:
    """Whether the reference is an amount and no more, and the candidate has its number with other units alone.

    These may be of another kind, such as euros for dollars, where it has no amount of the reference's.
    """
    wanted, given = amounts(pair.reference), amounts(pair.candidate)
    kinds = {each.kind for each in wanted}
    if not all(_ABOUT.fullmatch(pair.reference[: each.start] + pair.reference[each.end :]) for each in wanted):
        return False
    alike = [each for each in given if each.kind in kinds] or [
        each for each in given if not any(_is_cut(each, other) for other in wanted)
    ]
    return any(_same_number(each, other) and each.unit != other.unit for each in alike for other in wanted) and not any(
        each.unit == other.unit or _same_amount(each, other) for each in alike for other in wanted
    )


def _is_cut(each: Mention, other: Mention) -> bool:
    """Whether one unit begins with the other, of which a text may have lost the rest: 763 m for 763 m/s."""
    short, long = sorted((each.written, other.written), key=len)
    return bool(short) and long.startswith(short)


def _same_number(each: Mention, other: Mention) -> bool:
    """Whether two amounts have one number, as far as people round."""
    if each.number is None or other.number is None:
        return False
    return math.isclose(each.number, other.number, rel_tol=_ROUNDED)


def _same_amount(each: Mention, other: Mention) -> bool:
    """Compare amounts: exactly within a system of units, else as far as people convert."""
    if each.kind != other.kind:
        return False
    systems = {BY_NAME[one.kind, one.unit].system for one in (each, other)}
    off = (_CONVERTED if len(systems) > 1 else _EXACTLY) * max(abs(each.value), abs(other.value))
    return abs(each.value - other.value) <= (_DEGREES if each.kind == TEMPERATURE and len(systems) > 1 else off)


def _converted(each: Mention, other: Mention) -> str:
    """Write an amount in the reference's unit, so that it is seen to differ: 2.41 km for 1.5 miles."""
    number = float(f"{BY_NAME[other.kind, other.unit].number(each.value):.3g}")
    figures = f"{number:.0f}" if number.is_integer() else f"{number:.10f}".rstrip("0").rstrip(".")
    return f"{figures} {other.written}"


UNITS = Rule(
    name="units",
    revision=2,
    definition="An amount in another unit is converted: one that equals the reference's takes its words.",
    applies=_have_amounts,
    needs=Needs(reference=AMOUNT, candidate=AMOUNT),
    rewrite=_convert,
    tables=("units", "number_words"),
)
