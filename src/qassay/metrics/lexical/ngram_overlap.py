"""The n-grams that texts share, order after order: an n-gram can be shared only where both its parts are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.text.tokenisers.factorize import number_keys
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from qassay.arrays import Floats, Ints
    from qassay.text.tokenisers.tokens import Tokens


class SharedGrams:
    """Counts of the n-grams that left texts share with their right texts.

    Right text `i` belongs to the left text at position `owner[i]`; owners are sorted. The occurrences of both
    sides' tokens lie one after another; numbers tell n-grams of one owner apart, and those of unlike owners are
    never equal.
    """

    def __init__(self, tokens: Tokens, left: Ints, right: Ints, owner: Ints) -> None:
        texts = np.concatenate((left, right))
        lengths = tokens.lengths[texts]
        position = ranges(tokens.starts[texts], lengths)
        self._owners = len(left)
        self._several = bool((owner[1:] == owner[:-1]).any())
        self._owner = np.repeat(np.concatenate((np.arange(len(left)), owner)), lengths)
        self._text = np.repeat(np.arange(len(texts)), lengths)
        self._left_end = int(lengths[: len(left)].sum())
        self._room = tokens.starts[1:][texts][self._text] - position
        self._token, first = number_keys(self._owner * len(tokens.words) + tokens.ids[position])
        self._tokens = len(first)
        self._at, self._gram, self._grams = np.arange(len(position)), self._token, self._tokens
        self._hits: list[Floats] = []

    def hits(self, order: int) -> Floats:
        """Count each left text's n-grams, clipped to their highest count in any of its right texts."""
        while len(self._hits) < order:
            if self._hits:
                self._lengthen()
            self._hits.append(self._count())
        return self._hits[order - 1]

    def _count(self) -> Floats:
        """Count the n-grams of the present order, and keep those that both sides have."""
        split = int(np.searchsorted(self._at, self._left_end))
        ours = np.bincount(self._gram[:split], minlength=self._grams)
        clipped = np.minimum(ours, self._ceiling(split))
        kept = clipped[self._gram] > 0
        self._at, self._gram = self._at[kept], self._gram[kept]
        owner = np.zeros(self._grams, np.int64)
        owner[self._gram] = self._owner[self._at]
        return summed(owner, clipped, self._owners)

    def _ceiling(self, split: int) -> Ints:
        theirs = self._gram[split:]
        if not self._several:
            return np.bincount(theirs, minlength=self._grams)
        number, first = number_keys(self._text[self._at[split:]] * self._grams + theirs)
        ceiling = np.zeros(self._grams, np.int64)
        np.maximum.at(ceiling, theirs[first], np.bincount(number, minlength=len(first)))
        return ceiling

    def _lengthen(self) -> None:
        """Advance to the n-grams of the next order whose first and last parts of the present order are shared."""
        order = len(self._hits)
        shared = np.zeros(len(self._token) + 1, bool)
        shared[self._at] = True
        longer = shared[self._at + 1] & (self._room[self._at] > order)
        self._at, gram = self._at[longer], self._gram[longer]
        self._gram, first = number_keys(gram * self._tokens + self._token[self._at + order])
        self._grams = len(first)
