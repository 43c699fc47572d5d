"""Fuzzy search for a word in a text that may have it in another form."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.numbers.quantities import NUMBER_WORDS, Numbers, quantities, roman_figures
from qassay.equivalence.tables import read_table, read_words
from qassay.text.normalise import compose
from qassay.text.porter import stem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

LONG, INFLECTED, LONGER = 4, 5, 6
"""Letters of words that may stand inside others, be inflected, or have a slip in a letter."""
_MOST_COMPARISONS = 10**8
"""Words that are looked for, times letters of the text."""
_MOST_LETTERS = 18
"""Of one character in compatibility form."""
FUNCTION_WORDS = read_words("function_words")
_NOT_LETTERS = re.compile(r"[\W_]+")
_ASCII_MARKS = str.maketrans("", "", "".join(set(map(chr, range(128))) - set(string.ascii_letters + string.digits)))
_APOSTROPHES = str.maketrans("", "", "\u2018\u2019")
_PARTS = re.compile(r"\d+|[^\W\d_]+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|s)?")
SIGNS = {sign: tuple(name for _, name in rows) for sign, rows in groupby(read_table("signs"), key=lambda row: row[0])}
SHORT_FORMS = {row[0]: row[1] for row in read_table("short_forms")}
_SHORT_WORDS = frozenset(SHORT_FORMS)


class WantedWord(NamedTuple):
    """What a word that is looked for may stand as, other than itself."""

    long_form: str | None
    """What it is short for."""
    figures: str | None
    """Of a number."""
    parts: tuple[str, ...]
    """Its runs of figures and of letters, where it is more than one run of either."""
    stem: str
    """Empty where the word is too short to be inflected."""
    first: str
    """The first letter, as a small one."""


class SearchedText:
    """A text in which words are looked for, given with its words after SQuAD normalisation.

    Most words are found as they are. What the others need is made when it is first needed.
    """

    # Plain attributes: most are asked for a few times, and `cached_property` takes longer than what it saves.
    __slots__ = (
        *("_ascii", "_by_letter", "_known", "_letters", "_numbers", "_ordered", "_plain_words", "_stems_by_letter"),
        "_text",
    )

    def __init__(self, text: str, words: Sequence[str]) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._plain_words = frozenset(words if self._ascii else map(plain_letters, words))
        self._known: AbstractSet[str] | None = None
        self._letters: str | None = None
        self._numbers: Numbers | None = None
        self._ordered: list[str] | None = None
        self._by_letter: dict[str, list[str]] = {}
        self._stems_by_letter: dict[str, frozenset[str]] = {}

    @property
    def numbers(self) -> Numbers:
        """The text's numbers."""
        if self._numbers is None:
            self._numbers = Numbers(self._text)
        return self._numbers

    def _all_letters(self) -> str:
        """Return the text's letters and figures, run together."""
        if self._letters is None:
            lowered = self._text.lower()
            self._letters = (
                lowered.translate(_ASCII_MARKS) if self._ascii else _NOT_LETTERS.sub("", plain_letters(lowered))
            )
        return self._letters

    def _known_words(self) -> AbstractSet[str]:
        if self._known is None:
            self._known = _known(self._text, self._plain_words)
        return self._known

    def share(self, words: Sequence[str]) -> float:
        """Return the share of words that are found; function words count only where there are no others."""
        wanted = [word for word in words if word not in FUNCTION_WORDS] or words
        few = len(wanted) * _MOST_LETTERS * len(self._text) <= _MOST_COMPARISONS
        thorough = few or len(wanted) * len(self._all_letters()) <= _MOST_COMPARISONS
        known = self._plain_words
        found = sum([word in known or self.has(plain_letters(word), thorough=thorough) for word in wanted])
        return found / len(wanted) if wanted else 0.0

    def has(self, word: str, *, thorough: bool = True) -> bool:
        """Whether the text has a word, also where it is run together with others.

        A number may be in figures or in words, ordinal, Roman, or be followed by more figures; a short form stands for
        its word, and a sign for its name. Long words may stand inside others or be inflected; still longer ones may
        lack their last letter, or have a slip in one of their letters that is not the first; but where many words are
        looked for in a very long text, they count only as they are or inflected.
        """
        known = self._known_words()
        if word in known or (wanted := wanted_word(word)).long_form in known:
            return True
        if wanted.figures:
            return self._has_number(wanted.figures)
        if wanted.parts:
            return all(self.has(part, thorough=thorough) for part in wanted.parts)
        return len(word) >= LONG and self._has_in_other_form(word, wanted, thorough=thorough)

    def _has_in_other_form(self, word: str, wanted: WantedWord, *, thorough: bool) -> bool:
        """Whether the text has a long word inflected or, if that is looked for, inside another or with a slip."""
        alike = self._beginning_with(wanted.first)
        if alike and wanted.stem and wanted.stem in self._stems(wanted.first, alike):
            return True
        if not thorough or len(word) < LONGER:
            return thorough and word in self._all_letters()
        return word[:-1] in self._all_letters() or _has_nearly(alike, word)

    def _beginning_with(self, letter: str) -> list[str]:
        """Return the text's words that begin with a small letter, or with its capital."""
        found = self._by_letter.get(letter)
        if found is None:
            known = self._known_words()
            if self._ascii:
                # All in small letters.
                found = [word for word in known if word[:1] == letter]
            else:
                both = (letter, letter.upper())
                found = [word for word in known if word.startswith(both)]
            self._by_letter[letter] = found
        return found

    def _stems(self, letter: str, words: Sequence[str]) -> frozenset[str]:
        """Return the stems of the words that begin with a letter, which no stem loses."""
        stems = self._stems_by_letter.get(letter)
        if stems is None:
            stems = self._stems_by_letter[letter] = frozenset([stem(word) for word in words if word.isalpha()])
        return stems

    def _has_number(self, figures: str) -> bool:
        if self._ascii and not quantities(self._text):
            return False
        if len(figures) >= LONG:
            if self._ordered is None:
                self._ordered = sorted(self._known_words())
            at = bisect_left(self._ordered, figures)
            if at < len(self._ordered) and self._ordered[at].startswith(figures):
                return True
        return any(map(self.numbers.meet, quantities(figures)))


def _has_nearly(alike: Sequence[str], word: str) -> bool:
    """Whether a word has a slip in one letter that is not the first, and is then one of some others."""
    first, length = word[0], len(word)
    for known in alike:  # noqa: SIM110 - faster than a generator
        if known[0] == first and -1 <= len(known) - length <= 1 and one_letter_off(word, known):
            return True
    return False


def plain_letters(text: str) -> str:
    """Remove accents, and the apostrophes that SQuAD normalisation does not know."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", compose(text.translate(_APOSTROPHES)))
    return "".join(each for each in letters if not unicodedata.combining(each))


def _known(text: str, words: frozenset[str]) -> AbstractSet[str]:
    """Return a text's words, and those in them: before a footnote's number, between dashes, behind a sign."""
    known = set(words)
    known.update(*[_parts(word) for word in words if not word.isalpha()])
    for sign, names in SIGNS.items():
        if sign in text:
            known.update(names)
    known.update([SHORT_FORMS[word] for word in _SHORT_WORDS & known])
    return known


@lru_cache(maxsize=1 << 16)
def wanted_word(word: str) -> WantedWord:
    """Return what a word may stand as."""
    parts = _parts(word)
    others = parts if parts != (word,) else ()
    figures = _figures(word)
    inflected = len(word) >= INFLECTED and not figures and not others
    stemmed = stem(word) if inflected else ""
    return WantedWord(SHORT_FORMS.get(word), figures, others, stemmed, word[:1].lower()[:1])


@lru_cache(maxsize=1 << 16)
def _parts(word: str) -> tuple[str, ...]:
    """Return the runs of figures and of letters of a word."""
    return tuple(_PARTS.findall(word))


@lru_cache(maxsize=1 << 16)
def words_inside(word: str) -> tuple[str, ...]:
    """Return what a text with a word has beside it: its runs of figures and of letters, and what they are short for."""
    runs = () if word.isalpha() else _parts(word)
    others = (*runs, *[SHORT_FORMS[each] for each in (word, *runs) if each in SHORT_FORMS])
    return tuple(each for each in others if each != word)


def _figures(word: str) -> str | None:
    """Return the figures of a word that is a number, if it is one."""
    ordinal = _ORDINAL.fullmatch(word)
    return NUMBER_WORDS.get(word) or (ordinal[1] if ordinal else roman_figures(word.upper()))


def one_letter_off(word: str, other: str) -> bool:
    """Whether one letter more, less or another makes the words equal, or two neighbours that change places.

    The words' lengths differ by one letter at most.
    """
    same = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, left = word[same:], other[same:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return left in {rest[1:], swapped} or left[1:] in {rest, rest[1:]}
