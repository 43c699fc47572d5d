"""The distinct words of texts and of what is looked for in them, numbered, with what a search asks of each word."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from qassay.equivalence.fuzzy_search import LONG, LONGER, SHORT_FORMS, SIGNS, wanted_word, words_inside
from qassay.text.porter import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Ints

SHORT, LETTERS, OTHER_WORDS = range(3)
"""As what a word is looked for that a text does not have as it is: nothing, in other letters, or in other words."""
_ENDS = 3
"""Letters from which on a word of six letters is known to have no slip in its first ones, or in its last ones."""


class SearchVocabulary:
    """Words by their number: those of texts first, then those that are looked for, or stand inside others."""

    def __init__(self, words: Sequence[str], wanted: Sequence[str] = ()) -> None:
        self._number = dict(zip(words, range(len(words)), strict=True))
        self.wanted = np.array(self._numbers(wanted), np.int64)
        """The number of each wanted word."""
        self.signs = {sign: self._numbers(names) for sign, names in SIGNS.items()}
        """The numbers of the words that a sign stands for."""
        odd = [word for word in words if not word.isalpha() or word in SHORT_FORMS]
        self.inside = {self._number[word]: self._numbers(others) for word in odd if (others := words_inside(word))}
        """The numbers of the words that stand inside a word, where there are any."""
        self.words = list(self._number)
        """All words, in the order of their numbers."""

    def __len__(self) -> int:
        return len(self.words)

    def _numbers(self, words: Sequence[str]) -> list[int]:
        number = self._number
        return [number.setdefault(word, len(number)) for word in words]

    def flags(self, numbers: Sequence[int] | Ints) -> Bools:
        """Return for each word whether it is one of some."""
        found = np.zeros(len(self), bool)
        found[numbers] = True
        return found

    def forms(self, numbers: Ints) -> Ints:
        """Return as what each of some words is looked for in a plain text that lacks it."""
        form = np.zeros(len(self), np.int64)
        some = np.flatnonzero(self.flags(numbers))
        form[some] = [_form(self.words[number]) for number in some.tolist()]
        return form[numbers]

    @cached_property
    def inner_parts(self) -> list[str]:
        """The part of each word that must stand inside another: long ones may lack their last letter."""
        return [word[:-1] if len(word) >= LONGER else word for word in self.words]

    @cached_property
    def lengths(self) -> Ints:
        """How many letters each word has."""
        return np.fromiter(map(len, self.words), np.int64, len(self))

    @cached_property
    def _ends(self) -> NDArray[np.uint8]:
        """The first three letters of each word, and the last two; of no meaning for short words."""
        plain = [word if word.isascii() else "?" * len(word) for word in self.words]
        raw = np.frombuffer("".join(plain).encode("ascii") + b"?" * _ENDS, np.uint8)
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        return np.stack([raw[place] for place in (starts, starts + 1, starts + 2, ends - 1, ends - 2)])

    @property
    def first_letters(self) -> NDArray[np.uint8]:
        """The first letter of each word."""
        return np.asarray(self._ends[0], np.uint8)

    def same_stem(self, words: Ints, others: Ints) -> Bools:
        """Return which words have the same stem as others that are runs of letters."""
        number: dict[str, int] = {}
        stems = np.zeros(len(self), np.int64)
        some = np.flatnonzero(self.flags(words) | self.flags(others))
        stems[some] = [
            number.setdefault(stem(word), len(number)) if word.isalpha() else -1
            for word in map(self.words.__getitem__, some.tolist())
        ]
        return np.asarray((stems[words] == stems[others]) & (stems[others] >= 0))

    def may_be_slips(self, words: Ints, others: Ints) -> Bools:
        """Return which words of six letters or more may be others of the same first letter but for one letter.

        Where that letter is one of the first three, the last two are the same.
        """
        ends = self._ends
        near = np.abs(self.lengths[words] - self.lengths[others]) <= 1
        same = [ends[i][words] == ends[i][others] for i in range(1, len(ends))]
        return np.asarray(near & ((same[0] & same[1]) | (same[2] & same[3])))


@lru_cache(maxsize=1 << 16)
def _form(word: str) -> int:
    if not word.isascii():
        return OTHER_WORDS
    wanted = wanted_word(word)
    if wanted.long_form or wanted.figures or wanted.parts:
        return OTHER_WORDS
    return LETTERS if len(word) >= LONG else SHORT
