"""Amounts as English texts give them: a number with a unit, a sum of money, or a share of a whole."""

from __future__ import annotations

import re
from itertools import pairwise

from qassay.equivalence.mention import Stated, apart
from qassay.equivalence.quantities import CARDINALS, GLUED, MAGNITUDES, quantities
from qassay.equivalence.shares import fractions
from qassay.equivalence.units import SIGNS, UNITS

_FIGURES = r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,12})(?:\.\d{1,6})?"
_SMALL = "|".join(CARDINALS)
_LARGE = "|".join(MAGNITUDES)
_NUMBER = (
    rf"(?:(?P<figures>{_FIGURES}(?:[\s-](?:{_LARGE}))?)|(?P<words>(?:{_SMALL})(?:[\s-](?:and\s)?(?:{_SMALL}|{_LARGE})){{0,6}})"
    r"|(?P<one>half\san?|an?))"
)
# What stands before "a year" where a length of time is meant and no rate.
_LASTING = re.compile(
    r"(?:^|\b(?:for|in|after|about|around|within|took|takes|almost|nearly|over|lasted|lasts|roughly)\s)$", re.IGNORECASE
)
# Dollars of other countries are other money.
_OTHER = r"(?!\s\(?(?-i:[A-Z][a-z]*(?:an|ese)\b))"
_AMOUNTS = {
    kind: re.compile(
        # Not in ranges: the first number of 1-2 days has no unit of its own.
        rf"(?<![\w.,/$\u00a3\u20ac\u2013-])(?<!\d\s)(?P<minus>[-\u2212]|\b(?:minus|negative)\s)?{_NUMBER}"
        r"(?P<half>\sand\sa\shalf)?[\s-]?(?P<unit>"
        + "|".join(f"(?P<u{i}>{'|'.join(unit.forms)})" for i, unit in enumerate(UNITS) if unit.kind == kind)
        # Neither mg/l nor miles per hour.
        + r")(?!\w|\s?/\s?\w|\s?\^|\s(?:per|an?)\s)(?P<after>\sand\sa\shalf)?"
        + _OTHER,
        re.IGNORECASE,
    )
    for kind in dict.fromkeys(unit.kind for unit in UNITS)
}
_IN_SMALL_LETTERS = frozenset({"time", "long time", "length", "mass", "volume", "area"})
_LETTERS = "|".join(GLUED)
_PRICE = re.compile(
    rf"(?<!\w)(?P<sign>us\$|[$\u00a3\u20ac])\s?(?P<figures>{_FIGURES}(?:[\s-](?:{_LARGE}))?)(?![\d,.]\d)"
    rf"(?:\s?(?P<glued>{_LETTERS})(?!\w))?{_OTHER}",
    re.IGNORECASE,
)
_BARE_PRICE = re.compile(
    rf"(?<![\w.,$\u00a3\u20ac])(?P<figures>{_FIGURES})\s?(?P<glued>{_LETTERS})\s(?P<unit>(?:us\s)?dollars?|usd|pounds?|gbp|euros?|eur)"
    r"(?!\w)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:\s|,\s?|\s?and\s|,\sand\s)?")
_DIGIT_OR_WORD = re.compile(rf"\d|\bhalf\b|\b(?:{_SMALL}|an?)[\s-]", re.IGNORECASE)


def amounts(text: str) -> tuple[Stated, ...]:
    """Find the amounts of a text; what has two meanings, like pounds, is found as both."""
    if not _DIGIT_OR_WORD.search(text):
        return ()
    found = [each for kind in _AMOUNTS for each in _measured(text, kind)]
    found += [each for match in _PRICE.finditer(text) if (each := _price(match, SIGNS[match["sign"].lower()]))]
    found += [each for match in _BARE_PRICE.finditer(text) if (each := _price(match, _currency(match["unit"])))]
    return tuple(apart([*found, *fractions(text)]))


def _measured(text: str, kind: str) -> list[Stated]:
    found = []
    for match in _AMOUNTS[kind].finditer(text):
        number = _number(match)
        unit = next(unit for i, unit in enumerate(UNITS) if unit.kind == kind and match[f"u{i}"])
        rate = match["one"] and not _LASTING.search(text, max(0, match.start() - 12), match.start())
        # "60 Minutes" is a title, and a second chance no time.
        title = match["unit"][:1].isupper() and match["unit"].isalpha() and kind in _IN_SMALL_LETTERS
        if (
            number is None
            or title
            or (rate and kind in {"time", "long time"})
            or (match["one"] and unit.name == "second")
        ):
            continue
        number += 0.5 if match["half"] or match["after"] else 0.0
        number *= -1 if match["minus"] else 1
        # A year and a decade are not one number with two units.
        shown = None if match["one"] else number
        found.append(Stated(match.start(), match.end(), kind, unit.value(number), unit.name, match["unit"], shown))
    return _summed(text, found)


def _number(match: re.Match[str]) -> float | None:
    if match["one"]:
        return 0.5 if match["one"].lower().startswith("half") else 1.0
    read = quantities(match["figures"] or match["words"])
    return read[0].low if len(read) == 1 and read[0].low == read[0].high else None


def _summed(text: str, found: list[Stated]) -> list[Stated]:
    """Add up what stands side by side in falling units: an hour and 30 minutes, 5 feet 10 inches."""
    if len(found) < 2 or found[0].kind in {"temperature", "share"}:  # noqa: PLR2004 - two make a sum
        return found
    summed = found[:1]
    for before, each in pairwise(found):
        if _smaller(each, before) and _BETWEEN.fullmatch(text, before.end, each.start):
            last = summed.pop()
            each = last._replace(end=each.end, value=last.value + each.value, number=None)  # noqa: PLW2901 - it grows
        summed.append(each)
    return summed


def _smaller(each: Stated, before: Stated) -> bool:
    sizes = {unit.name: unit.factor for unit in UNITS if unit.kind == each.kind}
    return sizes[each.unit] < sizes[before.unit]


def _price(match: re.Match[str], kind: str) -> Stated | None:
    read = quantities(match["figures"])
    if len(read) != 1 or read[0].low != read[0].high:
        return None
    value = read[0].low * GLUED.get((match["glued"] or "").lower(), 1.0)
    unit = next(unit for unit in UNITS if unit.kind == kind)
    return Stated(match.start(), match.end(), kind, unit.value(value), unit.name)


def _currency(name: str) -> str:
    if "dollar" in name.lower() or name.lower() == "usd":
        return "dollars"
    return "pounds sterling" if name.lower()[0] in "pg" else "euros"
