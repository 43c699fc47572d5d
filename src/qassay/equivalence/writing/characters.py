"""Words in other characters: H₂O and H2O, Straße and Strasse, full-width digits, accents left out."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.equivalence.tables import read_table
from qassay.text.traits import BEYOND_ASCII

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"\w[\w\u0300-\u036f]*")
_POWER = re.compile(r"\d[\u00b2\u00b3\u00b9\u2070-\u209f]")
"""A raised or lowered figure behind another, which is no further figure: 10² is not 102."""
_LETTERS = str.maketrans({row[0]: row[1] for row in read_table("letters")})
"""Letters that have no accent to leave out, with what is written for them elsewhere."""
_WIDE = re.compile("[\uff10-\uff5a]")
_UMLAUTS = str.maketrans({"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue"})


@lru_cache(maxsize=1 << 14)
def _keys(word: str) -> tuple[str, ...]:
    """Return the plain forms of a word: without accents, and with e for an umlaut."""
    if word.isascii():
        return (word.lower(),)
    if _POWER.search(word):
        return (word,)
    plain = unicodedata.normalize("NFKC", word).casefold().translate(_LETTERS)
    return tuple(dict.fromkeys(_without_accents(form) for form in (plain, plain.translate(_UMLAUTS))))


def _without_accents(text: str) -> str:
    """Decompose a text canonically and drop the accents."""
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))


def _in_plain_width(word: str) -> str:
    """Return a word in letters that models know, where it is in the wide ones of East Asian type."""
    return unicodedata.normalize("NFKC", word) if _WIDE.search(word) else word


def _has_other_characters(pair: AnswerPair) -> bool:
    return not (pair.reference.isascii() and pair.candidate.isascii())


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    written = {key: word for word in _WORD.findall(pair.reference) for key in _keys(word)}
    found = []
    for match in _WORD.finditer(pair.candidate):
        words = next((written[key] for key in _keys(match[0]) if key in written), _in_plain_width(match[0]))
        # Models and metrics leave accents out themselves.
        if words != match[0] and _without_accents(words.lower()) != _without_accents(match[0].lower()):
            found.append(Replacement(match.start(), match.end(), words))
    return found


CHARACTERS = Rule(
    name="characters",
    definition="A word in other characters (subscripts, full width, ss for \u00df) takes the reference's.",
    applies=_has_other_characters,
    needs=Needs(either=(BEYOND_ASCII,)),
    rewrite=_as_in_reference,
    tables=("letters",),
)
