"""Keyphrase weights carried from word pieces to a metric's tokens, many answers at once."""

import numpy as np
import pytest

from qassay.features.pair_weights import PairWeights, project_weights
from qassay.models.base import TokenWeights


def weighed(rows, pairs):
    weights = [TokenWeights(np.array(spans).reshape(-1, 2), np.array(values)) for spans, values in pairs]
    return PairWeights(np.array(rows), np.arange(len(rows)), np.arange(len(rows)), weights)


def test_each_text_keeps_its_own_weights():
    """Texts do not touch each other, whatever their lengths, and one text may be asked about twice."""
    given = weighed([1, 0, 1], [([[0, 2], [3, 5]], [0.9, 0.1]), ([[0, 4]], [1.0]), ([[0, 2], [3, 5]], [0.2, 0.8])])
    tokens = [np.array([[0, 4], [4, 9]]), np.array([[0, 2], [3, 5]])]

    found = project_weights(given, tokens)

    assert found.tolist() == [0.9, 0.1, 1.0, 0.0, 0.2, 0.8]


def test_text_without_tokens():
    """A text without tokens has no weights, and those after it keep theirs."""
    given = weighed([0, 1], [([], []), ([[0, 3]], [0.5])])

    found = project_weights(given, [np.zeros((0, 2), np.int64), np.array([[0, 3]])])

    assert found == pytest.approx([0.5])


def test_no_answers():
    """Nothing asked, nothing weighed."""
    assert project_weights(weighed([], []), []).tolist() == []
