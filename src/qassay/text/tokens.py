"""The tokens of many texts as integers, with what can be counted on them once and shared."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from qassay.arrays import summed
from qassay.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.text.tokenise import Tokeniser


_KEY_LIMIT = 1 << 62
_FIRST_SURROGATE, _SURROGATES = 0xD800, 0x800
_CHARACTERS = 0x110000 - _SURROGATES


class Tokens:
    """Token ids of a row of texts: text `t` has `ids[starts[t]:starts[t + 1]]`."""

    def __init__(self, ids: Ints, starts: Ints, words: list[str]) -> None:
        self.ids = ids
        self.starts = starts
        self.words = words
        self._grams: dict[int, GramTable] = {}

    @classmethod
    def cut(cls, texts: Sequence[str], tokeniser: Tokeniser, spaced: Collection[int] = ()) -> Tokens:
        """Tokenise all texts and number their distinct tokens; `spaced` texts are in a language with spaces."""
        if spaced and tokeniser.cut_spaced:
            rows = [tokeniser.tokens(text, spaced=i in spaced) for i, text in enumerate(texts)]
        else:
            rows = [tokeniser.cut(text) for text in texts]
        flat = list(chain.from_iterable(rows))
        words = list(dict.fromkeys(flat))
        number = dict(zip(words, range(len(words)), strict=True))
        ids = np.fromiter(map(number.__getitem__, flat), np.int64, len(flat))
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=starts[1:])
        return cls(ids, starts, words)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Ints:
        """How many tokens each text has."""
        return np.diff(self.starts)

    @cached_property
    def text_of(self) -> Ints:
        """Which text each token stands in."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def coded(self) -> list[str]:
        """Each text as a string with one character a token: the form in which rapidfuzz is fastest."""
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
            raise DataError("too many different words to be compared at once; give a smaller --batch")
        return np.asarray(number[inverse], np.int64)

    def take(self, texts: Ints) -> Tokens:
        """Give the tokens of these texts, in this order; a text may be taken more than once."""
        lengths = self.lengths[texts]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        return Tokens(self.ids[ranges(self.starts[texts], lengths)], starts, self.words)

    def row(self, text: int) -> list[str]:
        """Give one text's tokens as strings."""
        return [self.words[i] for i in self.ids[self.starts[text] : self.starts[text + 1]]]

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
        """Give the length of the longest common subsequence of each pair of texts."""
        if not len(left):
            return np.zeros(0, np.int64)
        coded = self.coded
        found = cpdist(
            [coded[i] for i in left.tolist()],
            [coded[i] for i in right.tolist()],
            scorer=LCSseq.similarity,
            dtype=np.int64,
        )
        return np.asarray(found, np.int64)


class GramTable:
    """The distinct n-grams (or skip-bigrams) of each text with their counts, sorted by text and gram."""

    def __init__(self, tokens: Tokens, gram: Ints, members: Ints, span: int) -> None:
        """Count grams numbered below `span`; row g of `members` holds the positions of gram g's tokens."""
        text = tokens.text_of[members[:, 0]]
        self.key, self._inverse, self.count = np.unique(text * span + gram, return_inverse=True, return_counts=True)
        self._members = members
        self._span = span
        self._gram = self.key % span
        self.starts = np.searchsorted(self.key, np.arange(len(tokens) + 1) * span)
        self.totals = np.bincount(text, minlength=len(tokens))

    def match(self, left: Ints, right: Ints) -> Matches:
        """Find, for each pair of texts, the grams that both have."""
        left_owner, left_row = self._rows(left)
        right_owner, right_row = self._rows(right)
        left_key, right_key = self._keys(left_owner, left_row, right_owner, right_row, len(left))
        hit, place = _find(left_key, right_key)
        return Matches(left_owner[hit], left_row[hit], right_row[place])

    def clipped(self, left: Ints, right: Ints, owner: Ints) -> Ints:
        """Count, for each left text, its grams clipped to their highest count in any of its right texts.

        Right text `i` belongs to the left text at position `owner[i]`; owners are sorted.
        """
        left_owner, left_row = self._rows(left)
        right_text, right_row = self._rows(right)
        left_key, right_key = self._keys(left_owner, left_row, owner[right_text], right_row, len(left))
        ceiling = self.count[right_row]
        if len(owner) > 1 and (owner[1:] == owner[:-1]).any():
            order = np.argsort(right_key, kind="stable")
            right_key, firsts = np.unique(right_key[order], return_index=True)
            ceiling = np.maximum.reduceat(ceiling[order], firsts) if len(firsts) else ceiling[:0]
        hit, place = _find(left_key, right_key)
        kept = np.minimum(self.count[left_row[hit]], ceiling[place])
        return summed(left_owner[hit], kept, len(left)).astype(np.int64)

    def mean_weights(self, weights: Floats) -> Floats:
        """Give each gram of each text the mean weight of its tokens over all its places in that text."""
        of_gram = weights[self._members].mean(axis=1) if len(self._members) else np.zeros(0)
        return np.asarray(summed(self._inverse, of_gram, len(self.key)) / self.count, np.float64)

    def _rows(self, texts: Ints) -> tuple[Ints, Ints]:
        lengths = np.diff(self.starts)[texts]
        return np.repeat(np.arange(len(texts)), lengths), ranges(self.starts[texts], lengths)

    def _keys(
        self, left_owner: Ints, left_row: Ints, right_owner: Ints, right_row: Ints, owners: int
    ) -> tuple[Ints, Ints]:
        span, gram = self._span, self._gram
        if (owners + 1) * span >= _KEY_LIMIT:
            distinct, gram = np.unique(gram, return_inverse=True)
            span = len(distinct) + 1
        return left_owner * span + gram[left_row], right_owner * span + gram[right_row]


class Matches(NamedTuple):
    """Rows of a `GramTable` that hold the same n-gram on both sides of a pair."""

    pair: Ints
    left: Ints
    right: Ints


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Write out the index ranges that begin at `starts` and are `lengths` long, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths), np.int64)


def _find(needles: Ints, keys: Ints) -> tuple[Bools, Ints]:
    """Tell which needles are among the sorted keys, and where."""
    if not len(keys):
        return np.zeros(len(needles), bool), np.zeros(0, np.int64)
    place = np.searchsorted(keys, needles)
    place[place == len(keys)] = 0
    hit = keys[place] == needles
    return hit, place[hit]


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
            distinct, gram = np.unique(gram, return_inverse=True)
            span = len(distinct) + 1
        gram = gram * vocabulary + tokens.ids[position + order - 1]
        span *= vocabulary
    return GramTable(tokens, gram, position[:, None] + np.arange(n), span)


def _skipping(tokens: Tokens, gap: int) -> GramTable:
    """Number the unigrams and the pairs of tokens with at most `gap` tokens between them."""
    room = tokens.starts[1:][tokens.text_of] - np.arange(len(tokens.ids))
    base = len(tokens.words) + 1
    everywhere = np.arange(len(tokens.ids))
    grams = [tokens.ids * base + base - 1]
    members = [np.stack([everywhere, everywhere], axis=1)]
    for distance in range(1, gap + 2):
        first = everywhere[room > distance]
        grams.append(tokens.ids[first] * base + tokens.ids[first + distance])
        members.append(np.stack([first, first + distance], axis=1))
    return GramTable(tokens, np.concatenate(grams), np.concatenate(members), base * base)
