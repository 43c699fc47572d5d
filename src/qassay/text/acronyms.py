"""Acronyms and the names that they stand for: the WHO, FDR, MRI. Initials tell, no list is needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.text.stated import Stated

if TYPE_CHECKING:
    from collections.abc import Sequence

ACRONYM = "acronym"
_ACRONYM = re.compile(r"(?<![\w.&-])(?:(?:[A-Z]\.){1,5}[A-Z]\.?|[A-Z]{2,6})(?![\w&-])")
_WORD = re.compile(r"[^\W\d_][\w'\u2019.]*")
_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "at", "to", "de", "du", "la", "a"})
_BEHIND_NAMES = frozenset({"jr", "sr", "inc", "ltd", "co", "corp"})
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
        """Tell whether it is itself an acronym or a numeral: the last word of World War II is no I."""
        return len(self.text.replace(".", "")) > 1 and self.text.isupper()


def acronyms_as_in(reference: str, candidate: str, question: str) -> list[tuple[Stated, str]]:
    """Give the candidate's acronyms as the reference writes them out, and the other way round.

    Not where a text has both, nor where the question gives either: to say what UN stands for it takes more than UN.
    """
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
    asked = question.lower()
    return [(each, words) for each, words in found if each.written.lower() not in asked and words.lower() not in asked]


def _stands_for(acronym: Stated, text: str, other: str) -> slice | None:
    """Find what a text's acronym stands for in another; nothing where the text itself writes it out."""
    if acronym.written in other or (len(acronym.unit) < _SURE and not _alone(acronym, text)):
        return None
    name = _written_out(acronym.unit, other)
    if name is None or other[name].lower() in text.lower() or _written_out(acronym.unit, text) is not None:
        return None
    return name


def _alone(acronym: Stated, text: str) -> bool:
    """Tell whether a text says nothing but an acronym."""
    return text[: acronym.start].strip().lower() in {"", "the", "an", "a"} and not text[acronym.end :].strip(" .")


def _acronyms(text: str) -> list[Stated]:
    """Find acronyms; a text in capitals has none."""
    if text.isupper() and len(text.split()) > 1:
        return []
    return [
        Stated(match.start(), match.end(), ACRONYM, 0, match[0].replace(".", ""), match[0])
        for match in _ACRONYM.finditer(text)
    ]


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
        if whole or (named and len(letters) >= _SURE):
            return slice(run[0].start, run[-1].end)
    return None


def _spelt(letters: str, words: Sequence[_Word]) -> int | None:
    """Give the place of the word with which the initials have spelt all letters; small words count or do not."""
    at, large = 0, 0
    for place, word in enumerate(words):
        if word.text[0].upper() == letters[at]:
            at += 1
            large += not word.small
            if at == len(letters):
                return place if large > 1 and not word.small and not word.in_capitals else None
        elif not word.small:
            return None
        if word.in_capitals:
            return None
    return None
