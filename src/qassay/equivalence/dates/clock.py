"""Times of day: 8 p.m., 20:00, a quarter past three, noon."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.mention import Mention, compare_mentions
from qassay.equivalence.numbers.quantities import NUMBER_WORDS
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import FIGURE, character_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HOUR = rf"(?:{_HOURS}|2[0-4]|1\d|0?\d)"
_MINUTES = rf"(?:{_HOURS}|quarter|half|twenty[\s-]five|twenty|[0-5]?\d)"
_HALF = (
    r"(?:\s?(?P<{0}>[ap])\.?\s?m\b\.?|\s(?:o['\u2019]?clock\s)?"
    r"(?:in\sthe\s(?P<{0}part>morning|afternoon|evening)|at\s(?P<{0}night>night)))"
)
_CLOCK = re.compile(
    r"(?<![\w.:/$-])(?:"
    rf"(?:a\s)?(?P<minutes>{_MINUTES})(?P<unit>\sminutes)?\s(?P<side>past|after|to|till|before)\s(?P<near>{_HOUR}|noon|midnight)"
    # One to two hours are no time.
    rf"(?::(?P<further>[0-5]\d))?(?:{_HALF.format('n')}|(?!\w|[:.%]\d|\s?%|\s(?!o['\u2019]?clock|on|and|or|but)[^\W\d_]))"
    rf"|(?P<hour>{_HOUR})(?::(?P<minute>[0-5]\d)(?![:\d]|\.\d)(?:{_HALF.format('h')})?"
    rf"|\.(?P<point>[0-5]\d){_HALF.format('d')}|\so['\u2019]?clock(?:{_HALF.format('o')})?|{_HALF.format('b')})"
    r"|(?:12\s)?(?P<name>noon|midday|midnight))(?!\w)",
    re.IGNORECASE,
)
_QUICK = re.compile(
    r"\d:\d|\d\s?[ap]\.?\s?m\b|clock|\b(?:noon|mid(?:day|night)|past|to|till)\b|in the|at night", re.IGNORECASE
)
_HAS_HOUR = re.compile(rf"\d|\b(?:{_HOURS}|noon|mid(?:day|night))\b", re.IGNORECASE)
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_BEFORE_HALF = ("", *_HOURS.split("|"), "clock", "oclock")
"""What a half of the day may be run together with: eightpm."""
_HAS_TIME = (
    FIGURE | word_trait((*_HOURS.split("|"), *_NAMED)),
    character_trait(":")
    | word_trait(
        (
            *(
                "m",
                "clock",
                "oclock",
                "past",
                "after",
                "to",
                "till",
                "before",
                "morning",
                "afternoon",
                "evening",
                "night",
            ),
            *(before + half for before in _BEFORE_HALF for half in ("am", "pm", "a", "p") if before + half != "a"),
            *_NAMED,
        )
    ),
)
"""The traits of texts that may have times: an hour, and what makes a time of it."""
_ZONE = re.compile(r"\b(?:[ECMP][SD]?T|GMT|UTC|BST|CES?T|IST|JST|AES?T)\b")
_HALF_DAY, _DAY = 720, 1440
_NEAR = 5
"""Minutes by which a time that is about right may be off."""
_MOST_WORDS = 6
"""Words of a reference that is a time and little else."""
_UNKNOWN, _KNOWN = "either half", "known half"
_COUNTED, _SPOKEN, _RANGE = "figures", "words", "may be a range"


@lru_cache(maxsize=1 << 12)
def _times(text: str) -> tuple[Mention, ...]:
    """Find times in minutes since midnight, or since the last twelve o'clock where the half of the day is not said."""
    if not (_HAS_HOUR.search(text) and _QUICK.search(text)):
        return ()
    return tuple(each for match in _CLOCK.finditer(text) if (each := _time(match)) is not None)


def _time(match: re.Match[str]) -> Mention | None:
    if match["name"]:
        return Mention(match.start(), match.end(), _SPOKEN, _NAMED[lower_case(match["name"])], _KNOWN)
    hour = _number(match["hour"] or match["near"])
    minutes = int(match["minute"] or match["point"] or match["further"] or 0)
    if match["side"]:
        off = {"quarter": 15, "half": 30}.get(match["minutes"].lower()) or _number(match["minutes"])
        minutes += off if lower_case(match["side"]) in {"past", "after"} else -off
    half = _half(match, hour)
    military = bool(match["minute"]) and (hour > 12 or match["hour"][0] == "0")  # noqa: PLR2004
    if hour > 24 or (half and hour > 12):  # noqa: PLR2004
        return None
    value = hour * 60 + minutes
    if half:
        value = value % _HALF_DAY + (_HALF_DAY if half == "p" else 0)
    kind = _COUNTED if match["minute"] and not half else _SPOKEN
    if (match["side"] or "").lower() == "to" and not (half or match["unit"] or match["minutes"].lower() == "quarter"):
        kind = _RANGE
    known = bool(half) or military
    return Mention(
        match.start(), match.end(), kind, value % (_DAY if known else _HALF_DAY), _KNOWN if known else _UNKNOWN
    )


def _number(text: str) -> int:
    written = lower_case(text)
    if written in _NAMED:
        return _NAMED[written] // 60
    return int(NUMBER_WORDS.get(re.sub(r"[\s-]", "", written), written))


def _half(match: re.Match[str], hour: int) -> str:
    """Return a for the morning and p for the rest of the day, as far as it is said."""
    for group in "nhdob":
        if match[group]:
            return match[group].lower()
        if match[f"{group}part"]:
            return "a" if lower_case(match[f"{group}part"]) == "morning" else "p"
        if match[f"{group}night"]:
            return "p" if 5 < hour < 12 else "a"  # noqa: PLR2004
    return ""


def _apart(each: Mention, other: Mention) -> float:
    """Return the minutes between two times, the fewest that they can mean."""
    turn = _DAY if each.unit == other.unit == _KNOWN else _HALF_DAY
    off = abs(each.value - other.value) % turn
    return min(off, turn - off)


def _same_time(each: Mention, other: Mention) -> bool:
    return _apart(each, other) == 0


def _have_times(pair: AnswerPair) -> bool:
    wanted = _times(pair.reference)
    given = _times(pair.candidate) if wanted else ()
    return bool(given) and any(each.kind != _RANGE for each in (*wanted, *given))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Put times into the reference's words; nothing is left of a candidate whose times are all others."""
    if set(_ZONE.findall(pair.reference)) != set(_ZONE.findall(pair.candidate)):
        return []
    wanted, given = _times(pair.reference), _times(pair.candidate)
    sole = len(wanted) == 1 and len(pair.reference.split()) <= _MOST_WORDS
    spoken = any(each.kind != _COUNTED for each in (*wanted, *given))
    if sole and spoken and all(_apart(each, wanted[0]) > _NEAR for each in given):
        return [Replacement(0, len(pair.candidate), "")]
    return [
        Replacement(each.start, each.end, pair.reference[other.start : other.end])
        for each, open_ in compare_mentions(pair, _times, _same_time)
        for other in open_
        if _same_time(each, other)
    ]


CLOCK = Rule(
    name="clock",
    definition="A time of day takes the reference's form, and nothing is left of an answer that gives another time.",
    applies=_have_times,
    needs=Needs(reference=_HAS_TIME, candidate=_HAS_TIME),
    rewrite=_as_in_reference,
)
