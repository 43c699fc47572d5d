"""Names of one thing that share no word: countries and cities with several names, the world wars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.mention import Mention, compare_mentions
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.equivalence.tables import read_table
from qassay.text.traits import CAPITAL

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALIASES = {name: thing for name, thing, _ in read_table("aliases")}
_NUMBERS = {thing: number for number, thing in enumerate(dict.fromkeys(_ALIASES.values()))}
_AMBIGUOUS = frozenset(name for name, _, ambiguous in read_table("aliases") if ambiguous == "yes")
"""Names that may mean something else besides: a continent, an island."""
_NAME = re.compile(
    rf"(?<![\w.])(?P<name>{'|'.join(map(re.escape, sorted(_ALIASES, key=len, reverse=True)))})"
    r"(?!\w|['\u2019$]|\s[A-Z]|,\s[A-Z])"
)
_LARGER = re.compile(r"(?:^|(?<=\W))(?P<word>[A-Z][\w.'\u2019]*) (?:of (?:the )?)?$")
_ALONE = re.compile(r"(?:(?:in|from|by|of|during|to)\s)?(?:the\s)?$", re.IGNORECASE)
_NO_NAMES = frozenset(
    {"The", "In", "From", "At", "By", "To", "Of", "For", "On", "With", "And", "During", "After", "Before"}
)


def _same_thing(each: Mention, other: Mention) -> bool:
    return each.value == other.value


def _sole_name(text: str) -> list[Mention]:
    """Return the name that a text consists of, unless it may mean something else."""
    return [
        each
        for each in aliases(text)
        if _ALONE.fullmatch(text, 0, each.start) and text[each.end :] in {"", "."} and each.written not in _AMBIGUOUS
    ]


def aliases(text: str) -> list[Mention]:
    """Find names that have others, in the letters that names are written in.

    Not where they are part of a larger one: neither Latin America nor the Bank of America is America.
    """
    found = []
    for match in _NAME.finditer(text):
        before = _LARGER.search(text, max(0, match.start() - 40), match.start())
        if not before or before["word"] in _NO_NAMES:
            number = _NUMBERS[_ALIASES[match["name"]]]
            found.append(Mention(match.start(), match.end(), "alias", number, written=match["name"]))
    return found


def _is_name(pair: AnswerPair) -> bool:
    return bool(_sole_name(pair.reference))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    (wanted,) = _sole_name(pair.reference)
    return [
        Replacement(each.start, each.end, pair.reference[wanted.start : wanted.end])
        for each, others in compare_mentions(pair, aliases, _same_thing)
        if others and _same_thing(each, wanted)
    ]


ALIAS = Rule(
    name="alias",
    definition="A country, city or world war under another name takes the name that the reference consists of.",
    applies=_is_name,
    needs=Needs(reference=(CAPITAL,)),
    rewrite=_as_in_reference,
    tables=("aliases",),
    revision=2,
)
