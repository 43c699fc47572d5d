"""Times of the day, dates in figures, decades and centuries, each in the forms that English texts give them."""

from __future__ import annotations

import re

from qassay.equivalence.dates import MONTHS, dated
from qassay.equivalence.mention import Stated
from qassay.equivalence.quantities import NUMBER_WORDS

CLOCK, DATE, DECADE, CENTURY = "time of day", "date", "decade", "century"
IN_FIGURES, IN_WORDS = "in figures", "in words"
_NOON = 720
_EVENING = 6
_TIME = re.compile(
    r"(?<![\w:.])(?:12(?::00)?\s)?(?P<named>noon|midday|midnight)(?!\w)"
    r"|(?<![\d:.])(?:(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?(?:(?P<half>[ap])(?:\.\s?m\.|m\.?)(?!\w)"
    r"|(?:o['\u2019]clock\s)?(?:in\sthe\s(?P<part>morning|afternoon|evening)|at\s(?P<night>night))\b)"
    r"|(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?![\d:])(?:\s?(?:hours|hrs|h)(?!\w))?)",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\s?\(?(?:[A-Z]{1,3}T|GMT|UTC|Z|local)\b")
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_IN_FIGURES = re.compile(
    r"(?<![\d/.-])(?:(?P<year>[12]\d{3})-(?P<month>0?[1-9]|1[0-2])-(?P<day>0?[1-9]|[12]\d|3[01])"
    r"|(?P<a>\d{1,2})(?P<by>[/.-])(?P<b>\d{1,2})(?P=by)(?P<y>[12]\d{3}))(?![\d/-])"
)
_TENS = "twenties thirties forties fifties sixties seventies eighties nineties"
_DECADE = re.compile(
    rf"(?<!\w)(?:(?P<full>1[0-9]\d0|20\d0)['\u2019]?s|(?:['\u2019]|(?<=\bthe ))(?P<short>[2-9]0)s"
    rf"|(?<=\bthe )(?:(?:early|late|mid)[\s-])?(?P<name>{'|'.join(_TENS.split())}))(?!\w)",
    re.IGNORECASE,
)
_ORDINALS = [word for word in NUMBER_WORDS if word.endswith(("st", "nd", "rd", "th"))]
_CENTURY = re.compile(
    rf"(?<!\w)(?:(?:(?P<figures>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>twenty[\s-]first|{'|'.join(_ORDINALS)}))[\s-]century"
    # The 2000s are a decade as yet.
    r"|(?P<hundred>1\d|[3-9])00['\u2019]?s)(?!\w)(?!\s?(?:BC|B\.C\.))",
    re.IGNORECASE,
)
_NO_DECADE = re.compile(r"\b(?:temperatures?|degrees|aged?)\b", re.IGNORECASE)


def times(text: str) -> tuple[Stated, ...]:
    """Find times of the day, days in figures or in words, decades and centuries."""
    found = [clock for match in _TIME.finditer(text) if not _ZONE.match(text, match.end()) and (clock := _clock(match))]
    found += [
        Stated(start, end, DATE, _numbered(date.year, date.month, date.days[0]), IN_WORDS)
        for date, start, end in dated(text)
        if date.year is not None and date.days is not None and date.days[0] == date.days[1]
        if not _IN_FIGURES.match(text, start)
    ]
    found += [each for match in _IN_FIGURES.finditer(text) for each in _in_figures(match)]
    if not _NO_DECADE.search(text):
        found += [_decade(match) for match in _DECADE.finditer(text)]
    found += [Stated(match.start(), match.end(), CENTURY, _century(match)) for match in _CENTURY.finditer(text)]
    return tuple(sorted(found))


def _clock(match: re.Match[str]) -> Stated | None:
    """Read a time of the day; figures that do not say which half of it is meant are left alone."""
    if match["named"]:
        minutes = _NAMED[match["named"].lower()]
    elif match["hour"]:
        hour = int(match["hour"]) % 12 + (12 if _in_second_half(match) else 0)
        minutes = 60 * hour + int(match["minute"] or 0)
    elif len(match["hours"]) < 2 or 10 <= int(match["hours"]) <= 12:  # noqa: PLR2004 - hours
        return None
    else:
        return Stated(match.start(), match.end(), CLOCK, 60 * int(match["hours"]) + int(match["minutes"]), IN_FIGURES)
    return Stated(match.start(), match.end(), CLOCK, minutes, IN_WORDS)


def _in_second_half(match: re.Match[str]) -> bool:
    if match["night"]:
        return _EVENING <= int(match["hour"]) < 12  # noqa: PLR2004 - 12 at night is midnight
    return (match["half"] or match["part"]).lower() in {"p", "afternoon", "evening"}


def same_number(a: Stated, b: Stated) -> bool:
    """Whether two times of the day are the same but for the half of the day."""
    return a.value % _NOON == b.value % _NOON


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
    """Read a decade; without a century the last one is meant."""
    if match["full"]:
        return Stated(match.start(), match.end(), DECADE, int(match["full"]))
    if match["short"]:
        return Stated(match.start(), match.end(), DECADE, 1900 + int(match["short"]))
    return Stated(match.start("name"), match.end(), DECADE, 1920 + 10 * _TENS.split().index(match["name"].lower()))


def _century(match: re.Match[str]) -> int:
    if match["hundred"]:
        return int(match["hundred"]) + 1
    return int(match["figures"] or NUMBER_WORDS[re.sub(r"[\s-]", "", match["word"].lower())])
