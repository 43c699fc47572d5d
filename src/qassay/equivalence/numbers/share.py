"""Shares: half and 50 %, three quarters and 3/4, one in five and 20 %."""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.mention import Mention, compare_mentions
from qassay.equivalence.numbers.quantities import NUMBER_WORDS
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.equivalence.units.amounts import amounts
from qassay.equivalence.units.units import SHARE as PER_CENT
from qassay.equivalence.units.units import UNITS
from qassay.text.traits import FIGURE, character_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    f"{word}{s}": int(NUMBER_WORDS[word])
    for word in ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "twentieth")
    for s in ("", "s")
}
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten"
_NUMBER = rf"(?:{_COUNTS}|twenty|hundred|\d{{1,3}})"
# A fraction of something counted or measured is an amount: half a mile, a quarter of an hour.
_OF_ALL = r"(?=\s*(?:$|[.,;:!?)(])|\s(?:of\s(?!an?\b)|the|all|are|is|was|were|have|had|has)\b)"
_SHARE = re.compile(
    r"(?<![\w.,/$-])(?<!and )(?<!and a )(?<!first )(?<!second )(?<!third )(?<!fourth )(?<!last )(?<!latter )(?<!other )"
    r"(?:"
    rf"(?:(?P<count>an?|{_COUNTS})[\s-])?(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))}){_OF_ALL}"
    rf"|(?P<few>{_NUMBER})\s(?:in|out\sof)\s(?:every\s)?(?:(?:a|one)\s)?(?P<many>{_NUMBER})(?![\w.,]\d|\w)"
    r"|(?P<above>\d{1,3})/(?P<below>\d{1,3})(?![\w/])"
    r"|(?P<sign>[\u00bc-\u00be\u2150-\u215e]))",
    re.IGNORECASE,
)
_NAMES = ("/", *(name for name in _PARTS if not name.endswith("s")), "halves")
"""One of these stands in every fraction but those of counts."""
_PER_CENT_FORMS = frozenset(form for unit in UNITS if unit.kind == PER_CENT for form in unit.forms)
_NAMED = word_trait({*_PARTS, *(form for form in _PER_CENT_FORMS if form[0].isalpha())}) | character_trait("/%")
_HAS_SHARE = (
    _NAMED | word_trait({"in", "out"}),
    _NAMED | FIGURE | word_trait((*_COUNTS.split("|"), "twenty", "hundred")),
)
"""The traits of texts that may have shares: a name for one, or some number in or out of another."""
_OF_COUNT = re.compile(rf"{_NUMBER}\s(?:in|out\sof)\s", re.IGNORECASE)
_FRACTION, _PERCENTAGE = "fraction", "per cent"
_EXACTLY, _ROUNDED = 1e-9, 1e-6


@lru_cache(maxsize=1 << 12)
def _shares(text: str) -> tuple[Mention, ...]:
    """Find fractions and percentages, in hundredths."""
    found = [each for match in _SHARE.finditer(text) if (each := _fraction(match))] if _may_have_fraction(text) else []
    found += [
        each._replace(kind="part", unit=_PERCENTAGE, written=text[each.start : each.end])
        for each in amounts(text)
        if each.kind == PER_CENT
    ]
    return tuple(sorted(found))


def _may_have_fraction(text: str) -> bool:
    """Whether a text may have a fraction; quick."""
    if not text.isascii():
        return True
    lowered = text.lower()
    if any(name in lowered for name in _NAMES):
        return True
    return not {"in", "out"}.isdisjoint(lowered.split()) and _OF_COUNT.search(text) is not None


def _fraction(match: re.Match[str]) -> Mention | None:
    if match["sign"]:
        value = unicodedata.numeric(match["sign"])
    else:
        above, below = _terms(match)
        if not 0 < above < below:
            return None
        value = above / below
    return Mention(match.start(), match.end(), "part", 100 * value, _FRACTION)


def _terms(match: re.Match[str]) -> tuple[int, int]:
    if match["part"]:
        count, part = lower_case(match["count"] or ""), lower_case(match["part"])
        # "Third" alone is a place in a row.
        above = 1 if count in {"a", "an"} or (not count and part == "half") else _number(count)
        return above, _PARTS[part]
    return _number(match["few"] or match["above"]), _number(match["many"] or match["below"])


def _number(text: str) -> int:
    written = lower_case(text)
    return 100 if written == "hundred" else int(NUMBER_WORDS.get(written, written or "0"))


def _same_share(each: Mention, other: Mention) -> bool:
    """Compare shares; a percentage may be a fraction's rounding, or its first figures."""
    if each.unit == other.unit:
        return math.isclose(each.value, other.value, rel_tol=_EXACTLY)
    fraction, percentage = (each, other) if each.unit == _FRACTION else (other, each)
    decimals = re.search(r"\.(\d+)", percentage.written)
    place = 10.0 ** -(len(decimals[1]) if decimals else 0)
    steps = fraction.value / place
    return any(
        math.isclose(percentage.value / place, one, abs_tol=_ROUNDED) for one in (round(steps), math.floor(steps))
    )


def _have_fraction(pair: AnswerPair) -> bool:
    wanted = _shares(pair.reference)
    given = _shares(pair.candidate) if wanted else ()
    return bool(given) and any(each.unit == _FRACTION for each in (*wanted, *given))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    return [
        Replacement(each.start, each.end, pair.reference[other.start : other.end])
        for each, wanted in compare_mentions(pair, _shares, _same_share)
        for other in wanted
        if _same_share(each, other)
    ]


SHARE = Rule(
    name="share",
    definition="A fraction in words or figures, or a percentage, takes the reference's form.",
    applies=_have_fraction,
    needs=Needs(reference=_HAS_SHARE, candidate=_HAS_SHARE),
    rewrite=_as_in_reference,
    tables=("number_words", "units"),
)
