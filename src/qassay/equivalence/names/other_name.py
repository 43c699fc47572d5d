"""Names that are alike and different: Niger and Nigeria, Guinea and Equatorial Guinea, George W. and H. W. Bush."""

from __future__ import annotations

import re

from qassay.equivalence.names.alias import aliases
from qassay.equivalence.rule import AnswerPair, Needs, Rule
from qassay.equivalence.tables import read_words
from qassay.text.traits import CAPITAL

_PLACES = read_words("places")
_PLACE = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(_PLACES, key=len, reverse=True)))})(?![\w-]\w)")
_ARTICLE = re.compile(r"^(?:the|in|from)\s|[.!]+$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_TAILS = re.compile(r"(?:ia|land|son|sen|ez|ville|burg|berg|stein|ton)")
"""What makes another name of a name, and neither a people's nor a longer form of the same."""
_INITIALS = re.compile(
    r"(?<!\w)(?P<first>[A-Z][^\W\d_]{2,})\s(?P<initials>(?:[A-Z]\.?\s?){1,3})\s?(?P<last>[A-Z][^\W\d_]{2,})(?!\w)"
)
"""A name with initials in its middle."""
_SHORTEST = 4
_MOST_WORDS = 25
"""Words of a candidate; a longer one may name much on the way."""


def _is_name(pair: AnswerPair) -> bool:
    name = _ARTICLE.sub("", pair.reference.strip())
    if len(pair.candidate.split()) > _MOST_WORDS:
        return False
    if _INITIALS.fullmatch(name):
        return True
    return name[:1].isupper() and len(name) >= _SHORTEST and (name in _PLACES or bool(_WORD.fullmatch(name)))


def _is_other_name(pair: AnswerPair) -> bool:
    name = _ARTICLE.sub("", pair.reference.strip())
    if initialled := _INITIALS.fullmatch(name):
        return _has_other_initials(pair.candidate, initialled)
    places = _PLACE.findall(pair.candidate)
    words = _WORD.findall(pair.candidate)
    if name in places or (name not in _PLACES and name in words):
        return False
    if name in _PLACES and any(_contained(name, place) for place in places):
        return not (aliases(name) and aliases(pair.candidate))
    return any(_other_tail(name, word) for word in words if word[0].isupper()) and name not in words


def _has_other_initials(candidate: str, wanted: re.Match[str]) -> bool:
    """Whether a candidate has a first and a last name with other initials between them, and nowhere with these."""
    given = {
        "".join(_WORD.findall(each["initials"]))
        for each in _INITIALS.finditer(candidate)
        if (each["first"], each["last"]) == (wanted["first"], wanted["last"])
    }
    return bool(given) and "".join(_WORD.findall(wanted["initials"])) not in given


def _contained(one: str, other: str) -> bool:
    return one != other and (one in other or other in one)


def _other_tail(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and long.startswith(short) and bool(_TAILS.fullmatch(long[len(short) :]))


OTHER_NAME = Rule(
    name="other_name",
    definition="Nothing is left of another name that contains the reference's, is part of it or has other initials.",
    applies=_is_name,
    needs=Needs(reference=(CAPITAL,)),
    veto=_is_other_name,
    tables=("places", "aliases"),
)
