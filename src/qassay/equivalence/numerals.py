"""Numbers in all the ways that English texts write them: 1,200 and 1200, twenty-one and 21, a dozen, minus five and -5.

A network that has read few of them takes 1,200 and 1200 for different numbers; and since comparing texts drops marks,
-5 and 5 or 1.5 and 15 for the same one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.mention import Stated
from qassay.equivalence.quantities import MAGNITUDES, placed_quantities
from qassay.equivalence.times import times

if TYPE_CHECKING:
    from qassay.equivalence.quantities import Quantity

NUMBER, ORDINAL = "number", "ordinal"
PERCENT = "%"
_MINUS = r"[-\u2212\u2013]"
# A dash before a number is a minus where a number is expected, or at the start.
_BEFORE = re.compile(
    rf"(?:(?:^|(?<=[(=])|(?<==\s)|\b(?:is|was|were|are|be|of|to|at|from|by|about|around|reached|reaches|equals)\s(?=[-\u2212]))"
    rf"(?P<minus>{_MINUS})|\b(?P<word>minus|negative)\s)?(?:(?P<money>us\$|[$\u00a3\u20ac\u00a5\u20b9])(?P<late>{_MINUS})?)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?<!half )(?<!quarter )(?<!quarter of )\ban?\s$", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s?(?:(?P<percent>%|per\s?cent\b)|(?P<dollars>(?:us\s)?dollars?\b|usd\b)|(?P<euros>euros?\b)|(?P<other>yen|rupees?|pounds?|yuan)\b)",
    re.IGNORECASE,
)
_LOOK_BACK = 14
_ORDINAL = re.compile(r"(?:\d(?:st|nd|rd)|first|second|third|th)$", re.IGNORECASE)
_PART_OF_MORE = re.compile(r"[\w.,/:^'\u2019\"\u201d#]$|\w[-\u2013]$|\d\.\s$|\bno\s$", re.IGNORECASE)
_STRAY_DASH = re.compile(r"[-\u2212\u2013][$\u00a3\u20ac]?$")
_BRACKET = re.compile(r"\([$\u00a3\u20ac]?$")
_GOES_ON = re.compile(
    r"\w|[.,:/^]\w|\. \d|[-\u2013][\dA-Z]|[-\u2212\u207b\u207a](?!\w)|'\d|\s(?:and\sa\shalf|point|dozen|score)\b"
    r"|[\u00b2\u00b3\u00b9\u2070-\u2099]"
)
_RAISED = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u2099]|^0\d")
_ITEM = re.compile(r"(?:^|\n)\s*$"), re.compile(r"[.)]\s")
"""What stands before and behind the number of an item in a list."""
_RANKED = re.compile(
    r"(?:^|['\u2019]s|\b(?:the|came|come|comes|finished|finishes|placed|ranked|in|his|her|its|their))\s?$",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\b(?:an?|one|two|three|at)\s$", re.IGNORECASE)
_ADVERBS = frozenset({"once", "twice"})
_DOZEN = "dozen"
_COUNTED_ALONE = 3
"""Words of a text in which "one" is a number."""


@lru_cache(maxsize=1 << 12)
def numerals(text: str) -> tuple[Stated, ...]:
    """Find the numbers of a text: value with sign, mark of a unit (`$`, `%`), how each is written, its bare number.

    There is no bare number where nobody knows the sign.
    """
    dated = times(text)
    found = []
    for start, end, quantity in placed_quantities(text):
        in_date = any(each.start < end and start < each.end for each in dated)
        if quantity.low == quantity.high and not in_date and _stands_alone(text, start, end):
            found += _numeral(text, start, end, quantity)
    return tuple(found)


def _numeral(text: str, start: int, end: int, quantity: Quantity) -> list[Stated]:
    written = text[start:end]
    article = _ARTICLE.search(text, max(0, start - _LOOK_BACK), start)
    ordinal = bool(_ORDINAL.search(written))
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    if before is None or not _counts(text, written, ordinal=ordinal, article=bool(article)):
        return []
    if ordinal and not _ranks(text, start, written):
        return []
    signs = [place for group in ("minus", "word", "late") if (place := before.start(group)) >= 0]
    if not signs and _STRAY_DASH.search(text, max(0, start - 2), start):
        return []
    # In accounts a number in brackets is negative.
    open_sign = text[end : end + 1] == ")" and _BRACKET.search(text, max(0, start - 2), start)
    sign = 1
    if signs and not ordinal:
        sign, start = -1, min(*signs, *([before.start("money")] if before["money"] else signs))
    elif article and _round(written):
        start = article.start()
    behind = _BEHIND.match(text, end)
    unit = (before["money"] or "")[-1:] or (_mark(behind) if behind else "")
    kind = ORDINAL if ordinal else NUMBER
    bare = None if open_sign else sign * quantity.bare
    return [Stated(start, end, kind, sign * quantity.low, unit, text[start:end], bare)]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a number is no part of something else: 10.0.0.1, 12:30, F-16, 3/4, 10^6, 15-1, an item of a list."""
    if _PART_OF_MORE.search(text, max(0, start - _LOOK_BACK), start) or _GOES_ON.match(text, end):
        return False
    if _RAISED.search(text[start:end]):
        return False
    before, behind = _ITEM
    return not (before.search(text, max(0, start - _LOOK_BACK), start) and behind.match(text, end))


def _counts(text: str, written: str, *, ordinal: bool, article: bool) -> bool:
    """Whether a number is one that can be written otherwise: not once or 5k, nor "one" in a longer text."""
    if written[0].isdigit():
        return ordinal or written[-1].isdigit() or written.rsplit(maxsplit=1)[-1].lower() in MAGNITUDES
    if _round(written):
        return article
    return written.lower() not in _ADVERBS and (written.lower() != "one" or len(text.split()) <= _COUNTED_ALONE)


def _ranks(text: str, start: int, written: str) -> bool:
    """Tell a place in a row from "at first", "a second" and "one third"."""
    if written.lower() in {"first", "second"}:
        return bool(_RANKED.search(text, max(0, start - _LOOK_BACK), start))
    return written[0].isdigit() or not _PARTS.search(text, max(0, start - _LOOK_BACK), start)


def _round(written: str) -> bool:
    """Whether it takes an article to make a number: a dozen, a hundred."""
    return written.lower() in MAGNITUDES or written.lower() == _DOZEN


def _mark(behind: re.Match[str]) -> str:
    if behind["other"]:
        return behind["other"].lower().rstrip("s")
    return PERCENT if behind["percent"] else "$" if behind["dollars"] else "\u20ac"
