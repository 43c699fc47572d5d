import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from meta.simulated import simulated_panel
from qassay.errors import DataError
from qassay.meta.correlation.levels import Level, ResamplingUnit
from qassay.meta.correlation.significance import (
    Alternative,
    bootstrap_difference,
    bootstrap_p,
    holm,
    monte_carlo_p,
    permutation_p,
    tied_with_best,
    williams,
    williams_difference,
)
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_williams_gives_the_published_worked_number():
    """The example of R's psych::r.test(103, .4, .5, .1), Steiger's case A: t = -0.89, p = 0.37 two-sided."""
    t, p = williams(0.4, 0.5, 0.1, 103)

    assert t == pytest.approx(-0.89, abs=0.005)
    assert 2 * (1 - p) == pytest.approx(0.37, abs=0.006)


def test_williams_reads_the_panel(rng):
    """The test on a panel is the formula on its three Pearson correlations."""
    panel = simulated_panel(rng, noise=(0.5, 1.5))
    a, b, z = panel.scores["a"], panel.scores["b"], panel.judgement

    result = williams_difference(panel, "a", "b")

    r = [float(stats.pearsonr(x, y).statistic) for x, y in ((a, z), (b, z), (a, b))]
    assert result.p == pytest.approx(williams(*r, len(panel))[1])
    assert result.difference == pytest.approx(r[0] - r[1])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"coefficient": Coefficient.KENDALL}, "about Pearson's r"),
        ({"level": Level.INPUT}, "about Pearson's r"),
        ({"level": Level.SYSTEM}, "3 pairs; at least 4"),
    ],
)
def test_williams_says_where_it_does_not_apply(rng, options, reason):
    """A test that does not exist gives no p-value but a reason."""
    result = williams_difference(simulated_panel(rng, systems=3), "a", "b", **options)

    assert result.p is None
    assert reason in result.reason


def test_williams_cannot_tell_a_metric_from_itself():
    """A rescaled metric has the same correlation, and the formula would divide by zero."""
    panel = Panel.build([1, 2, 3, 5], {"a": [1, 2, 2, 4], "b": [2, 4, 4, 8]})

    assert williams_difference(panel, "a", "b").reason == "the two metrics are the same up to scale"


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_the_bootstrap_finds_a_clear_difference(rng, level, coefficient):
    """A metric with little noise beats one with much, at every level."""
    panel = simulated_panel(rng, systems=8, noise=(0.2, 4.0))

    result = bootstrap_difference(
        panel, "a", "b", level=level, coefficient=coefficient, rng=rng, draws=60, unit=ResamplingUnit.INPUTS
    )

    assert result.difference > 0
    assert result.p < 0.05


def test_only_answers_that_both_metrics_scored_are_compared(rng):
    """A difference compares like with like."""
    panel = simulated_panel(rng)
    panel.scores["a"][:20] = np.nan
    panel.scores["b"][10:40] = np.nan

    result = bootstrap_difference(panel, "a", "b", rng=rng, draws=10)

    assert (result.n, result.missing) == (len(panel) - 40, 40)


def test_a_constant_metric_is_not_compared(rng):
    """The reason is the coefficient's own."""
    panel = simulated_panel(rng)
    panel.scores["b"][:] = 1

    result = bootstrap_difference(panel, "a", "b", rng=rng, draws=10)

    assert (result.difference, result.p, result.reason) == (None, None, "all scores are equal")


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        (ResamplingUnit.SYSTEMS, "3 systems; resampling needs at least 5"),
        (ResamplingUnit.INPUTS, "4 questions; resampling needs at least 5"),
        (ResamplingUnit.BOTH, "3 systems; resampling needs at least 5"),
    ],
)
def test_a_handful_of_units_tells_nothing_by_resampling(rng, unit, reason):
    """One system drawn again is always the same: a difference that never changes would pass for a sure one."""
    panel = simulated_panel(rng, systems=3, questions=4)

    result = bootstrap_difference(panel, "a", "b", rng=rng, draws=50, unit=unit)

    assert result.difference is not None
    assert (result.p, result.reason) == (None, reason)


def test_monte_carlo_p_is_never_zero():
    """(hits + 1) / (n + 1)."""
    assert monte_carlo_p(0, 999) == 0.001


@pytest.mark.parametrize(
    ("alternative", "wanted"),
    # Of 9 differences one is below 0 and one is 0, which is half a hit: (1.5 + 1) / (9 + 1); two-sided twice that.
    [(Alternative.GREATER, 0.25), (Alternative.TWO_SIDED, 0.5)],
)
def test_bootstrap_p_counts_the_wrong_side_of_zero(alternative, wanted):
    """A resample in which the first is worse speaks against it, and one without a difference half as much."""
    assert bootstrap_p(np.array([-1.0, 0, 2, 3, 4, 5, 6, 7, 8]), alternative) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("alternative", "wanted"),
    # Of [-3, -1, 0, 2] one is 2, a tie, and one is larger in size.
    [(Alternative.GREATER, 2 / 5), (Alternative.TWO_SIDED, 3 / 5)],
)
def test_permutation_p_counts_differences_as_large(alternative, wanted):
    """The observed value itself is a tie despite rounding."""
    differences = np.array([-3.0, -1.0, 0.0, 2.0 - 1e-15])

    assert permutation_p(differences, 2.0, alternative, tie=1) == pytest.approx(wanted)


def test_holm_gives_the_textbook_steps():
    """Sorted p-values times 4, 3, 2, 1, never falling (Holm 1979)."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_leaves_undefined_values_out():
    """An undefined p is not one of the comparisons."""
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_no_correction_and_bonferroni(p_values):
    """Corrected values are at least the raw ones and at most m times them."""
    corrected = np.array(holm(p_values))

    assert (corrected >= np.array(p_values) - 1e-15).all()
    assert (corrected <= np.minimum(1, np.array(p_values) * len(p_values)) + 1e-15).all()


def test_ties_with_the_best_are_marked():
    """The best and what it does not beat for sure; never an undefined value; of what was not tested nothing is said."""
    marks = tied_with_best([0.9, 0.8, 0.5, None, 0.7], [None, 0.2, 0.01, None, None])

    assert marks == [True, True, False, False, None]


def test_nothing_is_tied_where_nothing_was_tested():
    """Of the best nothing is known either."""
    assert tied_with_best([0.9, 0.2], [None, None]) == [None, None]


@pytest.mark.parametrize(("values", "p_values"), [([0.9], [None]), ([0.9, 0.2], [None, 0.001])])
def test_a_sole_best_value_is_not_tied(values, p_values):
    """There is nothing that it would be tied with."""
    assert not any(tied_with_best(values, p_values))


def test_equal_best_values_are_tied_with_each_other():
    """Neither beats the other, tested or not."""
    assert tied_with_best([0.9, 0.9, 0.1], [None, None, 0.001]) == [True, True, False]


def test_values_and_p_values_go_together():
    """A wrong length is a mistake of the caller."""
    with pytest.raises(DataError, match="2 values and 1 p-values"):
        tied_with_best([1, 2], [None])
