import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qassay.meta.correlation.resampling import fisher_limits, percentile_limits

SHARES = st.floats(-1, 1)
DRAWN = st.lists(SHARES, min_size=2, max_size=30).map(np.array)


@given(SHARES, DRAWN)
def test_limits_on_the_scale_of_z_hold_the_value(value, drawn):
    """Whatever the draws are, perfect ones among them, and whatever the value is."""
    low, high = fisher_limits(value, drawn, 30, 0.95)
    assert -1 <= low <= value <= high <= 1


@given(SHARES, DRAWN)
def test_percentile_limits_hold_the_value(value, drawn):
    """Draws that all lie on one side of the value do not leave it outside."""
    low, high = percentile_limits(value, drawn, 0.95)
    assert low <= value <= high


def test_without_perfect_draws_the_spread_is_that_of_z():
    """The formula written out with numpy."""
    drawn = np.random.default_rng(0).uniform(0.2, 0.8, 500)
    reach = np.arctanh(drawn).std(ddof=1) * stats.t.ppf(0.975, 28)
    wanted = np.tanh(np.arctanh(0.5) + np.array([-reach, reach]))
    assert fisher_limits(0.5, drawn, 30, 0.95) == pytest.approx(tuple(wanted))


def test_one_perfect_draw_of_a_thousand_hardly_moves_the_limits():
    """Its z is infinite, and so no limit may rest on it."""
    drawn = np.random.default_rng(0).normal(0.9, 0.03, 999).clip(0.7, 0.99)
    without = fisher_limits(0.9, drawn, 100, 0.95)
    beside = fisher_limits(0.9, np.append(drawn, 1.0), 100, 0.95)
    assert beside == pytest.approx(without, abs=0.02)
