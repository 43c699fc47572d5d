"""Of all longest common subsequences the heaviest, against brute force."""

from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.metrics.lexical import heaviest_subsequence as module
from qassay.metrics.lexical.heaviest_subsequence import heaviest_subsequence
from qassay.text.tokenisers.tokens import Tokens

texts = st.lists(st.sampled_from("abc"), max_size=6)
ONE, TWO = np.array([0]), np.array([1])


def alignments(left, right):
    """List every longest common subsequence as the positions it takes on both sides, by brute force."""
    for size in range(min(len(left), len(right)), -1, -1):
        found = [
            (ours, theirs)
            for ours in combinations(range(len(left)), size)
            for theirs in combinations(range(len(right)), size)
            if [left[i] for i in ours] == [right[j] for j in theirs]
        ]
        if found:
            return found
    return []


def shares(left, right, weights):
    """Return precision and recall of every longest common subsequence."""
    ours, theirs = weights[: len(left)], weights[len(left) :]
    return [
        (ours[list(mine)].sum() / (ours.sum() or 1), theirs[list(other)].sum() / (theirs.sum() or 1))
        for mine, other in alignments(left, right)
    ]


@given(texts, texts, st.randoms(use_true_random=False))
def test_heaviest_of_the_longest(left, right, random):
    """The one that is found has the highest sum of precision and recall."""
    tokens = Tokens.number([left, right])
    weights = np.array([random.random() for _ in tokens.ids])

    ours, theirs = heaviest_subsequence(tokens, ONE, TWO, weights)

    found = ours[0] / (weights[: len(left)].sum() or 1) + theirs[0] / (weights[len(left) :].sum() or 1)
    assert found == pytest.approx(max(map(sum, shares(left, right, weights))))


@given(texts, texts, st.randoms(use_true_random=False))
def test_some_longest_of_huge_texts(left, right, random):
    """Texts too long for the table get the weights of one longest common subsequence."""
    tokens = Tokens.number([left, right])
    weights = np.array([random.random() for _ in tokens.ids])

    with mock.patch.object(module, "LARGEST_TABLE", 0):
        ours, theirs = heaviest_subsequence(tokens, ONE, TWO, weights)

    found = (ours[0] / (weights[: len(left)].sum() or 1), theirs[0] / (weights[len(left) :].sum() or 1))
    assert any(found == pytest.approx(pair) for pair in shares(left, right, weights))


@given(st.lists(texts, min_size=2, max_size=9), st.integers(1, 200))
def test_pairs_do_not_touch_each_other(several, room):
    """Filled in tables of whatever size, every pair gets what it gets alone."""
    tokens = Tokens.number(several)
    weights = np.random.default_rng(0).random(len(tokens.ids))
    left, right = (side.ravel() for side in np.meshgrid(np.arange(len(several)), np.arange(len(several))))

    with mock.patch.object(module, "_TABLE", room):
        together = heaviest_subsequence(tokens, left, right, weights)

    alone = [heaviest_subsequence(tokens, left[[i]], right[[i]], weights) for i in range(len(left))]
    assert [side.tolist() for side in together] == [[pair[side][0] for pair in alone] for side in (0, 1)]


def test_identical_texts():
    """All of an identical text is common, to the last bit."""
    tokens = Tokens.number([list("abcab"), list("abcab")])
    weights = np.tile(np.array([0.1, 0.7, 0.3, 0.2, 1e-9]), 2)

    ours, _ = heaviest_subsequence(tokens, ONE, TWO, weights)

    assert ours[0] == np.bincount(tokens.text_of, weights)[0]
