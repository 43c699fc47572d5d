"""Years without their century: '89 for 1989."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.mention import Mention, compare_mentions
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import character_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_YEAR = re.compile(
    r"(?<![\w'\u2019\u2018])(?:['\u2019\u2018](?P<short>\d\d)|(?P<full>(?:19|20)\d\d))(?![\w'\u2019%]|[.,:]\d)"
)
_APOSTROPHES = "'\u2019\u2018"
_HAS_APOSTROPHE = character_trait("'")
_CENTURY = 100
_SHORT, _FULL = "short", "full"


@lru_cache(maxsize=1 << 12)
def _years(text: str) -> tuple[Mention, ...]:
    """Find years by their last two figures; without a century one of the last two is meant."""
    return tuple(
        Mention(match.start(), match.end(), "year", int(match[0][-2:]), _SHORT if match["short"] else _FULL)
        for match in _YEAR.finditer(text)
    )


def _same_year(each: Mention, other: Mention) -> bool:
    return each.value == other.value and {each.unit, other.unit} == {_SHORT, _FULL}


def _have_short_year(pair: AnswerPair) -> bool:
    if not any(mark in pair.candidate or mark in pair.reference for mark in _APOSTROPHES):
        return False
    units = [{each.unit for each in _years(text)} for text in (pair.reference, pair.candidate)]
    return (_SHORT in units[0] and _FULL in units[1]) or (_FULL in units[0] and _SHORT in units[1])


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    return [
        Replacement(each.start, each.end, pair.reference[other.start : other.end])
        for each, wanted in compare_mentions(pair, _years, _same_year)
        for other in wanted
        if _same_year(each, other)
    ]


SHORT_YEAR = Rule(
    name="short_year",
    definition="A year without its century takes the reference's form, and a full one the reference's short form.",
    applies=_have_short_year,
    needs=Needs(either=(_HAS_APOSTROPHE,)),
    rewrite=_as_in_reference,
)
