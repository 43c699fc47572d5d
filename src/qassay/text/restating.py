"""An answer in the reference's own terms: its units, its way of writing times and dates, its names for places.

A network that has read little arithmetic takes "two weeks" and "14 days" for different answers and 1.5 km and 1.5 miles
for the same. Both can be told exactly, and so they are, before anything is compared. An answer that names the reference
only to deny it ("Sydney, not Canberra") is read without what it denies.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.text.aliases import ALIAS, aliases
from qassay.text.amounts import amounts
from qassay.text.times import CLOCK, DATE, DECADE, HALF_DAY, IN_FIGURES, on_the_clock, same_decade, same_time, times
from qassay.text.units import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.text.stated import Stated

_LONGEST = 4000
"""Characters of a text that is looked through; longer ones say much besides."""
_UNITS = {(unit.kind, unit.name): unit for unit in UNITS}
_DENIED = re.compile(
    r"(?:(?:^|,|\s[-\u2013\u2014]|;|\band\b|\bbut\b)\s*not|\s(?:rather than|instead of|as opposed to))\s+"
    r"(?P<what>(?:(?!\b(?:but|and)\b)[^.,;:!?()\n]){1,80})",
    re.IGNORECASE,
)
_DENYING = re.compile(r"\b(?:not|rather|instead|opposed)\b", re.IGNORECASE)
_SHORT = 20
"""Words of an answer that denies the reference; a longer one may deny much on the way."""
_WORD = re.compile(r"\w+")
_EMPTY_WORDS = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "it", "is", "was"})
_NEGATED = re.compile(r"\b(?:no|not|never|none|neither|nor|without)\b|n['\u2019]t\b", re.IGNORECASE)


class Restated(NamedTuple):
    """A reference and an answer that say what they said, in the same terms."""

    reference: str
    candidate: str


def restated(question: str, reference: str, candidate: str) -> Restated | None:
    """Put an answer into the reference's terms; `None` where it is in them already, as almost all are."""
    if max(len(reference), len(candidate)) > _LONGEST:
        return None
    asked, changed = reference, candidate
    if not _NEGATED.search(question):
        changed = _without_denied(reference, candidate)
    wanted = stated(reference)
    if wanted:
        kinds = {each.kind for each in wanted}
        given = [each for each in stated(changed) if each.kind in kinds]
        asked, changed = _reworded(reference, changed, wanted, given)
    return Restated(asked, changed) if (asked, changed) != (reference, candidate) else None


@lru_cache(maxsize=1 << 12)
def stated(text: str) -> tuple[Stated, ...]:
    """Find everything in a text that could be said in other terms."""
    return (*amounts(text), *times(text), *aliases(text))


def _reworded(reference: str, candidate: str, wanted: Sequence[Stated], given: Sequence[Stated]) -> tuple[str, str]:
    there, here = [], []
    for each in given:
        # Where an answer uses the reference's own terms, they count.
        if candidate[each.start : each.end] in reference:
            continue
        alike = [
            other
            for other in wanted
            if _comparable(each, other)
            if reference[other.start : other.end] not in candidate
            if each.unit == other.unit or not any((told.kind, told.unit) == (other.kind, other.unit) for told in given)
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
    return _with(reference, there), _with(candidate, here)


def _comparable(each: Stated, other: Stated) -> bool:
    """Tell whether two things can be the same without being written alike."""
    if each.kind != other.kind:
        return False
    if each.kind == ALIAS:
        return each.value == other.value
    if each.kind == DATE:
        return IN_FIGURES in {each.unit, other.unit}
    # 2:30 may be a time, a length of time or a result; another 2:30 is none of them for sure.
    return each.kind != CLOCK or not each.written == other.written == IN_FIGURES


def _same(each: Stated, other: Stated) -> bool:
    if each.kind != other.kind:
        return False
    if each.kind in {DATE, ALIAS}:
        return each.value == other.value
    if each.kind == CLOCK:
        return same_time(each, other)
    return same_decade(each, other) if each.kind == DECADE else each.same_amount(other)


def _seems_same(each: Stated, other: Stated) -> bool:
    """Tell whether two that differ are written with the same number: 1.5 km and 1.5 miles, 8 a.m. and 8 p.m."""
    if each.kind == CLOCK:
        return same_time(each._replace(unit=HALF_DAY), other)
    return each.unit != other.unit and bool(other.written) and each.number is not None and each.number == other.number


def _converted(each: Stated, other: Stated) -> str:
    """Write what differs from the reference in the reference's terms, so that it can be seen to differ."""
    if each.kind == CLOCK:
        return on_the_clock(each)
    return f"{_figures(_UNITS[other.kind, other.unit].number(each.value))} {other.written}"


def _figures(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:.0f}" if rounded.is_integer() else f"{rounded:.10f}".rstrip("0")


def _with(text: str, replaced: Sequence[tuple[Stated, str]]) -> str:
    """Put other words in the place of what is stated; of things that overlap the first stays."""
    parts, end = [], 0
    for each, words in sorted(replaced, key=lambda item: (item[0].start, -item[0].end)):
        if each.start >= end:
            parts += [text[end : each.start], words]
            end = each.end
    return "".join([*parts, text[end:]])


def _without_denied(reference: str, candidate: str) -> str:
    """Leave out what an answer denies, if that is the reference and the answer has something else to say."""
    wanted = _content(reference)
    if not wanted or _NEGATED.search(reference) or not _DENYING.search(candidate):
        return candidate
    if len(candidate.split()) > _SHORT:
        return candidate
    for match in _DENIED.finditer(candidate):
        rest = f"{candidate[: match.start()]}{candidate[match.end() :]}"
        denied = _content(match["what"])
        # What is denied is the reference, with a word or two besides, and the answer says something else.
        if wanted <= denied and len(denied) <= len(wanted) + 2 and _content(rest) and not wanted & _content(rest):
            return rest
    return candidate


def _content(text: str) -> set[str]:
    return {word for word in map(str.lower, _WORD.findall(text)) if word not in _EMPTY_WORDS}
