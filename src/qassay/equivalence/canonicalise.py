"""An answer in the reference's own terms: its units, its way of writing numbers, times and dates, its names for places.

A network that has read little arithmetic takes "two weeks" and "14 days" for different answers and 1.5 km and 1.5 miles
for the same. Both can be told exactly, and so they are, before anything is compared. An answer that names the reference
only to deny it ("Sydney, not Canberra") is read without what it denies, one that differs from it by a sign or a point
(5 for -5) without its number, and of one that says the contrary ("after 1990" for "before 1990") nothing is left.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.acronyms import acronyms_as_in
from qassay.equivalence.aliases import ALIAS, ALONE, LOOSE, aliases
from qassay.equivalence.amounts import amounts
from qassay.equivalence.capitals import capitals_as_in
from qassay.equivalence.contradictions import DENYING, says_the_contrary, without_denied
from qassay.equivalence.marked_symbols import letters_as_in
from qassay.equivalence.mention import Stated
from qassay.equivalence.number_forms import numbers_as_in
from qassay.equivalence.shares import FRACTION
from qassay.equivalence.times import CENTURY, CLOCK, DATE, DECADE, on_the_clock, same_number, times
from qassay.equivalence.units import IMPERIAL, UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 4000
"""Characters of a text that is looked through; longer ones say much besides."""
_MOST = 30
"""Things that a text may state; each is held against each."""
_UNITS = {(unit.kind, unit.name): unit for unit in UNITS}
_TEMPERATURE = "temperature"
_EXACTLY = 1e-9
_CONVERTED = 0.01
_DEGREES = 0.3
"""How far converted amounts may be off: nobody converts to the last figure."""
_THIRDS = 0.34
"""Per cent that a fraction may be off which no whole number of them is: a third is 33 %."""
_FIGURES_KEPT = 2
_JOINED = r"(?:to|and|or|by|x|\u00d7|[-\u2012-\u2015\u2212])"
_RANGE_BEFORE = re.compile(rf"(?:^|[\s\d]){_JOINED}\s?(?:the\s)?$", re.IGNORECASE)
_RANGE_BEHIND = re.compile(rf"\s?{_JOINED}\s?[\d$\u00a3\u20ac]|\s?\d", re.IGNORECASE)
_OF_CHANGE = re.compile(
    r"\b(?:by|rise|rose|risen|increas\w*|warm\w*|differ\w*|drop\w*|fall|fell|cool\w*|colder|hotter)\b", re.IGNORECASE
)
_NOTHING = re.compile(r"\s*(?P<none>0|zero|none|nil|nought)\.?\s*", re.IGNORECASE)
_NONE = "none"
_Change = tuple[Stated, str]
"""What is stated, and the words that take its place."""


class Restated(NamedTuple):
    """A reference and an answer that say what they said, in the same terms."""

    reference: str
    candidate: str


def restated(question: str, reference: str, candidate: str) -> Restated | None:
    """Put an answer into the reference's terms; `None` where it is in them already, as almost all are."""
    if max(len(reference), len(candidate)) > _LONGEST:
        return None
    if DENYING.search(candidate):
        # What is denied must not be put into the reference's words.
        asked, changed = reference, without_denied(question, reference, candidate)
    elif says_the_contrary(question, reference, candidate):
        asked, changed = reference, ""
    else:
        asked, changed = _in_same_terms(question, reference, candidate)
    return Restated(asked, changed) if (asked, changed) != (reference, candidate) else None


def _in_same_terms(question: str, reference: str, candidate: str) -> tuple[str, str]:
    there, here = _converted_terms(question, reference, candidate)
    here += numbers_as_in(reference, candidate, question)
    here += [*letters_as_in(reference, candidate), *acronyms_as_in(reference, candidate, question)]
    here += capitals_as_in(reference, candidate)
    return _with(reference, there), _with(candidate, here)


def _converted_terms(question: str, reference: str, candidate: str) -> tuple[list[_Change], list[_Change]]:
    wanted = [
        each for each in stated(reference) if each.kind != ALIAS or (each.written == ALONE and each.unit != LOOSE)
    ]
    if _OF_CHANGE.search(f"{question} {reference}"):
        wanted = [each for each in wanted if each.kind != _TEMPERATURE]
    if not wanted:
        return [], []
    # An answer that repeats the question's own terms does not say more than the question.
    asked = stated(question)
    given = [each for each in stated(candidate) if not any(_same(each, other) for other in asked)]
    if max(len(wanted), len(given)) > _MOST:
        return [], []
    return _reworded(reference, candidate, wanted, given)


@lru_cache(maxsize=1 << 12)
def stated(text: str) -> tuple[Stated, ...]:
    """Find everything in a text that could be said in other terms; what is part of a range or a list is left alone."""
    found = (*amounts(text), *times(text), *aliases(text), *_nothing(text))
    return tuple(
        each
        for each in found
        if each.kind == ALIAS
        or not (_RANGE_BEFORE.search(text, max(0, each.start - 12), each.start) or _RANGE_BEHIND.match(text, each.end))
    )


def _nothing(text: str) -> list[Stated]:
    """Find that there is none, where a text says nothing else."""
    match = _NOTHING.fullmatch(text)
    return [Stated(match.start("none"), match.end("none"), _NONE, 0)] if match else []


def _reworded(
    reference: str, candidate: str, wanted: Sequence[Stated], given: Sequence[Stated]
) -> tuple[list[_Change], list[_Change]]:
    there: list[_Change] = []
    here: list[_Change] = []
    units = {(told.kind, told.unit) for told in given}
    for each in given:
        # Where an answer uses the reference's own terms, they count.
        if _has(reference, candidate[each.start : each.end]):
            continue
        alike = [
            other
            for other in wanted
            if _comparable(each, other)
            if not _has(candidate, reference[other.start : other.end])
            if each.unit == other.unit
            or (other.kind, other.unit) not in units
            or (other.kind, other.unit) not in _UNITS
        ]
        # The same unit first: a reference may give both degrees Celsius and degrees Fahrenheit.
        same = sorted((other for other in alike if _same(each, other)), key=lambda other: other.unit != each.unit)
        if same:
            here.append((each, reference[same[0].start : same[0].end]))
            continue
        for other in alike:
            if _seems_same(each, other) and not any(_same(told, other) for told in given):
                here.append((each, _converted(each, other)))
                there += [(other, on_the_clock(other))] if each.kind == CLOCK else []
    return there, here


def _has(text: str, words: str) -> bool:
    """Whether a text has words as they are, but for capitals and hyphens; 1990s is not 90s."""
    plain, sought = (each.lower().replace("-", " ") for each in (text, words))
    place = plain.find(sought)
    while place > 0 and plain[place - 1].isalnum():
        place = plain.find(sought, place + 1)
    return place >= 0


def _comparable(each: Stated, other: Stated) -> bool:
    """Whether two things can be the same without being written alike."""
    if each.kind == DATE:
        # Of two dates in figures nobody knows which has the month first.
        return other.kind == DATE and each.unit != other.unit
    return each.kind == other.kind and (each.kind != ALIAS or each.value == other.value)


def _same(each: Stated, other: Stated) -> bool:
    if each.kind != other.kind:
        return False
    if each.kind in {CLOCK, DATE, DECADE, CENTURY, ALIAS, _NONE}:
        return each.value == other.value
    return _same_amount(each, other)


def _same_amount(each: Stated, other: Stated) -> bool:
    """Compare amounts: exactly within a system of units, else as far as both have figures."""
    if FRACTION in {each.unit, other.unit}:
        whole = float(each.value).is_integer() and float(other.value).is_integer()
        return abs(each.value - other.value) <= (_EXACTLY if whole else _THIRDS)
    if (each.unit in IMPERIAL) == (other.unit in IMPERIAL) and each.kind != _TEMPERATURE:
        return math.isclose(each.value, other.value, rel_tol=_EXACTLY)
    if each.kind == _TEMPERATURE:
        return abs(each.value - other.value) <= (_DEGREES if each.unit != other.unit else _EXACTLY)
    if not math.isclose(each.value, other.value, rel_tol=_CONVERTED):
        return False
    kept = max(_FIGURES_KEPT, min(_significant(each.number), _significant(other.number)))
    units = (_UNITS[each.kind, each.unit], _UNITS[other.kind, other.unit])
    return any(_rounded(unit.number(each.value), kept) == _rounded(unit.number(other.value), kept) for unit in units)


def _significant(number: float | None) -> int:
    """Count the figures that say something; what was added up has three."""
    if number is None:
        return 3
    return len(f"{abs(number):.10f}".rstrip("0").rstrip(".").replace(".", "").strip("0")) or 1


def _rounded(number: float, figures: int) -> float:
    return float(f"{number:.{figures}g}")


def _seems_same(each: Stated, other: Stated) -> bool:
    """Whether two that differ are written with the same number: 1.5 km and 1.5 miles, 8 a.m. and 8 p.m."""
    if each.kind == CLOCK:
        return same_number(each, other)
    return each.unit != other.unit and bool(other.written) and each.number is not None and each.number == other.number


def _converted(each: Stated, other: Stated) -> str:
    """Write what differs from the reference in the reference's terms, so that it can be seen to differ."""
    if each.kind == CLOCK:
        return on_the_clock(each)
    return f"{_figures(_UNITS[other.kind, other.unit].number(each.value))} {other.written}"


def _figures(number: float) -> str:
    rounded = _rounded(number, 3)
    return f"{rounded:.0f}" if rounded.is_integer() else f"{rounded:.10f}".rstrip("0").rstrip(".")


def _with(text: str, replaced: Sequence[_Change]) -> str:
    """Put other words in the place of what is stated; of things that overlap the first stays."""
    parts, end = [], 0
    for each, words in sorted(replaced, key=lambda item: (item[0].start, -item[0].end)):
        if each.start >= end:
            parts += [text[end : each.start], words]
            end = each.end
    return "".join([*parts, text[end:]])
