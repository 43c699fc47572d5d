"""Acronyms and the names that they stand for: the WHO, FDR, MRI. Initials tell, no list is needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.aliases import aliases
from qassay.equivalence.mention import Stated

if TYPE_CHECKING:
    from collections.abc import Sequence

ACRONYM = "acronym"
_ACRONYM = re.compile(r"(?<![\w.&-])(?:(?:[A-Z]\.){1,5}[A-Z]\.?|[A-Z]{2,6})(?![\w&-])")
_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019]|\.(?=\w))*\.?(?<![a-z]\.)")
_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "at", "to", "de", "du", "la", "a"})
_BEHIND_NAMES = frozenset({"jr", "sr", "inc", "ltd", "co", "corp"})
_BEHIND = re.compile(rf"[\s,]+(?:{'|'.join(_BEHIND_NAMES)})\b", re.IGNORECASE)
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
    def in_capitals(self) -> bool:
        """Whether it is itself an acronym or a numeral: the last word of World War II is no I."""
        return len(self.text.replace(".", "")) > 1 and self.text.isupper()


def acronyms_as_in(reference: str, candidate: str, question: str) -> list[tuple[Stated, str]]:
    """Return the candidate's acronyms as the reference writes them out, and the other way round.

    Not where a text has both, nor where the question gives either: to say what UN stands for it takes more than UN.
    """
    if _ASKS_FOR_IT.search(question):
        return []
    found = [
        (each, reference[name])
        for each in _acronyms(candidate)
        if (name := _stands_for(each, candidate, reference)) is not None
    ]
    found += [
        (Stated(name.start, name.stop, ACRONYM, 0, each.unit, candidate[name]), each.written)
        for each in _acronyms(reference)
        if (name := _stands_for(each, reference, candidate)) is not None
    ]
    return [
        (each, words) for each, words in found if not _given(each.written, question) and not _given(words, question)
    ]


def _given(form: str, question: str) -> bool:
    """Whether a question has a form of a name: "Who" is not WHO."""
    return form.lower() in question.lower() if " " in form else form in _WORD.findall(question)


def _stands_for(acronym: Stated, text: str, other: str) -> slice | None:
    """Find what a text's acronym stands for in another; nothing where the text itself writes it out."""
    if acronym.written in other or (len(acronym.unit) < _SURE and not _alone(acronym, text)):
        return None
    name = _written_out(acronym.unit, other)
    if (
        name is None
        or _part_of_more(other, name)
        or other[name].lower() in text.lower()
        or _written_out(acronym.unit, text) is not None
    ):
        return None
    return name


def _part_of_more(text: str, name: slice) -> bool:
    """Whether a name goes on: the Big Texan Steak Ranch is not BTS."""
    before = _CAPITAL_BEFORE.search(text, max(0, name.start - 30), name.start)
    return bool(before or (_CAPITAL_BEHIND.match(text, name.stop) and not _BEHIND.match(text, name.stop)))


def _alone(acronym: Stated, text: str) -> bool:
    """Whether a text says nothing but an acronym."""
    return text[: acronym.start].strip().lower() in {"", "the", "an", "a"} and not text[acronym.end :].strip(" .")


def _acronyms(text: str) -> list[Stated]:
    """Find acronyms; a text in capitals has none."""
    if text.isupper() and len(text.split()) > 1:
        return []
    found = [
        Stated(match.start(), match.end(), ACRONYM, 0, match[0].replace(".", ""), match[0])
        for match in _ACRONYM.finditer(text)
        if not _EXPLAINED.match(text, match.end()) and not aliases(match[0])
    ]
    return found if len(found) <= _MOST else []


def _written_out(letters: str, text: str) -> slice | None:
    """Find the words that an acronym stands for: names in capitals, or any words that are the whole text."""
    words = [_Word(match.start(), match.end(), match[0]) for match in _WORD.finditer(text)]
    if len(words) > _MOST_WORDS:
        return None
    for first, word in enumerate(words):
        if word.text[0].upper() != letters[0] or word.small:
            continue
        last = _spelt(letters, words[first:])
        if last is None:
            continue
        run = words[first : first + last + 1]
        whole = all(
            other.small or other.text.rstrip(".").lower() in _BEHIND_NAMES
            for other in (*words[:first], *words[first + last + 1 :])
        )
        named = all(other.small or other.text[0].isupper() for other in run)
        sure = len(letters) >= _SURE
        if (named and (whole or sure)) or (whole and sure and not _COMPOUND.search(text)):
            return slice(run[0].start, run[-1].end)
    return None


def _spelt(letters: str, words: Sequence[_Word]) -> int | None:
    """Return the place of the word with which the initials have spelt all letters; small words count or do not."""
    at, large = 0, 0
    for place, word in enumerate(words):
        if word.in_capitals or word.text.rstrip(".").lower() in _BEHIND_NAMES:
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
