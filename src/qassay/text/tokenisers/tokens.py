"""The tokens of many texts as integers, with counts that are computed once and shared."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise, repeat
from operator import contains
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from qassay.arrays import summed
from qassay.errors import DataError, option
from qassay.text.tokenisers.factorize import find_keys, number_keys

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.text.tokenisers.tokenise import Tokeniser


_KEY_LIMIT = 1 << 62
_FIRST_SURROGATE, _SURROGATES = 0xD800, 0x800
_CHARACTERS = 0x110000 - _SURROGATES


class Tokens:
    """Token ids of a row of texts: text `t` has `ids[starts[t]:starts[t + 1]]`."""

    def __init__(self, ids: Ints, starts: Ints, words: Sequence[str]) -> None:
        self.ids = ids
        self.starts = starts
        self.words = words
        self._grams: dict[int, GramTable] = {}

    @classmethod
    def cut(cls, texts: Sequence[str], tokeniser: Tokeniser, spaced: Collection[int] = ()) -> Tokens:
        """Tokenise all texts and number their distinct tokens; `spaced` texts are in a language with spaces."""
        plain: Sequence[int] = range(len(texts))
        if any(map(contains, texts, repeat("\0"))):
            plain = [i for i, text in enumerate(texts) if "\0" not in text]
        if not tokeniser.scan or not plain:
            return cls.number([tokeniser.tokens(text, spaced=i in spaced) for i, text in enumerate(texts)])
        scanned = tokeniser.scan.cut(texts if len(plain) == len(texts) else [texts[i] for i in plain])
        row = np.full(len(texts), -1)
        row[plain] = np.arange(len(plain))
        row[np.array(plain)[scanned.unsure]] = -1
        others = np.flatnonzero(row < 0)
        rows = [tokeniser.tokens(texts[i], spaced=i in spaced) for i in others.tolist()]
        flat = list(chain.from_iterable(rows))
        distinct = list(dict.fromkeys(flat))
        numbered = scanned.number(distinct)
        if not rows:
            return cls(numbered.ids, _starts(scanned.lengths), numbered.words)
        ids = _look_up(flat, dict(zip(distinct, numbered.others.tolist(), strict=True)))
        lengths = np.concatenate((scanned.lengths, [len(each) for each in rows]))
        row[others] = len(plain) + np.arange(len(others))
        return cls(np.concatenate((numbered.ids, ids)), _starts(lengths), numbered.words).take(row)

    @classmethod
    def number(cls, rows: Sequence[Sequence[str]]) -> Tokens:
        """Number the distinct tokens of texts that are cut already."""
        flat = list(chain.from_iterable(rows))
        words = list(dict.fromkeys(flat))
        ids = _look_up(flat, dict(zip(words, range(len(words)), strict=True)))
        return cls(ids, _starts(np.array([len(each) for each in rows], np.int64)), words)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Ints:
        """How many tokens each text has."""
        return np.diff(self.starts)

    @cached_property
    def text_of(self) -> Ints:
        """The text of each token."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def as_strings(self) -> list[str]:
        """Each text as a string with one character per token: the form in which rapidfuzz is fastest."""
        ids = self.ids if len(self.words) <= _CHARACTERS else self._merged_ids()
        points = ids + np.where(ids >= _FIRST_SURROGATE, _SURROGATES, 0)
        everything = points.astype("<u4").tobytes().decode("utf-32-le")
        bounds = self.starts.tolist()
        return [everything[start:end] for start, end in pairwise(bounds)]

    def _merged_ids(self) -> Ints:
        """Number the tokens anew, those found in one text alone as one: they match nothing in any other text."""
        _, first, inverse = np.unique(self.ids, return_index=True, return_inverse=True)
        _, last = np.unique(self.ids[::-1], return_index=True)
        first_text, last_text = self.text_of[first], self.text_of[::-1][last]
        lone = first_text == last_text
        number = np.where(lone, first_text, len(self) + np.cumsum(~lone) - 1)
        if len(number) and number.max() >= _CHARACTERS:
            raise DataError(f"too many different words to be compared at once; give a smaller {option('batch')}")
        return np.asarray(number[inverse], np.int64)

    def take(self, texts: Ints) -> Tokens:
        """Return the tokens of these texts, in this order; a text may be taken more than once."""
        lengths = self.lengths[texts]
        return Tokens(self.ids[ranges(self.starts[texts], lengths)], _starts(lengths), self.words)

    def last_of_each(self) -> Tokens:
        """Return the last token of every text that has any."""
        lengths = np.minimum(self.lengths, 1)
        return Tokens(self.ids[self.starts[1:][lengths > 0] - 1], _starts(lengths), self.words)

    def row(self, text: int) -> list[str]:
        """Return one text's tokens as strings."""
        return [self.words[i] for i in self.ids[self.starts[text] : self.starts[text + 1]]]

    def rows(self) -> list[list[str]]:
        """Return every text's tokens as strings."""
        words = list(self.words)
        flat = [words[i] for i in self.ids.tolist()]
        return [flat[start:end] for start, end in pairwise(self.starts.tolist())]

    def grams(self, n: int) -> GramTable:
        """Count the n-grams of every text, once."""
        if n not in self._grams:
            self._grams[n] = _consecutive(self, n)
        return self._grams[n]

    def skip_grams(self, gap: int) -> GramTable:
        """Count the unigrams and the token pairs with at most `gap` tokens between them, once."""
        if -gap not in self._grams:
            self._grams[-gap] = _skipping(self, gap)
        return self._grams[-gap]

    def lcs(self, left: Ints, right: Ints) -> Ints:
        """Return the length of the longest common subsequence of each pair of texts."""
        if not len(left):
            return np.zeros(0, np.int64)
        coded = self.as_strings
        found = cpdist(
            [coded[i] for i in left.tolist()],
            [coded[i] for i in right.tolist()],
            scorer=LCSseq.similarity,
            dtype=np.int64,
        )
        return np.asarray(found, np.int64)


class GramTable:
    """The distinct n-grams (or skip-bigrams) of each text with their counts: by text, then as they first come."""

    def __init__(self, tokens: Tokens, gram: Ints, span: int, position: Ints, offsets: Sequence[int | Ints]) -> None:
        """Count grams numbered below `span`, in the texts' order; their tokens stand at position + each offset."""
        text = tokens.text_of[position]
        self._number, first = number_keys(text * span + gram)
        self.count = np.bincount(self._number, minlength=len(first))
        self.starts = np.searchsorted(text[first], np.arange(len(tokens) + 1))
        self.totals = np.bincount(text, minlength=len(tokens))
        self._gram = gram[first]
        self._span = span
        self._position = position
        self._offsets = offsets

    def match(self, left: Ints, right: Ints) -> Matches:
        """Find, for each pair of texts, the grams that both have."""
        left_owner, left_row = self._rows(left)
        right_owner, right_row = self._rows(right)
        left_key, right_key = self._keys(left_owner, left_row, right_owner, right_row, len(left))
        hit, place = find_keys(left_key, right_key)
        return Matches(left_owner[hit], left_row[hit], right_row[place])

    def mean_weights(self, weights: Floats) -> Floats:
        """Return for each gram of each text the mean weight of its tokens over all its occurrences in that text."""
        of_place = np.zeros(len(self._position))
        for offset in self._offsets:
            of_place += weights[self._position + offset]
        of_gram = summed(self._number, of_place, len(self.count))
        return np.asarray(of_gram / (self.count * len(self._offsets)), np.float64)

    def _rows(self, texts: Ints) -> tuple[Ints, Ints]:
        lengths = np.diff(self.starts)[texts]
        return np.repeat(np.arange(len(texts)), lengths), ranges(self.starts[texts], lengths)

    def _keys(
        self, left_owner: Ints, left_row: Ints, right_owner: Ints, right_row: Ints, owners: int
    ) -> tuple[Ints, Ints]:
        span, gram = self._span, self._gram
        if (owners + 1) * span >= _KEY_LIMIT:
            gram, first = number_keys(gram)
            span = len(first)
        return left_owner * span + gram[left_row], right_owner * span + gram[right_row]


class Matches(NamedTuple):
    """Rows of a `GramTable` that hold the same n-gram on both sides of a pair."""

    pair: Ints
    left: Ints
    right: Ints


def _look_up(tokens: Sequence[str], number: Mapping[str, int]) -> Ints:
    return np.fromiter(map(number.__getitem__, tokens), np.int64, len(tokens))


def _starts(lengths: Ints) -> Ints:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the concatenated index ranges that begin at `starts` and are `lengths` long."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths), np.int64)


def _consecutive(tokens: Tokens, n: int) -> GramTable:
    """Number the n-grams, packing their token ids into one integer while it has room."""
    room = tokens.starts[1:][tokens.text_of] - np.arange(len(tokens.ids))
    vocabulary = len(tokens.words) + 1
    gram, span = tokens.ids, vocabulary
    position = np.arange(len(tokens.ids))
    for order in range(2, n + 1):
        whole = room[position] >= order
        gram, position = gram[whole], position[whole]
        if span * vocabulary * (len(tokens) + 1) >= _KEY_LIMIT:
            gram, first = number_keys(gram)
            span = len(first) + 1
        gram = gram * vocabulary + tokens.ids[position + order - 1]
        span *= vocabulary
    return GramTable(tokens, gram, span, position, range(n))


def _skipping(tokens: Tokens, gap: int) -> GramTable:
    """Number the unigrams and the pairs of tokens with at most `gap` tokens between them."""
    room = tokens.starts[1:][tokens.text_of] - np.arange(len(tokens.ids))
    base = len(tokens.words) + 1
    position, distance = np.nonzero(np.arange(gap + 2) < room[:, None])
    second = np.where(distance == 0, base - 1, tokens.ids[position + distance])
    return GramTable(tokens, tokens.ids[position] * base + second, base * base, position, (0, distance))
