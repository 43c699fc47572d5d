"""Candidates that offer the reference among other answers and choose none: it was 2009 or 2010 or 2011."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.names.alias import aliases
from qassay.equivalence.numbers.quantities import quantities
from qassay.equivalence.rule import AnswerPair, Rule
from qassay.equivalence.tables import read_words
from qassay.text.refusal import repeats
from qassay.text.traits import character_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools
    from qassay.equivalence.pair_words import PairWords

_MOST_WORDS = 25
"""Words of a candidate that is nothing but alternatives; a longer one explains them."""
_MOST_CHARACTERS = 250
_LONGEST = 6
"""Words of one alternative."""
_SEVERAL = 3
"""Alternatives that show by their number, without "either" or "maybe", that none is chosen."""
_LONGEST_UNHEDGED = 2
"""Words of each of them; what is longer may be an explanation."""
_MAYBE = r"(?:maybe|perhaps|possibly|(?:it|that)?\s?(?:could|might|may)\s(?:have\sbeen|be))"
_HINT = re.compile(r"\bor\b|/|\b(?:maybe|perhaps|possibly|could|might|may)\b", re.IGNORECASE)
_HAS_HINT = word_trait({"or", "maybe", "perhaps", "possibly", "could", "might", "may"}) | character_trait("/")
_UNSURE = re.compile(
    r"[\s,;.(\u2013\u2014-]*\b(?:but\s)?(?:(?:i\sam|i['\u2019]m)\s)?(?:not\s(?:sure|certain)|unsure"
    r"|(?:i\s)?(?:do\snot|don['\u2019]t|cannot|can['\u2019]t)\s(?:know|remember|recall|tell|say|decide)"
    r"|one\sof\s(?:them|those|these|the\s(?:two|three)))(?:\swhich(?:\sone)?)?\W*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"\W*(?:(?:i\s(?:think|guess|believe)|well|hmm|so|the\sanswer)\b,?\s?(?:that\s)?)?"
    r"(?:(?:it|that|he|she|they|this)\s?(?:['\u2019]s|is|was|were|are|has\sto\sbe|must\s(?:be|have\sbeen))\s"
    r"|(?:is|was)\s)?",
    re.IGNORECASE,
)
_OPENING = re.compile(rf"\W*(?:(?P<maybe>{_MAYBE})\s(?:either\s)?|either\s)", re.IGNORECASE)
_SEAM = re.compile(
    rf"\s*[,;.]?\s+or\s+(?:else\s)?(?:{_MAYBE}\s)?|\s*[,;.]\s*{_MAYBE}\s|\s*;\s*|\s*,\s+|\s*/\s*", re.IGNORECASE
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_REPEATED = re.compile(_MAYBE, re.IGNORECASE)
_LIST = re.compile(r"\bor\b|[/,;]", re.IGNORECASE)
_WORD = re.compile(r"[\w%$\u00a3\u20ac][\w.%'\u2019-]*\w|[\w%]")
_EMPTY_WORDS = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "around", "about"})
_NO_ALTERNATIVES = read_words("not_alternatives")
"""Words that no alternative has: a choice (likely), another name (called), a reservation (so, less)."""
_ASKS_FOR_ANY = re.compile(
    r"\b(?:or|either|any|examples?|can|could|may|might|should|would|ways?|kinds?|types?|sorts?|names?|called|also|mean)\b",
    re.IGNORECASE,
)
"""A question to which several answers may be right at once."""


def _content(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in _EMPTY_WORDS]


def _may_choose_none(words: PairWords) -> Bools:
    return words.candidates_have(_HAS_HINT) | words.may_repeat_question()


def _may_offer(pair: AnswerPair) -> bool:
    if repeats(pair.candidate, pair.question):
        return True
    if len(pair.candidate) > _MOST_CHARACTERS or not _HINT.search(pair.candidate):
        return False
    if len(pair.candidate.split()) > _MOST_WORDS:
        return False
    return not _LIST.search(pair.reference) and not _ASKS_FOR_ANY.search(pair.question)


def _alternatives(candidate: str) -> list[list[str]]:
    """Return the words of each alternative; none where one is chosen or where they may all hold."""
    unsure = _UNSURE.search(candidate)
    text = _LEAD.sub("", (candidate[: unsure.start()] if unsure else candidate).strip(" .!?\"'()"), count=1)
    opening = _OPENING.match(text)
    text = text[opening.end() :] if opening else text
    seams = [match[0] for match in _SEAM.finditer(text)]
    parts = [_content(part) for part in _SEAM.split(text)]
    if not seams or not all(0 < len(part) <= _LONGEST for part in parts):
        return []
    if any(not _NO_ALTERNATIVES.isdisjoint(part) for part in parts):
        return []
    several = len(parts) >= _SEVERAL and max(map(len, parts)) <= _LONGEST_UNHEDGED
    if "/" in "".join(seams):
        offers = several and all("/" in seam for seam in seams)
    elif _OR.search(seams[-1]):
        offers = bool(unsure or several or (opening and not all(map(_is_number, parts))))
    else:
        offers = bool(opening and opening["maybe"]) and all(_REPEATED.search(seam) for seam in seams)
    return parts if offers else []


def _is_number(words: Sequence[str]) -> bool:
    """Whether an alternative is a number; two of them are a rough one, which people call half right."""
    return len(words) <= _LONGEST_UNHEDGED and bool(quantities(" ".join(words)))


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two alternatives may mean the same: by their words, as numbers, as names or as initials."""
    if set(one) <= set(other) or set(other) <= set(one):
        return True
    if "".join(word[0] for word in one) in other or "".join(word[0] for word in other) in one:
        return True
    numbers = quantities(" ".join(one))
    return bool(numbers) and numbers == quantities(" ".join(other))


def _chooses_none(pair: AnswerPair) -> bool:
    if repeats(pair.candidate, pair.question):
        return not repeats(pair.reference, pair.question)
    wanted = _content(pair.reference)
    found = _alternatives(pair.candidate)
    if not wanted or wanted not in found:
        return False
    names = aliases(pair.candidate)
    if len(names) > len({each.value for each in names}):
        return False
    return not any(_same(each, wanted) for each in found if each != wanted)


UNDECIDED = Rule(
    name="undecided",
    definition="Nothing is left of a short answer that offers the reference among others, or of the question again.",
    applies=_may_offer,
    may_change=_may_choose_none,
    veto=_chooses_none,
    tables=("not_alternatives",),
    revision=3,
    reads_denials=True,
)
