"""Names with capitals inside them, which many write without: YouTube and Youtube, eBay and EBAY."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import INNER_CAPITAL

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"[a-z][A-Z]")


def _has_inner_capitals(pair: AnswerPair) -> bool:
    return bool(_INSIDE.search(pair.reference) or _INSIDE.search(pair.candidate))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    written = {word.lower(): word for word in _WORD.findall(pair.reference)}
    return [
        Replacement(match.start(), match.end(), words)
        for match in _WORD.finditer(pair.candidate)
        if (words := written.get(match[0].lower(), match[0])) != match[0]
        if _INSIDE.search(words) or _INSIDE.search(match[0])
    ]


INNER_CAPITALS = Rule(
    name="inner_capitals",
    definition="A name with capitals inside it takes the reference's capitals.",
    applies=_has_inner_capitals,
    needs=Needs(either=(INNER_CAPITAL,)),
    rewrite=_as_in_reference,
)
