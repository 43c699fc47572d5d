"""The words of many pairs of texts, as numbers: what most rules need to change anything is seen on all pairs at once.

Words are runs of letters, in small letters. Their numbers are polynomials in their letters, so that the number of two
words run together follows from those of both (Karp and Rabin 1987). Different words may share one: what is said here
of a pair may hold, and what is denied does not.
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import lengths_of
from qassay.text.tokenisers.factorize import number_keys
from qassay.text.traits import has_trait, letter_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Ints
    from qassay.equivalence.rule import AnswerPair

    Keys = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(_BASE, -1, 1 << 64)
_HALF = np.uint64(32)
_SEPARATORS = np.zeros(256, bool)
_SEPARATORS[list(b" -")] = True
_ARTICLES = ("a", "an", "the")
_SIDES = 3
_REFERENCE, _CANDIDATE, _QUESTION = range(_SIDES)


class _Words(NamedTuple):
    """Words of plain texts, one text behind the other."""

    key: Keys
    text: Ints
    """The text that each stands in."""
    joined: Keys
    """The key of each word run together with the next one."""
    written: Keys
    """The key of the two as they are written, with what stands between them."""
    neighbours: Bools
    """Which words stand in one text with the next one, parted by one space or hyphen."""


class PairWords:
    """References, candidates and questions of many pairs; of texts beyond plain ASCII nothing is known."""

    def __init__(self, pairs: Sequence[AnswerPair], candidate_traits: Ints) -> None:
        self._size = len(pairs)
        self._traits = candidate_traits
        texts = [text for side in ("reference", "candidate", "question") for text in map(attrgetter(side), pairs)]
        plain = np.fromiter([text.isascii() and "\0" not in text for text in texts], bool, len(texts))
        self._texts = [text if known else "" for text, known in zip(texts, plain.tolist(), strict=True)]
        self._lengths, self._plain = (each.reshape(_SIDES, -1) for each in (lengths_of(texts), plain))

    @cached_property
    def _words(self) -> _Words:
        return _read(self._texts)

    @cached_property
    def _bags(self) -> Keys:
        return _bag_keys(self._words, len(self._texts)).reshape(_SIDES, -1)

    @property
    def lengths(self) -> tuple[Ints, Ints]:
        """The characters of each pair's reference and candidate."""
        return self._lengths[_REFERENCE], self._lengths[_CANDIDATE]

    def candidates_have(self, trait: int) -> Bools:
        """Return which candidates have a trait, or one of several that are joined by `|`."""
        return has_trait(self._traits, trait)

    def have_apostrophe(self) -> Bools:
        """Return which pairs have an apostrophe in the reference or the candidate."""
        found = np.fromiter(("'" in text for text in self._texts[: 2 * self._size]), bool, 2 * self._size)
        return np.asarray(found.reshape(2, -1).any(0) | ~self._plain[:2].all(0), bool)

    def may_repeat_question(self) -> Bools:
        """Return which candidates may have the question's words, in whatever order."""
        return self._may_be((_QUESTION, _CANDIDATE), self._bags[_QUESTION] == self._bags[_CANDIDATE])

    def may_have_same_words(self) -> Bools:
        """Return which references and candidates may have the same words but for articles, in whatever order."""
        return self._may_be((_REFERENCE, _CANDIDATE), self._bags[_REFERENCE] == self._bags[_CANDIDATE])

    def may_differ_by(self, exchanges: Keys) -> Bools:
        """Return which may have the same words but for articles and one exchange, as `exchange_keys` has them."""
        differences = self._bags[_REFERENCE] - self._bags[_CANDIDATE]
        return self._may_be((_REFERENCE, _CANDIDATE), np.isin(differences, exchanges))

    def may_join_otherwise(self) -> Bools:
        """Return which may have the same letters as one word here and as two there, or as two other ones."""
        words = self._words
        two = np.flatnonzero(words.neighbours)
        keys, written = (np.concatenate([words.key, some[two]]) for some in (words.joined, words.written))
        side, pair = np.divmod(np.concatenate([words.text, words.text[two]]), self._size)
        answers = side != _QUESTION
        keys, written, side, pair = (each[answers] for each in (keys, written, side, pair))
        number, first = number_keys(pair, keys)
        otherwise = written != written[first[number]]
        on_side = np.zeros((2, len(first)), bool)
        on_side[side, number] = True
        on_both = on_side[_REFERENCE] & on_side[_CANDIDATE]
        found = np.zeros(self._size, bool)
        found[pair[otherwise & on_both[number]]] = True
        return self._may_be((_REFERENCE, _CANDIDATE), found)

    def _may_be(self, sides: tuple[int, int], known: Bools) -> Bools:
        """Return what is known, and True where one of two sides is no plain text."""
        return np.asarray(known | ~(self._plain[sides[0]] & self._plain[sides[1]]), bool)


def exchange_keys(pairs: Sequence[tuple[str, str]]) -> Keys:
    """Return the keys of some exchanges of one plain word for another, for `PairWords.may_differ_by`."""
    bags = _bag_keys(_read([word for pair in pairs for word in pair]), 2 * len(pairs))
    differences = bags[0::2] - bags[1::2]
    return np.concatenate([differences, np.uint64(0) - differences])


def _read(texts: Sequence[str]) -> _Words:
    data = ("\0".join(texts) + "\0").lower().encode("ascii")
    letters = np.frombuffer(data, np.uint8)
    starts, ends = letter_runs(data)
    powers, inverses = (_powers(base, len(data) + 1) for base in (_BASE, _BASE_INVERSE))
    sums = np.append(np.uint64(0), np.cumsum(letters * powers[:-1]))

    def keys(first: Ints, last: Ints) -> Keys:
        return np.asarray((sums[last] - sums[first]) * inverses[first], np.uint64)

    key = keys(starts, ends)
    following = np.append(np.arange(1, len(starts)), 0)[: len(starts)]
    joined = key + powers[ends - starts] * key[following]
    neighbours = (starts[following] - ends == 1) & _SEPARATORS[letters[ends]]
    text = np.searchsorted(np.cumsum(lengths_of(texts) + 1), starts, side="right")
    return _Words(key, text, joined, keys(starts, np.maximum(ends, ends[following])), neighbours)


def _powers(base: int, count: int) -> Keys:
    powers = np.full(count, base, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _bag_keys(words: _Words, texts: int) -> Keys:
    """Return the sum of each text's words but for articles, mixed so that no letter can change its word."""
    mixed = words.key ^ (words.key >> _HALF)
    mixed *= np.uint64(_BASE)
    mixed ^= mixed >> _HALF
    mixed[np.isin(words.key, _ARTICLE_KEYS)] = 0
    sums = np.append(np.uint64(0), np.cumsum(mixed))
    bounds = np.searchsorted(words.text, np.arange(texts + 1))
    return np.asarray(sums[bounds[1:]] - sums[bounds[:-1]], np.uint64)


_ARTICLE_KEYS = _read(_ARTICLES).key
