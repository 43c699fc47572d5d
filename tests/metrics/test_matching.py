"""Greedy matching of token embeddings, worked out by hand on vectors in the plane."""

import numpy as np
import pytest

from qassay.metrics.embedding import matching
from qassay.metrics.embedding.matching import Units, match_pairs
from qassay.models.base import TokenEmbeddings

# Directions with cosines that are easy to check: east, north, and the one between (cosine 0.6 with east, 0.8 with
# north).
EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
UNITS = [np.array(rows, np.float32) for rows in ([EAST, NORTH], [BETWEEN], [EAST, BETWEEN, NORTH])]


def sides(left, right):
    return match_pairs(UNITS, np.array(left, int), np.array(right, int))


def test_weighted_means_of_the_best_similarities():
    """Precision weighs the left tokens' best similarities, recall the right ones'."""
    precision, recall = sides([0], [1])
    weights = [np.array([3.0, 1.0]), np.array([1.0])]

    assert precision.means(weights, np.array([0]), 1.0) == pytest.approx([(3 * 0.6 + 1 * 0.8) / 4])
    assert recall.means(weights, np.array([1]), 1.0) == pytest.approx([0.8])


def test_each_pair_by_itself():
    """Many pairs at once give bit for bit what each gives alone."""
    weights = [np.ones(2), np.ones(1), np.array([0.2, 0.5, 0.3])]
    left, right = [0, 0, 2, 1], [1, 2, 0, 2]

    together = sides(left, right)

    assert together[0].means(weights, np.array(left), 1.0).tolist() == [
        sides([a], [b])[0].means(weights, np.array([a]), 1.0).item() for a, b in zip(left, right, strict=True)
    ]


def test_no_weight_counts_the_inner_tokens_alike():
    """Where all weights are 0, the tokens between the marks at both ends count uniformly."""
    precision, _ = sides([2, 0], [1, 1])
    weights = [np.zeros(3), np.ones(2)]

    assert precision.means(weights, np.array([0, 1]), 1.0) == pytest.approx([1.0, 0.7])


def test_power_on_clipped_similarities():
    """Sharpening raises similarities, clipped to 0 and above, to a power."""
    west = match_pairs([np.array([[-1.0, 0.0]], np.float32), UNITS[0][:1]], np.array([0]), np.array([1]))[0]

    assert west.means([np.ones(1)], np.array([0]), 1.0) == pytest.approx([-1.0])
    assert west.means([np.ones(1)], np.array([0]), 2.0) == pytest.approx([0.0])


def test_no_pairs():
    """Nothing to match gives nothing."""
    assert sides([], [])[0].means([], np.zeros(0, int), 1.0).tolist() == []


def test_long_texts_in_parts():
    """Texts too long for one product give the best similarities of the whole."""
    vectors = np.random.default_rng(0).standard_normal((2, 700, 48)).astype(np.float32)
    units = list(vectors / np.linalg.norm(vectors, axis=2, keepdims=True))

    left, right = match_pairs(units, np.array([0]), np.array([1]))

    whole = units[0] @ units[1].T
    np.testing.assert_allclose(left.similarity, whole.max(axis=1), atol=1e-6)
    np.testing.assert_allclose(right.similarity, whole.max(axis=0), atol=1e-6)


def test_units_do_not_depend_on_what_was_asked_before():
    """Vectors at length 1 are the same in any order, also when more texts are asked for than are kept."""
    vectors = np.random.default_rng(0).standard_normal((100, 3, 4)).astype(np.float32)
    none = np.zeros(0)
    units = Units([TokenEmbeddings(none, none, each, none) for each in vectors])

    found = np.stack([units[row] for row in (*range(100), *range(100))])

    expected = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    np.testing.assert_allclose(found, np.concatenate([expected, expected]), rtol=1e-6)


def _vectors(length):
    found = np.random.default_rng(length).normal(size=(length, 4)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize("lengths", [(20_000, 20_000), (3_000, 200_000), (200_000, 3_000)])
def test_the_work_on_very_long_texts_grows_with_their_length_alone(monkeypatch, lengths):
    """Similarities are counted, not seconds."""
    done = []
    whole = matching._best_of_all
    monkeypatch.setattr(matching, "_best_of_all", lambda a, b: done.append(len(a) * len(b)) or whole(a, b))
    precision, recall = match_pairs([_vectors(length) for length in lengths], np.array([0]), np.array([1]))
    assert sum(done) < 4_000 * sum(lengths)
    assert np.isfinite(precision.similarity).all()
    assert np.isfinite(recall.similarity).all()


def test_very_long_texts_that_are_alike_match_in_windows():
    """A token's double lies at about the same place."""
    text = _vectors(20_000)
    precision, recall = match_pairs([text, np.roll(text, 500, axis=0)], np.array([0]), np.array([1]))
    # The last five hundred moved to the front, out of reach.
    assert np.mean(precision.similarity > 0.99999) > 0.97
    assert np.mean(recall.similarity > 0.99999) > 0.97
