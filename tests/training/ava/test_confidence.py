"""How sure a trained design may be."""

import numpy as np
import pytest

from qassay.training.ava.confidence import fitted_scale, logits_of

RNG = np.random.default_rng(0)


def drawn(n: int, factor: float):
    """Logits that are too sure by a factor, with labels drawn from the true probabilities."""
    true = RNG.normal(size=n) * 2
    return true / factor, (RNG.random(n) < 1 / (1 + np.exp(-true))).astype(np.float32)


@pytest.mark.parametrize("factor", [0.3, 0.6, 0.95])
def test_logits_that_are_too_sure_are_made_smaller(factor: float):
    """The factor by which they were stretched is found."""
    logits, label = drawn(20_000, factor)

    assert fitted_scale(logits, label, np.repeat("a", len(label))) == pytest.approx(factor, abs=0.03)


def test_every_source_counts_alike():
    """A source of a few rows weighs as much as one of many."""
    sure, unsure = drawn(2_000, 1.0), drawn(2_000, 0.2)
    logits, label = (np.concatenate([np.tile(many, 10), few]) for many, few in zip(sure, unsure, strict=True))
    source = np.repeat(["many", "few"], [20_000, 2_000])

    assert fitted_scale(logits, label, source) < fitted_scale(logits, label, np.repeat("one", 22_000)) - 0.05


def test_no_design_is_made_surer():
    """Rows that are all called rightly leave the logits as they are."""
    assert fitted_scale(np.array([0.1, -0.1]), np.array([1, 0], np.float32), np.array(["a", "a"])) == 1


def test_certain_probabilities_have_finite_logits():
    """0 and 1 are taken for nearly 0 and 1, and others keep their logits."""
    found = logits_of(np.array([0.0, 0.5, 1.0]))

    assert np.isfinite(found).all()
    assert found[1] == 0
