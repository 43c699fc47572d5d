import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qassay.errors import DataError
from qassay.scoring.aggregates.intervals import around, quantile, wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(counts):
    """The score interval of a binomial share, for all shares from 0 to 1."""
    right, n = counts
    expected = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
    assert wilson(right / n, n, quantile(0.95)) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_an_endless_sample_leaves_no_doubt():
    """When everything is known both limits are the share."""
    assert wilson(0.3, np.inf, 1.96) == (0.3, 0.3)


def test_a_variance_stands_for_the_size_that_has_it():
    """0.2 · 0.8 / 0.0016 = 100 answers."""
    assert around(0.2, 0.0016, 1.96, otherwise=7) == pytest.approx(wilson(0.2, 100, 1.96))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_without_variance_takes_the_stated_size(share):
    """All right or all wrong has no spread of its own, and still has an interval."""
    low, high = around(share, 0.0, 1.96, otherwise=50)
    assert (low, high) == pytest.approx(wilson(share, 50, 1.96))
    assert high - low > 0.05


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, float("nan")])
def test_a_confidence_that_is_no_probability_is_refused(confidence):
    """95 is the usual slip."""
    with pytest.raises(DataError, match="between 0 and 1"):
        quantile(confidence)
