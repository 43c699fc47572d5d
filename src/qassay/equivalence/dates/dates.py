"""Dates in English texts: a month with its day, its year or both."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from qassay.text.traits import HYPHEN, INNER_CAPITAL, word_trait

_NAMES = "january february march april may june july august september october november december"
MONTHS = _NAMES.split()
_NUMBERS = {form: number for number, name in enumerate(MONTHS, 1) for form in (name, name[:3])} | {"sept": 9}
_ALSO_WORDS = frozenset({"march", "may", "mar", "jan", "jun", "dec", "sep", "oct", "apr", "aug", "feb", "jul", "nov"})
"""Months that are ambiguous without a day or a year."""
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?!\d)"
_TO = r"\s?(?:[-\u2013\u2014,&]|to|and|or|through|until)\s?"
_YEAR = r"(?P<{0}>1\d\d\d|20\d\d)(?!\d{{3}})"  # the number of a footnote may follow: "19961"
_MONTH = "|".join(sorted(_NUMBERS, key=len, reverse=True))  # the longest form that fits
_DATE = re.compile(
    rf"(?:(?<!\d)(?P<first>{_DAY}(?:{_TO}{_DAY})?)\s{{0,3}}(?:of\s)?)?"
    # Some systems run words together, as in "released onMay 3".
    rf"(?:(?<![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))(?P<month>(?a:{_MONTH}))(?![^\W\d_])\.?"
    rf"(?:\s{{1,3}}(?:the\s)?(?P<then>{_DAY}(?:{_TO}{_DAY})?))?"
    rf"(?:\s?,?\s{{0,3}}(?:of\s|in\s)?{_YEAR.format('year')})?"
    rf"|(?<!\d){_YEAR.format('iso')}-(?P<number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
    re.IGNORECASE,
)
DATE = word_trait(_NUMBERS) | INNER_CAPITAL | HYPHEN
"""The traits of texts that may have dates."""
_MOST = 100
_FIGURES = re.compile(r"\d+")
_BEGINNINGS = tuple(name[:3] for name in MONTHS)
"""Of the months' names, which every date has, unless it is written with hyphens."""


class Date(NamedTuple):
    """A month, with the days and the year that are given with it."""

    month: int
    days: tuple[int, int] | None = None
    """The first and the last of them: twice the same for one day."""
    year: int | None = None

    def agrees(self, other: Date) -> bool:
        """Whether both can mean one day, as far as each says."""
        if self.month != other.month:
            return False
        if self.year is not None and other.year is not None and self.year != other.year:
            return False
        if self.days is None or other.days is None:
            return True
        return self.days[0] <= other.days[1] and other.days[0] <= self.days[1]


@lru_cache(maxsize=1 << 14)
def dates(text: str) -> tuple[Date, ...]:
    """Return the first hundred distinct dates of a text."""
    return tuple(islice(dict.fromkeys(date for date, _, _ in placed_dates(text)), _MOST))


@lru_cache(maxsize=1 << 14)
def placed_dates(text: str) -> tuple[tuple[Date, int, int], ...]:
    """Return every date of a text with where it begins and ends."""
    if not _may_have_dates(text):
        return ()
    found = ((_date(match), match) for match in _DATE.finditer(text))
    return tuple((date, match.start(), match.end()) for date, match in found if date is not None)


def _may_have_dates(text: str) -> bool:
    """Whether a text has the letters that some month begins with, or a hyphen."""
    if "-" in text:
        return True
    lowered = text.lower()
    return any([name in lowered for name in _BEGINNINGS])  # noqa: C419 - faster than one by one


def _date(found: re.Match[str]) -> Date | None:
    if found["iso"]:
        day = int(found["day"])
        return Date(int(found["number"]), (day, day), int(found["iso"]))
    month, days = found["month"].lower(), _days(found["first"] or found["then"])
    if days is None and not found["year"] and month in _ALSO_WORDS:
        return None
    return Date(_NUMBERS[month], days, int(found["year"]) if found["year"] else None)


def _days(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    named = [int(figures) for figures in _FIGURES.findall(text)]
    return min(named), max(named)
