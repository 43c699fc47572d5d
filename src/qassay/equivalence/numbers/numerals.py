"""Numbers that stand by themselves, in all the ways that English texts write them: 1,200, twenty-one, a dozen, 3rd."""

from __future__ import annotations

import re
from functools import lru_cache

from qassay.equivalence.dates.dates import placed_dates
from qassay.equivalence.mention import Mention
from qassay.equivalence.numbers.quantities import GROUPS, MAGNITUDES, placed_quantities

NUMBER, ORDINAL = "number", "ordinal"
PERCENT = "%"
_MONEY_BEFORE = re.compile(r"[$\u00a3\u20ac\u00a5\u20b9]$")
_ARTICLE = re.compile(r"(?<!half )(?<!quarter )(?<!quarter of )\ban?\s$", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s?(?:(?P<percent>%|per\s?cent\b)|(?P<dollars>(?:us\s)?dollars?\b|usd\b)|(?P<euros>euros?\b)"
    r"|(?P<other>yen|rupees?|pounds?|yuan)\b)",
    re.IGNORECASE,
)
_LOOK_BACK = 14
_ORDINAL = re.compile(r"(?:\d(?:st|nd|rd)|first|second|third|th)$", re.IGNORECASE)
# Part of something longer, or with a sign.
_PART_BEFORE = re.compile(
    r"[\w.,/:^'\u2019\"\u201d#]$|\d\.\s$|\bno\s$|[-\u2013\u2212][$\u00a3\u20ac]?$|\b(?:minus|negative)\s[$\u00a3\u20ac]?$",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    r"\w|[.,:/^]\w|\. \d|[-\u2013][\dA-Z]|[-\u2212\u207b\u207a](?!\w)|'\d|\s(?:and\sa\shalf|point|dozen|score)\b"
    r"|[\u00b2\u00b3\u00b9\u2070-\u2099]|\s?[ap]\.?m\b"
)
_RAISED = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u2099]|^0\d")
_ITEM_BEFORE, _ITEM_BEHIND = re.compile(r"(?:^|\n)\s*$"), re.compile(r"[.)]\s")
"""What stands before and behind the number of an item in a list."""
_RANKED = re.compile(
    r"(?:^|['\u2019]s|\b(?:the|came|come|comes|finished|finishes|placed|ranked|in|his|her|its|their))\s?$",
    re.IGNORECASE,
)
_FRACTION_BEFORE = re.compile(r"\b(?:an?|one|two|three|at)\s$", re.IGNORECASE)
_NEEDS_ARTICLE = frozenset({*MAGNITUDES, "dozen"})
_ADVERBS = frozenset({"once", "twice"})
_SCALED = re.compile(rf"\b(?:{'|'.join((*MAGNITUDES, *GROUPS))})$|\d(?:[kK]|M|[bmt]n)$")
_COUNTED_ALONE = 3
"""Words of a text in which "one" is a number."""


@lru_cache(maxsize=1 << 12)
def numerals(text: str) -> tuple[Mention, ...]:
    """Find the numbers of a text: value, mark of a unit (`$`, `%`), and how each is written."""
    placed = placed_quantities(text)
    if not placed:
        return ()
    dates = [(start, end) for _, start, end in placed_dates(text)]
    short = len(text.split()) <= _COUNTED_ALONE
    found = []
    for start, end, quantity in placed:
        in_date = any(first < end and start < last for first, last in dates)
        if quantity.low != quantity.high or in_date or not _stands_alone(text, start, end):
            continue
        ordinal = bool(_ORDINAL.search(text, start, end))
        article = _ARTICLE.search(text, max(0, start - _LOOK_BACK), start)
        if _counts(text[start:end], ordinal=ordinal, article=bool(article), short=short) and not (
            ordinal and not _ranks(text, start, text[start:end])
        ):
            first = article.start() if article and text[start:end].lower() in _NEEDS_ARTICLE else start
            kind = ORDINAL if ordinal else NUMBER
            found.append(Mention(first, end, kind, quantity.low, _mark(text, start, end), text[first:end]))
    return tuple(found)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a number is no part of something else: 10.0.0.1, 12:30, F-16, 3/4, 10^6, -5, an item of a list."""
    back = max(0, start - _LOOK_BACK)
    if _PART_BEFORE.search(text, back, start) or _PART_BEHIND.match(text, end) or _RAISED.search(text[start:end]):
        return False
    return not (_ITEM_BEFORE.search(text, back, start) and _ITEM_BEHIND.match(text, end))


def _counts(written: str, *, ordinal: bool, article: bool, short: bool) -> bool:
    """Whether a number is one that can be written otherwise: not once, nor "one" in a longer text."""
    if written[0].isdigit():
        return ordinal or written[-1].isdigit() or bool(_SCALED.search(written))
    word = written.lower()
    return article if word in _NEEDS_ARTICLE else word not in _ADVERBS and (word != "one" or short)


def _ranks(text: str, start: int, written: str) -> bool:
    """Whether an ordinal is a place in a row, unlike "at first", "a second" and "one third"."""
    back = max(0, start - _LOOK_BACK)
    if written.lower() in {"first", "second"}:
        return bool(_RANKED.search(text, back, start))
    return written[0].isdigit() or not _FRACTION_BEFORE.search(text, back, start)


def _mark(text: str, start: int, end: int) -> str:
    money, behind = _MONEY_BEFORE.search(text, max(0, start - 1), start), _BEHIND.match(text, end)
    if money or behind is None:
        return money[0] if money else ""
    if behind["other"]:
        return behind["other"].lower().rstrip("s")
    return PERCENT if behind["percent"] else "$" if behind["dollars"] else "\u20ac"
