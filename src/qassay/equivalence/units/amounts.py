"""Amounts in English texts: a number with a unit, or a sum of money."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.mention import Mention, in_range, without_overlaps
from qassay.equivalence.numbers.quantities import CARDINALS, MAGNITUDE_LETTERS, MAGNITUDES, quantities
from qassay.equivalence.quick_checks import may_have_word
from qassay.equivalence.units.units import BY_NAME, CURRENCY_SIGNS, SHARE, TEMPERATURE, UNITS
from qassay.text.traits import FIGURE, character_trait, word_trait

_FIGURES = r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,12})(?:\.\d{1,6})?"
_FRACTIONS = {"\u00bd": 1 / 2, "\u00bc": 1 / 4, "\u00be": 3 / 4, "\u2153": 1 / 3, "\u2154": 2 / 3}
_SMALL = "|".join(CARDINALS)
_LARGE = "|".join(MAGNITUDES)
_NUMBER = (
    rf"(?:(?P<fraction>(?:\d{{1,3}}[\s-])?[1-9]/[1-9]\d?(?!\d)|\d{{0,3}}[{''.join(_FRACTIONS)}])"
    rf"|(?P<figures>{_FIGURES}(?:[\s-](?:{_LARGE}))?)"
    rf"|(?P<words>(?:{_SMALL})(?:[\s-](?:and\s)?(?:{_SMALL}|{_LARGE})){{0,6}})|(?P<one>half\san?|(?:an?\s)?quarter\sof\san?|an?))"
)
# What stands before "a year" where a length of time is meant and no rate.
_LASTING = re.compile(
    r"(?:^|\b(?:for|in|after|about|around|within|took|takes|almost|nearly|over|lasted|lasts|roughly)\s)$", re.IGNORECASE
)
# Dollars of other countries are other money.
_FOREIGN = r"(?!\s\(?(?-i:[A-Z][a-z]*(?:an|ese)\b))"
_KINDS = tuple(dict.fromkeys(unit.kind for unit in UNITS))
_BY_FORM = {(unit.kind, form): unit for unit in UNITS for form in unit.forms}
_SYMBOL = 2
"""Letters of a unit's symbol, whose case counts: 5 g is not 5G."""


def _pattern(kind: str) -> re.Pattern[str]:
    forms = sorted((form for of, form in _BY_FORM if of == kind), key=len, reverse=True)
    unit = "|".join(f"(?-i:{form})" if len(form) <= _SYMBOL and form.isalpha() else re.escape(form) for form in forms)
    return re.compile(
        # Not in ranges: the first number of 1-2 days has no unit of its own.
        rf"(?<![\w.,/$\u00a3\u20ac\u2013-])(?<!\d\s)(?P<minus>[-\u2212]|\b(?:minus|negative)\s)?{_NUMBER}"
        rf"(?P<half>\sand\sa\shalf)?[\s-]?(?P<unit>{unit})"
        # Neither mg/l nor miles per hour.
        rf"(?!\w|\s?/\s?\w|\s?\^|\s(?:per|an?)\s)(?P<after>\sand\sa\shalf)?{_FOREIGN}",
        re.IGNORECASE,
    )


_AMOUNTS = {kind: _pattern(kind) for kind in _KINDS}
_UNIT_TOKEN = re.compile(r"[^\W\d_]+|[^\w\s]")
"""What a unit may begin with: letters, or a sign."""


def _kinds_by_token() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for kind, form in _BY_FORM:
        found.setdefault(_UNIT_TOKEN.findall(form)[0].lower(), {})[kind] = None
    return {token: tuple(kinds) for token, kinds in found.items()}


_KINDS_BY_TOKEN = _kinds_by_token()
_IN_SMALL_LETTERS = frozenset({"time", "long time", "length", "mass", "volume", "area"})
_TIMES = frozenset({"time", "long time"})
_PRICE = re.compile(
    rf"(?<!\w)(?P<sign>us\$|[$\u00a3\u20ac])\s?(?P<figures>{_FIGURES}(?:[\s-](?:{_LARGE}))?)(?![\d,.]\d)"
    rf"(?:\s?(?P<letter>{'|'.join(MAGNITUDE_LETTERS)})(?!\w))?{_FOREIGN}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:\s|,\s?|\s?and\s|,\sand\s)?")
_DIGIT, _BEGINNINGS = re.compile(rf"[\d{''.join(_FRACTIONS)}]"), frozenset({*CARDINALS, "a", "an", "half", "quarter"})
"""Figures, and the words that an amount may begin with."""
_HAS_NUMBER = FIGURE | word_trait(_BEGINNINGS)
_HAS_UNIT = word_trait(token for token in _KINDS_BY_TOKEN if token.isalpha() and token.isascii()) | character_trait(
    "".join({"$", *(token for token in _KINDS_BY_TOKEN if not token.isalpha() and token.isascii())})
)
AMOUNT = (_HAS_NUMBER, _HAS_UNIT)
"""The traits of texts that may have amounts."""
_DIGIT_OR_WORD = re.compile(rf"\d|\bhalf\b|\bquarter of\b|\b(?:{_SMALL}|an?)[\s-]", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def amounts(text: str) -> tuple[Mention, ...]:
    """Find the amounts of a text; what has two meanings, like pounds, is found as both."""
    if not (_DIGIT.search(text) or (may_have_word(text, _BEGINNINGS) and _DIGIT_OR_WORD.search(text))):
        return ()
    tokens = set(_UNIT_TOKEN.findall(text.lower()))
    kinds = {kind for token in tokens & _KINDS_BY_TOKEN.keys() for kind in _KINDS_BY_TOKEN[token]}
    found = [each for kind in _KINDS if kind in kinds for each in _measured(text, kind)]
    found += [each for match in _PRICE.finditer(text) if (each := _price(match))]
    return tuple(each for each in without_overlaps(found) if not in_range(text, each))


def _measured(text: str, kind: str) -> list[Mention]:
    found = []
    for match in _AMOUNTS[kind].finditer(text):
        number = _number(match)
        unit = _BY_FORM.get((kind, match["unit"])) or _BY_FORM[kind, lower_case(match["unit"])]
        rate = match["one"] and not _LASTING.search(text, max(0, match.start() - 12), match.start())
        # "60 Minutes" is a title, and a second chance no time.
        title = match["unit"][:1].isupper() and match["unit"].isalpha() and kind in _IN_SMALL_LETTERS
        if (
            number is None
            or title
            or (rate and kind in _TIMES)
            or ((match["one"] or "").lower() == "a" and unit.name == "second")
        ):
            continue
        number += 0.5 if match["half"] or match["after"] else 0.0
        number *= -1 if match["minus"] else 1
        # A year and a decade are not one number with two units.
        shown = None if match["one"] else number
        found.append(Mention(match.start(), match.end(), kind, unit.value(number), unit.name, match["unit"], shown))
    return _summed(text, found)


def _number(match: re.Match[str]) -> float | None:
    if match["one"]:
        one = match["one"].lower()
        return 0.5 if one.startswith("half") else 0.25 if "quarter" in one else 1.0
    if match["fraction"]:
        return _mixed_number(match["fraction"])
    read = quantities(match["figures"] or match["words"])
    return read[0].low if len(read) == 1 and read[0].low == read[0].high else None


def _mixed_number(written: str) -> float:
    """Read a fraction, with a whole number before it or not: 1/2, 2 1/2, 2\u00bd."""
    if written[-1] in _FRACTIONS:
        return float(written[:-1] or 0) + _FRACTIONS[written[-1]]
    *whole, fraction = written.replace("-", " ").split()
    above, below = fraction.split("/")
    return float(whole[0] if whole else 0) + int(above) / int(below)


def _summed(text: str, found: list[Mention]) -> list[Mention]:
    """Add up what stands side by side in falling units: an hour and 30 minutes, 5 feet 10 inches."""
    if not found or found[0].kind in {TEMPERATURE, SHARE}:
        return found
    summed = found[:1]
    for before, each in pairwise(found):
        falling = BY_NAME[each.kind, each.unit].factor < BY_NAME[before.kind, before.unit].factor
        if falling and _BETWEEN.fullmatch(text, before.end, each.start):
            last = summed.pop()
            each = last._replace(end=each.end, value=last.value + each.value, number=None)  # noqa: PLW2901 - it grows
        summed.append(each)
    return summed


def _price(match: re.Match[str]) -> Mention | None:
    read = quantities(match["figures"])
    if len(read) != 1 or read[0].low != read[0].high:
        return None
    kind = CURRENCY_SIGNS[lower_case(match["sign"])]
    value = read[0].low * MAGNITUDE_LETTERS.get((match["letter"] or "").lower(), 1.0)
    unit = next(unit.name for unit in UNITS if unit.kind == kind)
    return Mention(match.start(), match.end(), kind, value, unit, number=value)
