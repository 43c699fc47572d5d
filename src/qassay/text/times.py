"""Times of the day, dates in figures and decades, each in the forms that English texts give them."""

from __future__ import annotations

import re

from qassay.text.dates import MONTHS, dated
from qassay.text.stated import Stated

CLOCK, DATE, DECADE = "time of day", "date", "decade"
IN_FIGURES, IN_WORDS = "in figures", "in words"
HALF_DAY, WHOLE_DAY = "half day", "day"
"""Whether a time of the day says which half of it is meant."""
_NOON = 720
_TIME = re.compile(
    r"(?<![\d:.])(?:(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])(?:\.\s?m\.|m\.?)(?!\w)"
    r"|(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?![\d:])(?:\s?(?:hours|hrs|h)(?!\w))?)"
    r"|(?<!\w)(?P<named>noon|midday|midnight)(?!\w)",
    re.IGNORECASE,
)
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_IN_FIGURES = re.compile(
    r"(?<![\d/.-])(?:(?P<year>[12]\d{3})-(?P<month>0?[1-9]|1[0-2])-(?P<day>0?[1-9]|[12]\d|3[01])"
    r"|(?P<a>\d{1,2})(?P<by>[/.-])(?P<b>\d{1,2})(?P=by)(?P<y>[12]\d{3}))(?![\d/-])"
)
_TENS = "twenties thirties forties fifties sixties seventies eighties nineties"
_DECADE = re.compile(
    # Somebody may be in his fifties.
    r"(?<!his )(?<!her )(?<!their )(?<!\w)(?:(?P<full>1[0-9]\d0|20\d0)['\u2019]?s"
    rf"|['\u2019](?P<short>[2-9]0)s|(?P<name>{'|'.join(_TENS.split())}))(?!\w)",
    re.IGNORECASE,
)


def times(text: str) -> tuple[Stated, ...]:
    """Find times of the day, days in figures or in words, and decades."""
    found = [_clock(match) for match in _TIME.finditer(text)]
    found += [
        Stated(start, end, DATE, _numbered(date.year, date.month, date.days[0]), IN_WORDS)
        for date, start, end in dated(text)
        if date.year is not None and date.days is not None and date.days[0] == date.days[1]
        if not _IN_FIGURES.match(text, start)
    ]
    found += [each for match in _IN_FIGURES.finditer(text) for each in _in_figures(match)]
    found += [_decade(match) for match in _DECADE.finditer(text)]
    return tuple(sorted(found))


def _clock(match: re.Match[str]) -> Stated:
    if match["named"]:
        return Stated(match.start(), match.end(), CLOCK, _NAMED[match["named"].lower()], WHOLE_DAY)
    if match["half"]:
        hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)
        return Stated(match.start(), match.end(), CLOCK, 60 * hour + int(match["minute"] or 0), WHOLE_DAY)
    hour = int(match["hours"])
    # Up to one o'clock at noon, figures alone do not say which half of the day is meant.
    unit = HALF_DAY if hour <= 12 and len(match["hours"].lstrip("0")) == len(match["hours"]) else WHOLE_DAY  # noqa: PLR2004
    return Stated(match.start(), match.end(), CLOCK, 60 * hour + int(match["minutes"]), unit, IN_FIGURES)


def same_time(a: Stated, b: Stated) -> bool:
    """Tell whether two times of the day can be the same."""
    if HALF_DAY in {a.unit, b.unit}:
        return a.value % _NOON == b.value % _NOON
    return a.value == b.value


def on_the_clock(time: Stated) -> str:
    """Write a time of the day with hours from 0 to 23."""
    return f"{int(time.value) // 60:02}:{int(time.value) % 60:02}"


def _in_figures(match: re.Match[str]) -> list[Stated]:
    """Read a date in figures; day and month may stand in either order where both can be a month."""
    if match["year"]:
        read = [(int(match["year"]), int(match["month"]), int(match["day"]))]
    else:
        a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
        read = [(year, month, day) for month, day in dict.fromkeys([(a, b), (b, a)])]
    return [
        Stated(match.start(), match.end(), DATE, _numbered(year, month, day), IN_FIGURES)
        for year, month, day in read
        if 1 <= month <= len(MONTHS) and 1 <= day <= 31  # noqa: PLR2004 - a month has no more days
    ]


def _numbered(year: int, month: int, day: int) -> int:
    return 10000 * year + 100 * month + day


def _decade(match: re.Match[str]) -> Stated:
    if match["full"]:
        return Stated(match.start(), match.end(), DECADE, int(match["full"]), "century given")
    tens = int(match["short"]) if match["short"] else 20 + 10 * _TENS.split().index(match["name"].lower())
    return Stated(match.start(), match.end(), DECADE, tens, "tens alone")


def same_decade(a: Stated, b: Stated) -> bool:
    """Tell whether two decades can be the same; one may lack the century."""
    return a.value % 100 == b.value % 100 if "tens alone" in {a.unit, b.unit} else a.value == b.value
