"""Shared n-grams are those of two counters' intersection."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qassay.metrics.lexical.ngram_overlap import SharedGrams
from qassay.text.tokenisers.tokenise import tokeniser
from qassay.text.tokenisers.tokens import Tokens

words = st.sampled_from(["a", "b", "c"])
texts = st.lists(st.lists(words, max_size=9), min_size=1, max_size=5)


@st.composite
def owned_texts(draw):
    """Draw left texts, right texts, and an owner for each right text, in order."""
    left, right = draw(texts), draw(texts)
    owner = sorted(draw(st.lists(st.integers(0, len(left) - 1), min_size=len(right), max_size=len(right))))
    return left, right, owner


def grams(tokens, n):
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def clipped(left, right, owner, n):
    ceilings = [Counter() for _ in left]
    for i, tokens in zip(owner, right, strict=True):
        ceilings[i] |= grams(tokens, n)
    return [(grams(tokens, n) & ceiling).total() for tokens, ceiling in zip(left, ceilings, strict=True)]


def shared(left, right, owner):
    tokens = Tokens.cut([" ".join(row) for row in [*left, *right]], tokeniser("word"))
    everywhere = np.arange(len(tokens))
    return SharedGrams(tokens, everywhere[: len(left)], everywhere[len(left) :], np.array(owner))


@given(owned_texts(), st.integers(1, 6))
def test_hits(drawn, order):
    """Hits of any order are clipped to the highest count in any right text of the same owner."""
    assert shared(*drawn).hits(order).tolist() == clipped(*drawn, order)


@given(owned_texts())
def test_orders_in_any_sequence(drawn):
    """Orders may be asked for in any sequence, and again."""
    found = shared(*drawn)
    assert [found.hits(n).tolist() for n in (3, 1, 4, 3)] == [clipped(*drawn, n) for n in (3, 1, 4, 3)]


def test_texts_used_more_than_once():
    """The same text may be on both sides, and on one side several times."""
    tokens = Tokens.cut(["a b", "b a"], tokeniser("word"))
    found = SharedGrams(tokens, np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 1, 2]))
    assert (found.hits(1).tolist(), found.hits(2).tolist()) == ([2, 2, 2], [1, 0, 1])


def test_owner_without_texts():
    """A left text without right texts shares nothing."""
    tokens = Tokens.cut(["a b"], tokeniser("word"))
    none = np.zeros(0, np.int64)
    assert SharedGrams(tokens, np.array([0]), none, none).hits(2).tolist() == [0]
