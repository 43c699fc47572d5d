"""Greedy matching of token embeddings, worked out by hand on vectors in the plane."""

import numpy as np
import pytest

from qassay.metrics.embedding.matching import match_units

# Directions with cosines that are easy to check: east, north, and the one between (cosine 0.6 with east, 0.8 with
# north).
EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
UNITS = [np.array(rows, np.float32) for rows in ([EAST, NORTH], [BETWEEN], [EAST, BETWEEN, NORTH])]


def sides(left, right):
    return match_units(UNITS, np.array(left, int), np.array(right, int))


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
    west = match_units([np.array([[-1.0, 0.0]], np.float32), UNITS[0][:1]], np.array([0]), np.array([1]))[0]

    assert west.means([np.ones(1)], np.array([0]), 1.0) == pytest.approx([-1.0])
    assert west.means([np.ones(1)], np.array([0]), 2.0) == pytest.approx([0.0])


def test_no_pairs():
    """Nothing to match gives nothing."""
    assert sides([], [])[0].means([], np.zeros(0, int), 1.0).tolist() == []
