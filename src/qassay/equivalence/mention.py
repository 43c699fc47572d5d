"""What a text mentions in one of several possible forms: an amount, a date, a number, a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from qassay.equivalence.rule import AnswerPair

_MOST = 30
"""How many mentions of one text are compared with those of another."""
_JOINED = r"(?:to|and|or|by|x|\u00d7|[-\u2012-\u2015\u2212])"
_RANGE_BEFORE = re.compile(rf"(?:^|[\s\d]){_JOINED}\s?(?:the\s)?$", re.IGNORECASE)
_RANGE_BEHIND = re.compile(rf"\s?{_JOINED}\s?[\d$\u00a3\u20ac]|\s?\d", re.IGNORECASE)


class Mention(NamedTuple):
    """One thing that a text mentions, with its span."""

    start: int
    end: int
    kind: str
    """What can be compared: lengths with lengths, amounts in dollars with amounts in dollars."""
    value: float
    """In a unit that all of the kind share."""
    unit: str = ""
    """What the value is given in; the same for all forms of a unit."""
    written: str = ""
    """How the mention, or its unit, is written."""
    number: float | None = None
    """The number before the unit, where there is one."""


def without_overlaps(found: list[Mention]) -> list[Mention]:
    """Keep, of mentions of one kind that overlap, the one that begins first and is longest."""
    apart: list[Mention] = []
    ends: dict[str, int] = {}
    for each in sorted(found, key=lambda each: (each.start, -each.end)):
        if each.start >= ends.get(each.kind, 0):
            apart.append(each)
            ends[each.kind] = each.end
    return apart


def contains_words(text: str, words: str) -> bool:
    """Whether a text has words as they are, but for capitals and hyphens.

    Neither does 1990s contain 90s nor European EU; a plural contains its singular.
    """
    plain, wanted = (each.lower().replace("-", " ") for each in (text, words))
    place = plain.find(wanted)
    while place >= 0 and _cuts_word(plain, place, place + len(wanted)):
        place = plain.find(wanted, place + 1)
    return place >= 0


def _cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a span is a part of a longer word, other than its plural."""
    if start and text[start - 1].isalnum():
        return True
    behind = text[end : end + 1] if text[end : end + 1] != "s" else text[end + 1 : end + 2]
    return behind.isalpha()


def compare_mentions(
    pair: AnswerPair, find: Callable[[str], Sequence[Mention]], same: Callable[[Mention, Mention], bool]
) -> Iterator[tuple[Mention, list[Mention]]]:
    """Yield each of the candidate's mentions with those of the reference that it may stand for.

    Not those that the question makes already: to repeat them says nothing new. And where one text has the other's own
    words for a mention, those count.
    """
    wanted = find(pair.reference)
    given = find(pair.candidate) if wanted else ()
    if not given or max(len(wanted), len(given)) > _MOST:
        return
    in_question = find(pair.question)[:_MOST]
    open_ = [each for each in wanted if not contains_words(pair.candidate, pair.reference[each.start : each.end])]
    for each in given:
        words = pair.candidate[each.start : each.end]
        if not any(same(each, other) for other in in_question) and not contains_words(pair.reference, words):
            yield each, open_


def in_range(text: str, mention: Mention) -> bool:
    """Whether a mention is part of a range or a list: 1 to 14 days, 5 x 10 cm."""
    before = _RANGE_BEFORE.search(text, max(0, mention.start - 12), mention.start)
    return bool(before or _RANGE_BEHIND.match(text, mention.end))
