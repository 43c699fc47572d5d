"""Decades: the 1990s, the '90s, the nineties."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.mention import Mention, compare_mentions, in_range
from qassay.equivalence.rule import AnswerPair, Replacement, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_DECADE = re.compile(
    rf"(?<!\w)(?:(?P<full>1[0-9]\d0|20\d0)['\u2019]?s|(?:['\u2019]|(?<=\bthe ))(?P<short>[2-9]0)s"
    rf"|(?<=\bthe )(?:(?:early|late|mid)[\s-])?(?P<name>{'|'.join(_NAMES)}))(?!\w)",
    re.IGNORECASE,
)
_NO_DECADE = re.compile(r"\b(?:temperatures?|degrees|aged?)\b", re.IGNORECASE)


def _same_decade(each: Mention, other: Mention) -> bool:
    return each.value == other.value


@lru_cache(maxsize=1 << 10)
def _decades(text: str) -> tuple[Mention, ...]:
    if _NO_DECADE.search(text):
        return ()
    found = (_decade(match) for match in _DECADE.finditer(text))
    return tuple(each for each in found if not in_range(text, each))


def _decade(match: re.Match[str]) -> Mention:
    """Read a decade; without a century the last one is meant."""
    if match["name"]:
        value = 1920 + 10 * _NAMES.index(match["name"].lower())
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
    definition="A decade in figures, shortened or as a word takes the reference's form.",
    applies=_have_decades,
    rewrite=_as_in_reference,
)
