"""The tests are tested: on metrics with no true difference they reject as rarely as they promise.

Small and with fixed seeds; `benchmarks/meta_evaluation.py` does the same at a size that pins the rates down to
3-7 % and 93-97 %. The bounds here are four standard errors of a rate around 5 % (or 95 %).
"""

import numpy as np
import pytest

from meta.simulated import simulated_panel
from qassay.meta.comparison.paired_test import compare_means
from qassay.meta.correlation.correlate import correlate
from qassay.meta.correlation.levels import Level, ResamplingUnit
from qassay.meta.correlation.metric_comparison import metric_difference
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient

RUNS = 600
MARGIN = 4 * np.sqrt(0.05 * 0.95 / RUNS)


def share_below(p_values, level=0.05):
    return np.mean(np.array(p_values) < level)


@pytest.mark.parametrize("test", list(DifferenceTest))
def test_metrics_of_equal_worth_are_rarely_told_apart(test):
    """Two metrics with independent noise of the same size differ by chance only."""
    rng = np.random.default_rng(20)
    p_values = [
        metric_difference(
            simulated_panel(rng, systems=5, questions=40),
            "a",
            "b",
            test=test,
            level=Level.ANSWER,
            coefficient=Coefficient.PEARSON,
            rng=rng,
            draws=199,
        ).p
        for _ in range(RUNS)
    ]

    assert share_below(p_values) < 0.05 + MARGIN
    assert share_below(p_values, 0.5) == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / RUNS))


def test_systems_of_equal_worth_are_rarely_told_apart():
    """Both tests of two systems' means keep their promise."""
    rng = np.random.default_rng(21)
    results = [compare_means(rng.random(100), rng.random(100), rng=rng, draws=199) for _ in range(RUNS)]

    assert share_below([result.p_permutation for result in results]) < 0.05 + MARGIN
    assert share_below([result.p_bootstrap for result in results]) < 0.05 + MARGIN


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_intervals_hold_the_truth_as_often_as_they_promise(coefficient):
    """Scores and judgements with correlation 1/√2: known for Pearson, and for ranks by their formulas for normals."""
    rng = np.random.default_rng(22)
    rho = 1 / np.sqrt(2)
    # Spearman: 6/π·arcsin(r/2); Kendall: 2/π·arcsin(r) (Kendall 1949, for the bivariate normal).
    truth = {
        Coefficient.PEARSON: rho,
        Coefficient.SPEARMAN: 6 / np.pi * np.arcsin(rho / 2),
        Coefficient.KENDALL: 2 / np.pi * np.arcsin(rho),
    }[coefficient]
    held = []
    for _ in range(RUNS):
        judgement = rng.normal(size=80)
        panel = Panel.build(judgement, {"m": judgement + rng.normal(size=80)})
        found = correlate(panel, Level.ANSWER, [coefficient], draws=199, rng=rng, unit=ResamplingUnit.ANSWERS)[
            0
        ].interval
        held.append(found.low <= truth <= found.high)

    assert np.mean(held) > 0.95 - MARGIN
