"""Decades and centuries: the 1990s, the '90s, the nineties; the 18th century, the 1700s."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.mention import Mention, compare_mentions, in_range
from qassay.equivalence.quick_checks import may_have_part
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import character_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first"),
)
_DECADE = re.compile(
    rf"(?<!\w)(?:(?P<full>1[0-9]\d0|20\d0)['\u2019]?s|(?:['\u2019]|(?<=\bthe ))(?P<short>[2-9]0)s"
    rf"|(?<=\bthe )(?:(?:early|late|mid)[\s-])?(?P<name>{'|'.join(_NAMES)}))(?!\w)",
    re.IGNORECASE,
)
_CENTURY = re.compile(
    rf"(?<!\w)(?:(?P<figures>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{'|'.join(_ORDINALS)}))[\s-]century(?!\w)"
    r"|(?<!\w)(?P<years>1\d|20)00['\u2019]?s(?!\w)",
    re.IGNORECASE,
)
_PARTS = ("0", "ties", "centur")
"""One of these stands in every decade and century."""
_HAS_DECADE = character_trait("0") | word_trait((*_NAMES, "century"))
_NO_DECADE = re.compile(r"\b(?:temperatures?|degrees|aged?)\b", re.IGNORECASE)


def _same_decade(each: Mention, other: Mention) -> bool:
    return each.kind == other.kind and each.value == other.value


@lru_cache(maxsize=1 << 10)
def _decades(text: str) -> tuple[Mention, ...]:
    if not may_have_part(text, _PARTS) or _NO_DECADE.search(text):
        return ()
    found = [_decade(match) for match in _DECADE.finditer(text)]
    found += [_century(match) for match in _CENTURY.finditer(text)]
    return tuple(each for each in found if not in_range(text, each))


def _century(match: re.Match[str]) -> Mention:
    """Read a century by its number; the 1700s are the 18th."""
    if match["years"]:
        value = int(match["years"]) + 1
    else:
        value = int(match["figures"]) if match["figures"] else _ORDINALS.index(lower_case(match["word"])) + 1
    return Mention(match.start(), match.end(), "century", value)


def _decade(match: re.Match[str]) -> Mention:
    """Read a decade; without a century the last one is meant."""
    if match["name"]:
        value = 1920 + 10 * _NAMES.index(lower_case(match["name"]))
        return Mention(match.start("name"), match.end(), "decade", value)
    value = int(match["full"]) if match["full"] else 1900 + int(match["short"])
    return Mention(match.start(), match.end(), "decade", value)


def _have_decades(pair: AnswerPair) -> bool:
    return bool(_decades(pair.reference) and _decades(pair.candidate))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    return [
        Replacement(each.start, each.end, pair.reference[other.start : other.end])
        for each, wanted in compare_mentions(pair, _decades, _same_decade)
        for other in wanted
        if _same_decade(each, other)
    ]


DECADE = Rule(
    name="decade",
    definition="A decade or century in figures, shortened or as a word takes the reference's form.",
    applies=_have_decades,
    needs=Needs(reference=(_HAS_DECADE,), candidate=(_HAS_DECADE,)),
    rewrite=_as_in_reference,
)
