"""Acronyms and the names that they stand for: the WHO, FDR, MRI. Found by initials, without a list."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.names.alias import aliases
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import neighbour_trait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ACRONYM = re.compile(r"(?<![\w.&-])(?:(?:[A-Z]\.){1,5}[A-Z]\.?|[A-Z]{2,6})(?![\w&-])")
_CAPITALS = re.compile(r"[A-Z][A-Z.]")
_HAS_CAPITALS = neighbour_trait(string.ascii_uppercase, string.ascii_uppercase + ".")
_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019]|\.(?=\w))*\.?(?<![a-z]\.)")
_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "at", "to", "de", "du", "la", "a"})
_BEHIND_NAMES = frozenset({"jr", "sr", "inc", "ltd", "co", "corp"})
_BEHIND = re.compile(rf"[\s,]+(?:{'|'.join(sorted(_BEHIND_NAMES))})\b", re.IGNORECASE)
_ASKS_FOR_IT = re.compile(
    r"\b(?:acronym\w*|abbreviat\w*|initials|stands?\sfor|full\s(?:name|form)|in\sfull|short\sfor)\b", re.IGNORECASE
)
_EXPLAINED = re.compile(r"\s(?:stands?\sfor|means?|is\sshort\sfor)\b|\s?\(")
_COMPOUND = re.compile(r"(?:oxide|ide|ate|ite)\b", re.IGNORECASE)
_CAPITAL_BEFORE = re.compile(r"(?<!^)\b[A-Z][\w'\u2019]*[\s-]$")
_CAPITAL_BEHIND = re.compile(r"[\s-][A-Z]\w")
_MOST = 30
"""Acronyms of a text that are looked for in another."""
_SURE = 3
"""Letters of an acronym that can be found in a longer text; of two, anything may be the initials."""
_MOST_WORDS = 400


class _Word(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def small(self) -> bool:
        return self.text.lower() in _SMALL

    @property
    def title(self) -> bool:
        """Whether it stands behind names: Jr., Inc."""
        return self.text.rstrip(".").lower() in _BEHIND_NAMES

    @property
    def in_capitals(self) -> bool:
        """Whether it is itself an acronym or a numeral: the last word of World War II is no I."""
        return len(self.text.replace(".", "")) > 1 and self.text.isupper()


def _given(form: str, question: str) -> bool:
    """Whether a question has a form of a name: "Who" is not WHO."""
    return form.lower() in question.lower() if " " in form else form in _WORD.findall(question)


def _stand_for(text: str, other: str) -> Iterator[tuple[re.Match[str], slice]]:
    """Yield a text's acronyms with what they stand for in another, unless the text itself writes it out."""
    for acronym in _acronyms(text):
        letters = acronym[0].replace(".", "")
        if acronym[0] in other or (len(letters) < _SURE and not _alone(acronym, text)):
            continue
        name = _written_out(letters, other)
        if name is None or _part_of_more(other, name) or other[name].lower() in text.lower():
            continue
        if _written_out(letters, text) is None:
            yield acronym, name


def _acronyms(text: str) -> list[re.Match[str]]:
    """Find acronyms; a text in capitals has none."""
    if text.isupper() and len(text.split()) > 1:
        return []
    found = [
        match for match in _ACRONYM.finditer(text) if not _EXPLAINED.match(text, match.end()) and not aliases(match[0])
    ]
    return found if len(found) <= _MOST else []


def _part_of_more(text: str, name: slice) -> bool:
    """Whether a name goes on: the Big Texan Steak Ranch is not BTS."""
    before = _CAPITAL_BEFORE.search(text, max(0, name.start - 30), name.start)
    return bool(before or (_CAPITAL_BEHIND.match(text, name.stop) and not _BEHIND.match(text, name.stop)))


def _alone(acronym: re.Match[str], text: str) -> bool:
    """Whether a text says nothing but an acronym."""
    return text[: acronym.start()].strip().lower() in {"", "the", "an", "a"} and not text[acronym.end() :].strip(" .")


def _written_out(letters: str, text: str) -> slice | None:
    """Find the words that an acronym stands for: names in capitals, or any words that are the whole text."""
    words = [_Word(match.start(), match.end(), match[0]) for match in _WORD.finditer(text)]
    if len(words) > _MOST_WORDS:
        return None
    sure = len(letters) >= _SURE
    for first, word in enumerate(words):
        if word.text[0].upper() != letters[0] or word.small:
            continue
        last = _spelt(letters, words[first:])
        if last is None:
            continue
        run, others = words[first : first + last + 1], (*words[:first], *words[first + last + 1 :])
        whole = all(other.small or other.title for other in others)
        named = all(other.small or other.text[0].isupper() for other in run)
        if (named and (whole or sure)) or (whole and sure and not _COMPOUND.search(text)):
            return slice(run[0].start, run[-1].end)
    return None


def _spelt(letters: str, words: Sequence[_Word]) -> int | None:
    """Return the place of the word with which the initials have spelt all letters; small words count or do not."""
    at, large = 0, 0
    for place, word in enumerate(words):
        if word.in_capitals or word.title:
            return None
        if word.text[0].upper() == letters[at]:
            at += 1
            large += not word.small
            if at == len(letters):
                spelt = large > 1 and (large == at or large >= _SURE) and not word.small
                return place if spelt else None
        elif not word.small:
            return None
    return None


def _has_acronym(pair: AnswerPair) -> bool:
    found = any(_CAPITALS.search(text) and _ACRONYM.search(text) for text in (pair.candidate, pair.reference))
    return found and not _ASKS_FOR_IT.search(pair.question)


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Write the candidate's acronyms out as the reference does, and shorten what the reference shortens.

    Not where the question gives either: to say what UN stands for it takes more than UN.
    """
    _, reference, candidate = pair
    found = [(*acronym.span(), reference[name]) for acronym, name in _stand_for(candidate, reference)]
    found += [(name.start, name.stop, acronym[0]) for acronym, name in _stand_for(reference, candidate)]
    return [
        Replacement(start, end, words)
        for start, end, words in found
        if not _given(words, pair.question) and not _given(candidate[start:end], pair.question)
    ]


ACRONYM = Rule(
    name="acronym",
    definition="An acronym takes the reference's name whose initials it is, and a name the reference's acronym.",
    applies=_has_acronym,
    needs=Needs(either=(_HAS_CAPITALS,)),
    rewrite=_as_in_reference,
    tables=("aliases",),
)
