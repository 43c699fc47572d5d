"""Shares that English texts give as fractions: half, two thirds, 3/4, 0.25."""

from __future__ import annotations

import re

from qassay.equivalence.mention import Stated
from qassay.equivalence.quantities import CARDINALS, NUMBER_WORDS

SHARE, FRACTION = "share", "fraction"
_PARTS = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_ONE = "an?"
# Neither a third party nor half past two nor the second half.
_ENDS = r"(?![\w-])(?=\s?(?:of\b|the\b|$|[.,;:!?)]))"
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?:(?P<half>(?:(?:{_ONE}|one)[\s-])?half)"
    rf"|(?P<count>{_ONE}|{'|'.join(CARDINALS)})[\s-](?P<part>{'|'.join(_PARTS)})s?){_ENDS}",
    re.IGNORECASE,
)
_OF_A_WHOLE = re.compile(r"\b(?:first|second|other|latter|former|better|this|that|each|either)\s$", re.IGNORECASE)
_IN_FIGURES = re.compile(
    r"(?<![\w/.,$\u00a3\u20ac-])(?:(?P<above>\d{1,2})/(?P<below>\d{1,3})|(?P<decimal>0?\.\d{1,4}))"
    rf"(?![\w/%])(?!\.\d){_ENDS}"
)


def fractions(text: str) -> list[Stated]:
    """Find fractions that are shares of a whole, in per cent."""
    found = []
    for match in _IN_WORDS.finditer(text):
        if match["half"]:
            if not _OF_A_WHOLE.search(text, max(0, match.start() - 10), match.start()):
                found.append(_share(match, 0.5))
        else:
            count = int(NUMBER_WORDS.get(match["count"].lower(), 1))
            found.append(_share(match, count / _PARTS[match["part"].lower()]))
    for match in _IN_FIGURES.finditer(text):
        if match["decimal"]:
            found.append(_share(match, float(match["decimal"])))
        elif 0 < int(match["above"]) < int(match["below"]):
            found.append(_share(match, int(match["above"]) / int(match["below"])))
    return [each for each in found if 0 < each.value < 100]  # noqa: PLR2004 - less than all


def _share(match: re.Match[str], value: float) -> Stated:
    return Stated(match.start(), match.end(), SHARE, 100 * value, FRACTION)
