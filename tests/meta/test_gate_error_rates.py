"""The gate's error rates, by simulation (benchmarks/gate_simulation.py has more of it)."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from qassay.meta.comparison.gate import one_sided
from qassay.metrics.base import mean

REPEATS = 300


def failures(rng, *, questions, loss=0.0, margin=0.0, samples=1):
    """Return how often the gate fails for two systems of which the new one loses `loss` of accuracy."""
    failed = 0
    for _ in range(REPEATS):
        hard = rng.beta(2, 1, questions)
        old, new = (rng.random(questions) < np.clip(hard - lost, 0, 1) for lost in (0.0, loss))
        baseline, later = (
            np.stack([np.repeat(right, samples), np.ones(questions * samples)], axis=1).astype(float)
            for right in (old, new)
        )
        clusters = np.repeat(np.arange(questions), samples) if samples > 1 else None
        _, p, _ = one_sided(
            baseline, later, mean, "worse", margin, rng=np.random.default_rng(0), draws=400, clusters=clusters
        )
        failed += p <= 0.05
    return failed / REPEATS


@pytest.mark.parametrize("questions", [20, 100])
@pytest.mark.parametrize("samples", [1, 5])
def test_systems_without_a_difference_fail_in_at_most_one_of_twenty(questions, samples):
    """Few questions, and copies of the same answers, raise no false alarms; three standard errors are allowed."""
    rate = failures(np.random.default_rng(7), questions=questions, samples=samples)
    assert rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / REPEATS)


def test_a_much_worse_system_is_caught():
    """A loss of 20 points on 200 questions fails nearly always, also beyond a margin."""
    assert failures(np.random.default_rng(7), questions=200, loss=0.2) > 0.95
    assert failures(np.random.default_rng(7), questions=200, loss=0.2, margin=0.05) > 0.8


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark's own functions."""
    path = Path(__file__).parents[2] / "benchmarks" / "gate_simulation.py"
    spec = importlib.util.spec_from_file_location("gate_simulation", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_llm_that_was_asked_in_doubt_raises_no_false_alarms(benchmark):
    """Where the cheap judge favours one system, correction keeps what the mean of both judges' scores loses."""
    rng = np.random.default_rng(11)
    failed, held = benchmark.in_doubt(rng, 200, questions=300, draws=300)
    assert failed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
    assert held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)
    failed, held = benchmark.in_doubt(rng, 100, questions=300, corrected=False, draws=300)
    assert failed > 0.15
    assert held < 0.9
