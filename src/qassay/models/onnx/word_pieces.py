"""Cutting texts into a BERT's word pieces, a word at a time.

What pieces a word has does not depend on its neighbours. In plain English texts, which are most, words are found by
kinds of characters, all texts at once, and each distinct word goes through the tokenizer once; others go there whole.
"""

from __future__ import annotations

from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.text.tokenisers.scan import BERT_WORDS
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Bools, Ints
    from qassay.text.tokenisers.scan import Scanned

    Tokenizer = Any

_MOST_WORDS = 1 << 17
_MOST_RECENT = 1 << 20
"""Pieces of texts that are remembered; with more, all of them are forgotten."""
_NOWHERE = (0, 0)


class Pieces(NamedTuple):
    """A text in word pieces, with the special tokens before and after it."""

    ids: Ints
    spans: Ints
    """(pieces, 2): start and end of each piece in the text, in characters; (0, 0) for a special token."""
    special: Bools
    """Which pieces are special tokens."""


class PieceCutter:
    """Cuts texts into word pieces as a tokenizer does, and remembers the words that it has seen."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.special_tokens: tuple[int, int] = (tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]"))
        """The ids of the special tokens before and after a text."""
        self._by_words = _cuts_by_words(tokenizer)
        self._entering = Lock()
        self._recent: dict[str, Pieces] = {}
        self._recent_pieces = 0
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[str, int] = {}
        self._first, self._count, self._ids = (np.zeros(0, np.int64) for _ in range(3))
        self._spans = np.zeros((0, 2), np.int64)

    def cut(self, texts: Sequence[str]) -> list[Pieces]:
        """Cut texts, unless they were cut a while ago; pieces of one text are views into arrays that hold others' too.

        Several heads of a model read the same texts, one after the other.
        """
        found = {text: known for text in texts if (known := self._recent.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, self._cut(new), strict=True))
            self._remember({text: found[text] for text in new})
        return [found[text] for text in texts]

    def _remember(self, new: dict[str, Pieces]) -> None:
        with self._entering:
            self._recent_pieces += sum(len(each.ids) for each in new.values())
            if self._recent_pieces > _MOST_RECENT:
                self._recent, self._recent_pieces = {}, 0
            else:
                self._recent |= new

    def _cut(self, texts: Sequence[str]) -> list[Pieces]:
        plain = [i for i, text in enumerate(texts) if self._by_words and text.isascii() and "\0" not in text]
        with self._entering:
            found = dict(self._cut_plain(plain, [texts[i] for i in plain])) if plain else {}
        others = [i for i in range(len(texts)) if i not in found]
        if others:
            whole = self._tokenizer.encode_batch([texts[i] for i in others], add_special_tokens=False)
            found.update(zip(others, map(self._with_special_tokens, whole), strict=True))
        return [found[i] for i in range(len(texts))]

    def _with_special_tokens(self, cut: Any) -> Pieces:  # noqa: ANN401 - the library's class is not typed
        before, after = self.special_tokens
        ids = np.array([before, *cut.ids, after], np.int64)
        special = np.zeros(len(ids), bool)
        special[[0, -1]] = True
        return Pieces(ids, np.array([_NOWHERE, *cut.offsets, _NOWHERE], np.int64), special)

    def _cut_plain(self, numbers: Sequence[int], texts: Sequence[str]) -> Iterator[tuple[int, Pieces]]:
        """Cut plain texts, except those whose words cannot be found by kinds of characters."""
        scanned = BERT_WORDS.cut(texts)
        rows = self._known(scanned)
        counts = self._count[rows]
        source = ranges(self._first[rows], counts)
        begins = _bounds(np.array([len(text) + 1 for text in texts], np.int64))[:-1]
        starts = scanned.starts - np.repeat(begins, scanned.lengths)
        # Each text stands between two special tokens.
        bounds = _bounds(2 + np.diff(_bounds(counts)[_bounds(scanned.lengths)]))
        special = np.zeros(bounds[-1], bool)
        special[bounds[:-1]] = special[bounds[1:] - 1] = True
        ids, spans = np.full(bounds[-1], self.special_tokens[1], np.int64), np.zeros((bounds[-1], 2), np.int64)
        ids[bounds[:-1]] = self.special_tokens[0]
        ids[~special] = self._ids[source]
        spans[~special] = self._spans[source] + np.repeat(starts, counts)[:, None]
        unsure = set(scanned.unsure.tolist())
        for row, (place, (low, high)) in enumerate(zip(numbers, pairwise(bounds.tolist()), strict=True)):
            if row not in unsure:
                yield place, Pieces(ids[low:high], spans[low:high], special[low:high])

    def _known(self, scanned: Scanned) -> Ints:
        """Return each scanned word's row in the tables of pieces, adding new words."""
        numbered = scanned.number()
        words = list(numbered.words)
        if len(self._rows) > _MOST_WORDS:
            self._forget()
        rows = list(map(self._rows.get, words))
        if None in rows:
            new = [word for word, row in zip(words, rows, strict=True) if row is None]
            # In one text, since each call takes a while of its own.
            cut = self._tokenizer.encode(" ".join(new), add_special_tokens=False)
            owners = np.array(cut.word_ids, np.int64)
            counts = np.bincount(owners, minlength=len(new))
            starts = _bounds(np.array([len(word) + 1 for word in new], np.int64))[owners]
            self._rows |= {word: row for row, word in enumerate(new, len(self._rows))}
            self._first = np.append(self._first, len(self._ids) + _bounds(counts)[:-1])
            self._count = np.append(self._count, counts)
            self._ids = np.append(self._ids, np.array(cut.ids, np.int64))
            self._spans = np.append(self._spans, np.array(cut.offsets, np.int64) - starts[:, None], axis=0)
            rows = list(map(self._rows.get, words))
        return np.array(rows, np.int64)[numbered.ids]


def _bounds(lengths: Ints) -> Ints:
    return np.cumsum(np.append(0, lengths))


def _cuts_by_words(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer takes each word by itself, as BERT's does, and finds nothing else without brackets."""
    parts = [type(part).__name__ for part in (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)]
    added = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    return parts == ["BertNormalizer", "BertPreTokenizer", "WordPiece"] and all("[" in token for token in added)
