"""Numbers in all the ways that English texts write them: 1,200 and 1200, twenty-one and 21, a dozen, minus five and -5.

A network that has read few of them takes 1,200 and 1200 for different numbers; and since comparing texts drops marks,
-5 and 5 or 1.5 and 15 for the same one.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.text.quantities import MAGNITUDES, placed_quantities, roman_figures
from qassay.text.stated import Stated
from qassay.text.times import times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.text.quantities import Quantity

NUMBER, ORDINAL = "number", "ordinal"
_PERCENT = "%"
_MINUS = r"[-\u2212\u2013]"
_BEFORE = re.compile(
    rf"(?:(?:^|(?<=[\s(:=]))(?P<minus>{_MINUS})|\b(?P<word>minus|negative)\s)?(?:(?P<money>us\$|[$\u00a3\u20ac])(?P<late>{_MINUS})?)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?<!half )(?<!quarter )(?<!quarter of )\ban?\s$", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s?(?:(?P<percent>%|per\s?cent\b)|(?P<dollars>(?:us\s)?dollars?\b|usd\b)|(?P<euros>euros?\b))", re.IGNORECASE
)
_LOOK_BACK = 14
_ORDINAL = re.compile(r"(?:\d(?:st|nd|rd)|first|second|third|th)$", re.IGNORECASE)
_PART_OF_MORE = re.compile(r"[\w.,/:^'\u2019#]$|\w[-\u2013]$")
_GOES_ON = re.compile(r"\w|[.,:/^]\w|\. \d|[-\u2013][\dA-Z]|'\d|\u00b2|\u00b3")
_ITEM = re.compile(r"(?:^|\n)\s*$"), re.compile(r"[.)]\s")
"""What stands before and behind the number of an item in a list."""
_ADVERBS = frozenset({"once", "twice"})
_DOZEN = "dozen"
_COUNTED_ALONE = 3
"""Words of a text in which "one" is a number."""
_LOSS = re.compile(
    r"\b(?:fall\w*|fell|drop\w*|declin\w*|decreas\w*|down|below|loss\w*|los[et]\w*|lower\w*|less|deficit\w*|minus|negative\w*|under|shr[aiu]nk\w*|"
    r"cut\w*|reduc\w*|short\w*|debt\w*|ow\w+|BCE?|B\.C\.)(?!\w)",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}\.\d{3}")
_EXACTLY = 1e-12
_MOST = 30
"""Numbers of a text that are held against each other's; a longer list says much besides."""


@lru_cache(maxsize=1 << 12)
def numerals(text: str) -> tuple[Stated, ...]:
    """Find the numbers of a text: value with sign, mark of a unit (`$`, `%`), how each is written, its bare number."""
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
    sign = 1
    if not ordinal and (before["minus"] or before["word"] or before["late"]):
        sign, start = -1, before.start()
    elif article and _round(written):
        start = article.start()
    behind = _BEHIND.match(text, end)
    unit = (before["money"] or "")[-1:] or (_mark(behind) if behind else "")
    kind = ORDINAL if ordinal else NUMBER
    return [Stated(start, end, kind, sign * quantity.low, unit, text[start:end], sign * quantity.bare)]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a number is no part of something else: 10.0.0.1, 12:30, F-16, 3/4, 10^6, 15-1, an item of a list."""
    if _PART_OF_MORE.search(text, max(0, start - 2), start) or _GOES_ON.match(text, end):
        return False
    before, behind = _ITEM
    return not (before.search(text, max(0, start - _LOOK_BACK), start) and behind.match(text, end))


def _counts(text: str, written: str, *, ordinal: bool, article: bool) -> bool:
    """Tell whether a number is one that can be written otherwise: not once or 5k, nor "one" in a longer text."""
    if written[0].isdigit():
        return ordinal or written[-1].isdigit() or written.rsplit(maxsplit=1)[-1].lower() in MAGNITUDES
    if _round(written):
        return article
    return written.lower() not in _ADVERBS and (written.lower() != "one" or len(text.split()) <= _COUNTED_ALONE)


def _round(written: str) -> bool:
    """Tell whether it takes an article to make a number: a dozen, a hundred."""
    return written.lower() in MAGNITUDES or written.lower() == _DOZEN


def _mark(behind: re.Match[str]) -> str:
    return _PERCENT if behind["percent"] else "$" if behind["dollars"] else "\u20ac"


def alike(each: Stated, other: Stated) -> bool:
    """Tell whether two are the same number, however written."""
    if each.kind != other.kind or (each.unit and other.unit and each.unit != other.unit):
        return False
    if not math.isclose(each.value, other.value, rel_tol=_EXACTLY):
        return False
    pair = (each.written, other.written)
    if all(one[-1].isdigit() for one in pair) and _decimals(pair[0]) != _decimals(pair[1]):
        # Version 3.10 is not version 3.1.
        return False
    # "II" is 2, but "part II" not two parts.
    return not any(map(roman_figures, pair)) or any(one[0].isdigit() for one in pair) or all(map(roman_figures, pair))


def _decimals(written: str) -> int:
    return len(written.partition(".")[2])


def contradict(each: Stated, other: Stated, said: str, *, alone: bool) -> bool:
    """Tell whether two numbers differ by a mark alone: its sign, its point, dollars for per cent.

    `said` is all that was said: where it speaks of falls and losses, 5 may mean -5. Where the other number does not
    stand `alone`, what is in dollars may not be meant for what is in per cent.
    """
    if each.kind != NUMBER or other.kind != NUMBER:
        return False
    if each.value == other.value:
        return alone and bool(each.unit and other.unit) and each.unit != other.unit
    if each.value == -other.value:
        return not _LOSS.search(said)
    return _differ_by_point(each, other)


def _differ_by_point(each: Stated, other: Stated) -> bool:
    figures = [one.written.split()[0] for one in (each, other)]
    if each.number == other.number or (each.unit == _PERCENT) != (other.unit == _PERCENT):
        return False
    if not all(one[-1].isdigit() for one in figures) or any(map(_GROUPED.fullmatch, figures)):
        # 1.500 may be fifteen hundred.
        return False
    return _digits(figures[0]) == _digits(figures[1])


def _digits(figures: str) -> str:
    return re.sub(r"\D", "", figures)


def numbers_as_in(reference: str, candidate: str, question: str) -> list[tuple[Stated, str]]:
    """Give the candidate's numbers that the reference writes otherwise, as it writes them; nothing for a contradiction.

    Nothing is changed about a number that the candidate also gives in the reference's own way.
    """
    wanted = numerals(reference)
    if not wanted:
        return []
    given, asked = numerals(candidate), numerals(question)
    if max(len(wanted), len(given)) > _MOST:
        return []
    said = f"{question} {_without(reference, wanted)} {_without(candidate, given)}"
    return [(each, words) for each in given for words in _words_for(each, wanted, given, asked, said)]


def _words_for(
    each: Stated, wanted: Sequence[Stated], given: Sequence[Stated], asked: Sequence[Stated], said: str
) -> list[str]:
    # An answer that repeats the question's own numbers does not say more than the question.
    if any(abs(each.value) == abs(other.value) for other in asked):
        return []
    same = [other for other in wanted if alike(each, other)]
    if same:
        written = {other.written for other in same}
        return [] if any(told.written in written for told in given) else [same[0].written]
    met = [other for other in wanted if contradict(each, other, said, alone=len(wanted) == 1)]
    return [""] if met and not any(alike(told, other) for told in given for other in met) else []


def _without(text: str, found: Sequence[Stated]) -> str:
    """Give what a text says besides its numbers."""
    ends = [0, *(each.end for each in found)]
    return " ".join(
        text[end:start] for end, start in zip(ends, [*(each.start for each in found), len(text)], strict=True)
    )
