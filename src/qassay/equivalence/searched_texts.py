"""Fuzzy search in many texts at once: what most words need is found for all of them in one pass over arrays."""

from __future__ import annotations

import string
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.equivalence.fuzzy_search import (
    FUNCTION_WORDS,
    INFLECTED,
    LONGER,
    SIGNS,
    SearchedText,
    one_letter_off,
    plain_letters,
)
from qassay.equivalence.search_vocabulary import LETTERS, OTHER_WORDS, SearchVocabulary
from qassay.text.tokenisers.factorize import number_keys
from qassay.text.tokenisers.tokens import Tokens, ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Floats, Ints

_AT_ONCE = 100_000
"""Words that are looked for, times letters of the text: beyond it a text is searched by itself."""
_ASCII_SIGNS = [sign for sign in SIGNS if sign.isascii()]
_MARKS = bytes(set(range(1, 128)) - {*string.ascii_letters.encode(), *string.digits.encode()})
"""ASCII characters but for letters, figures and NUL."""
_BYTES = 256


class _Places(NamedTuple):
    """Words in texts: the text of each, and its number in a vocabulary."""

    text: Ints
    word: Ints

    def some(self, chosen: Bools | Ints) -> _Places:
        return _Places(self.text[chosen], self.word[chosen])


class SearchedTexts:
    """Texts in which words are looked for, given with their words after SQuAD normalisation.

    What is found is what `SearchedText` finds. Plain words in plain texts are looked for together: as they are, inside
    others, by their stems and with a slip in a letter. Numbers, short forms and words beyond ASCII are looked for one
    by one, and so is all in a very long text.
    """

    def __init__(self, texts: Sequence[str], tokens: Tokens) -> None:
        self._texts = texts
        self._tokens = tokens
        self._words = list(tokens.words)
        self._single: dict[int, SearchedText] = {}

    def __getitem__(self, text: int) -> SearchedText:
        """Return one of the texts, to be searched by itself."""
        found = self._single.get(text)
        if found is None:
            start, end = self._tokens.starts[text : text + 2].tolist()
            words = [self._words[i] for i in self._tokens.ids[start:end].tolist()]
            found = self._single[text] = SearchedText(self._texts[text], words)
        return found

    @cached_property
    def _plain(self) -> Bools:
        """Which texts are plain ASCII."""
        return np.fromiter([text.isascii() and "\0" not in text for text in self._texts], bool, len(self._texts))

    @cached_property
    def _vocabulary(self) -> SearchVocabulary:
        """The texts' own words."""
        return SearchVocabulary(self._words)

    def shares(self, texts: Ints, wanted: Tokens) -> Floats:
        """Return the share of words that are found, given which text each row of wanted words is looked for in.

        Function words count only where there are no others.
        """
        if not len(texts):
            return np.zeros(0)
        rows, ids = _content_words(wanted)
        counts = np.bincount(rows, minlength=len(texts))
        sizes = np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        alone = counts * sizes[texts] > _AT_ONCE
        together = ~alone[rows]
        rows, ids = rows[together], ids[together]
        found = np.bincount(rows[self._found(texts[rows], ids, wanted.words)], minlength=len(texts))
        shares = np.zeros(len(texts))
        np.divide(found, counts, out=shares, where=counts > 0)
        for row in np.flatnonzero(alone).tolist():
            shares[row] = self[int(texts[row])].share(wanted.row(row))
        return shares

    def _found(self, texts: Ints, ids: Ints, words: Sequence[str]) -> Bools:
        """Return which words are found, each in one of the texts."""
        own = words is self._tokens.words
        vocabulary = self._vocabulary if own else SearchVocabulary(self._words, list(words))
        wanted = _Places(texts, ids if own else vocabulary.wanted[ids])
        known = self._known_words(vocabulary, texts)
        found = _are_among(wanted, known, len(vocabulary))
        missing = np.flatnonzero(~found)
        form = vocabulary.forms(wanted.word[missing])
        single = (form == OTHER_WORDS) | ~self._plain[texts[missing]]
        for i in missing[single].tolist():
            text, word = self[int(texts[i])], vocabulary.words[wanted.word[i]]
            found[i] = text.has(plain_letters(word))
        missing = missing[~single & (form == LETTERS)]
        found[missing] = self._inside_others(vocabulary, wanted.some(missing))
        missing = missing[~found[missing]]
        found[missing] = _alike(vocabulary, wanted.some(missing), known)
        return found

    def _known_words(self, vocabulary: SearchVocabulary, texts: Ints) -> _Places:
        """Return the words of some texts; of plain ones also those that stand inside them, or for their signs."""
        searched = np.zeros(len(self._texts), bool)
        searched[texts] = True
        rows = np.flatnonzero(searched)
        lengths = self._tokens.lengths[rows]
        known = _Places(np.repeat(rows, lengths), self._tokens.ids[ranges(self._tokens.starts[rows], lengths)])
        holding = known.some(vocabulary.flags(list(vocabulary.inside))[known.word] & self._plain[known.text])
        both = zip(*(each.tolist() for each in holding), strict=True)
        others = [(text, inside) for text, word in both for inside in vocabulary.inside[word]]
        for text in rows[self._plain[rows]].tolist():
            signs = [sign for sign in _ASCII_SIGNS if sign in self._texts[text]]
            others += [(text, name) for sign in signs for name in vocabulary.signs[sign]]
        more = np.array(others, np.int64).reshape(-1, 2)
        return _Places(np.concatenate((known.text, more[:, 0])), np.concatenate((known.word, more[:, 1])))

    def _inside_others(self, vocabulary: SearchVocabulary, wanted: _Places) -> Bools:
        """Return which long words plain texts have run together with others; the longest may lack their last letter."""
        rows, place = np.unique(wanted.text, return_inverse=True)
        joined = "\0".join([self._texts[row] for row in rows.tolist()]).lower().encode("ascii")
        letters = joined.translate(None, _MARKS).decode("ascii").split("\0")
        parts = vocabulary.inner_parts
        both = zip(wanted.word.tolist(), place.tolist(), strict=True)
        return np.array([parts[word] in letters[text] for word, text in both], bool)


def _content_words(wanted: Tokens) -> tuple[Ints, Ints]:
    """Return the row and the number of each word that counts."""
    functional = np.array([word in FUNCTION_WORDS for word in wanted.words], bool)[wanted.ids]
    rows = wanted.text_of
    others = np.bincount(rows[~functional], minlength=len(wanted)) > 0
    counting = ~(functional & others[rows])
    return rows[counting], wanted.ids[counting]


def _are_among(wanted: _Places, known: _Places, words: int) -> Bools:
    """Return which wanted words are among those that their texts have."""
    number, first = number_keys(np.concatenate([known.text * words + known.word, wanted.text * words + wanted.word]))
    # Numbers are given in order: a key that is new among the wanted ones is numbered after all that are known.
    return np.asarray(first[number[len(known.text) :]] < len(known.text))


def _alike(vocabulary: SearchVocabulary, wanted: _Places, known: _Places) -> Bools:
    """Return which words are inflected in their plain texts, or have a slip in a letter that is not the first."""
    found = np.zeros(len(wanted.text), bool)
    longer = np.flatnonzero(vocabulary.lengths[wanted.word] >= INFLECTED)
    letters = vocabulary.first_letters
    keys = known.text * _BYTES + letters[known.word]
    order = np.argsort(keys)
    needles = wanted.text[longer] * _BYTES + letters[wanted.word[longer]]
    starts, ends = (np.searchsorted(keys, needles, side=side, sorter=order) for side in ("left", "right"))
    counts = ends - starts
    owner = np.repeat(longer, counts)
    word, other = wanted.word[owner], known.word[order[ranges(starts, counts)]]
    found[owner[vocabulary.same_stem(word, other)]] = True
    slips = (vocabulary.lengths[word] >= LONGER) & ~found[owner] & vocabulary.may_be_slips(word, other)
    words = vocabulary.words
    for i in np.flatnonzero(slips).tolist():
        if one_letter_off(words[word[i]], words[other[i]]):
            found[owner[i]] = True
    return found
