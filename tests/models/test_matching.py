"""Highest similarities of tokens, over arrays: each pair by itself, long texts in parts, very long ones in windows."""

import numpy as np
import pytest

from qassay.models import matching
from qassay.models.matching import Units, best_similarities


def _vectors(length):
    found = np.random.default_rng(length).normal(size=(length, 4)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_long_texts_in_parts():
    """Texts too long for one product give the best similarities of the whole."""
    vectors = np.random.default_rng(0).standard_normal((2, 700, 48)).astype(np.float32)
    units = list(vectors / np.linalg.norm(vectors, axis=2, keepdims=True))

    left, right = best_similarities(units, np.array([0]), np.array([1]))

    whole = units[0] @ units[1].T
    np.testing.assert_allclose(left, whole.max(axis=1), atol=1e-6)
    np.testing.assert_allclose(right, whole.max(axis=0), atol=1e-6)


def test_units_do_not_depend_on_what_was_asked_before():
    """Vectors at length 1 are the same in any order, also when more texts are asked for than are kept."""
    vectors = np.random.default_rng(0).standard_normal((100, 3, 4)).astype(np.float32)
    units = Units(list(vectors))

    found = np.stack([units[row] for row in (*range(100), *range(100))])

    expected = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    np.testing.assert_allclose(found, np.concatenate([expected, expected]), rtol=1e-6)


@pytest.mark.parametrize("lengths", [(20_000, 20_000), (3_000, 200_000), (200_000, 3_000)])
def test_the_work_on_very_long_texts_grows_with_their_length_alone(monkeypatch, lengths):
    """Similarities are counted, not seconds."""
    done = []
    whole = matching._best_of_all
    monkeypatch.setattr(matching, "_best_of_all", lambda a, b: done.append(len(a) * len(b)) or whole(a, b))
    precision, recall = best_similarities([_vectors(length) for length in lengths], np.array([0]), np.array([1]))
    assert sum(done) < 4_000 * sum(lengths)
    assert np.isfinite(precision).all()
    assert np.isfinite(recall).all()


def test_very_long_texts_that_are_alike_match_in_windows():
    """A token's double lies at about the same place."""
    text = _vectors(20_000)
    precision, recall = best_similarities([text, np.roll(text, 500, axis=0)], np.array([0]), np.array([1]))
    # The last five hundred moved to the front, out of reach.
    assert np.mean(precision > 0.99999) > 0.97
    assert np.mean(recall > 0.99999) > 0.97
