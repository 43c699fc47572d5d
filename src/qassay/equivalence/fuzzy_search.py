"""Fuzzy search for a word in a text that may have it in another form."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from qassay.equivalence.numbers.quantities import NUMBER_WORDS, Numbers, quantities, roman_figures
from qassay.equivalence.tables import read_table, read_words
from qassay.text.normalise import compose
from qassay.text.porter import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONG, _INFLECTED, _LONGER = 4, 5, 6
_MOST_COMPARISONS = 10**8
"""Words that are looked for, times letters of the text."""
_MOST_LETTERS = 18
"""Of one character in compatibility form."""
_FUNCTION_WORDS = read_words("function_words")
_NOT_LETTERS = re.compile(r"[\W_]+")
_ASCII_MARKS = str.maketrans("", "", "".join(set(map(chr, range(128))) - set(string.ascii_letters + string.digits)))
_APOSTROPHES = str.maketrans("", "", "\u2018\u2019")
_PARTS = re.compile(r"\d+|[^\W\d_]+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|s)?")
_SIGNS = {sign: tuple(name for _, name in rows) for sign, rows in groupby(read_table("signs"), key=lambda row: row[0])}
_SHORT_FORMS = {row[0]: row[1] for row in read_table("short_forms")}


class SearchedText:
    """A text in which words are looked for, given with its words after SQuAD normalisation.

    Most words are found as they are. What the others need is made when it is first needed.
    """

    def __init__(self, text: str, words: Sequence[str]) -> None:
        self._text = text
        self._words = words
        self._by_letter: dict[str, list[str]] = {}
        self._stems_by_letter: dict[str, frozenset[str]] = {}

    @cached_property
    def numbers(self) -> Numbers:
        """The text's numbers."""
        return Numbers(self._text)

    @cached_property
    def _letters(self) -> str:
        lowered = self._text.lower()
        return lowered.translate(_ASCII_MARKS) if lowered.isascii() else _NOT_LETTERS.sub("", _plain(lowered))

    @cached_property
    def _plain_words(self) -> frozenset[str]:
        return frozenset(self._words if self._text.isascii() else map(_plain, self._words))

    @cached_property
    def _known(self) -> frozenset[str]:
        return _known(self._text, self._plain_words)

    def share(self, words: Sequence[str]) -> float:
        """Return the share of words that are found; function words count only where there are no others."""
        wanted = [word for word in words if word not in _FUNCTION_WORDS] or words
        few = len(wanted) * _MOST_LETTERS * len(self._text) <= _MOST_COMPARISONS
        thorough = few or len(wanted) * len(self._letters) <= _MOST_COMPARISONS
        known = self._plain_words
        found = sum([word in known or self.has(_plain(word), thorough=thorough) for word in wanted])
        return found / len(wanted) if wanted else 0.0

    def has(self, word: str, *, thorough: bool = True) -> bool:
        """Whether the text has a word, also where it is run together with others.

        A number may be in figures or in words, ordinal, Roman, or be followed by more figures; a short form stands for
        its word, and a sign for its name. Long words may stand inside others or be inflected; still longer ones may
        lack their last letter, or have a slip in one of their letters that is not the first; but where many words are
        looked for in a very long text, they count only as they are or inflected.
        """
        if word in self._known or _SHORT_FORMS.get(word) in self._known:
            return True
        if figures := _figures(word):
            return self._has_number(figures)
        parts = _parts(word)
        if parts and parts != (word,):
            return all(self.has(part, thorough=thorough) for part in parts)
        if len(word) < _LONG:
            return False
        if len(word) >= _INFLECTED and stem(word) in self._stems(_first(word)):
            return True
        return thorough and (word in self._letters or (len(word) >= _LONGER and self._has_nearly(word)))

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self._known)

    def _beginning_with(self, letter: str) -> list[str]:
        """Return the text's words that begin with a small letter, or with its capital."""
        if letter not in self._by_letter:
            both = (letter, letter.upper())
            self._by_letter[letter] = [word for word in self._known if word.startswith(both)]
        return self._by_letter[letter]

    def _stems(self, letter: str) -> frozenset[str]:
        """Return the stems of the words that begin with a letter, which no stem loses."""
        if letter not in self._stems_by_letter:
            found = [stem(word) for word in self._beginning_with(letter) if word.isalpha()]
            self._stems_by_letter[letter] = frozenset(found)
        return self._stems_by_letter[letter]

    def _has_number(self, figures: str) -> bool:
        if len(figures) >= _LONG:
            at = bisect_left(self._ordered, figures)
            if at < len(self._ordered) and self._ordered[at].startswith(figures):
                return True
        return any(map(self.numbers.meet, quantities(figures)))

    def _has_nearly(self, word: str) -> bool:
        if word[:-1] in self._letters:
            return True
        return any(
            known[0] == word[0] and abs(len(known) - len(word)) <= 1 and _one_letter_off(word, known)
            for known in self._beginning_with(_first(word))
        )


def _first(word: str) -> str:
    """Return the first letter of a word, as a small one."""
    return word[:1].lower()[:1]


def _plain(text: str) -> str:
    """Remove accents, and the apostrophes that SQuAD normalisation does not know."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", compose(text.translate(_APOSTROPHES)))
    return "".join(each for each in letters if not unicodedata.combining(each))


def _known(text: str, words: frozenset[str]) -> frozenset[str]:
    """Return a text's words, and those in them: before a footnote's number, between dashes, behind a sign."""
    known = {*words, *chain.from_iterable(_parts(word) for word in words if not word.isalpha())}
    for sign, names in _SIGNS.items():
        if sign in text:
            known.update(names)
    known.update([_SHORT_FORMS[word] for word in known if word in _SHORT_FORMS])
    return frozenset(known)


@lru_cache(maxsize=1 << 16)
def _parts(word: str) -> tuple[str, ...]:
    """Return the runs of figures and of letters of a word."""
    return tuple(_PARTS.findall(word))


@lru_cache(maxsize=1 << 16)
def _figures(word: str) -> str | None:
    """Return the figures of a word that is a number, if it is one."""
    ordinal = _ORDINAL.fullmatch(word)
    return NUMBER_WORDS.get(word) or (ordinal[1] if ordinal else roman_figures(word.upper()))


def _one_letter_off(word: str, other: str) -> bool:
    """Whether one letter more, less or another makes the words equal, or two neighbours that change places.

    The words' lengths differ by one letter at most.
    """
    same = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, left = word[same:], other[same:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return left in {rest[1:], swapped} or left[1:] in {rest, rest[1:]}
