import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from qassay.meta.statistics import concordance
from qassay.meta.statistics.concordance import Concordance, Untied, columns_of


def ranks(values):
    return np.unique(values, return_inverse=True)[1]


def counted(x, y, weights):
    rows, columns = np.arange(len(x)), columns_of(weights)
    return Concordance(ranks(x), ranks(y), rows)(columns), *(Untied(ranks(side), rows)(columns) for side in (x, y))


def tau(x, y, weights):
    concordant, untied_x, untied_y = counted(x, y, weights)
    return concordant / np.sqrt(untied_x * untied_y)


def resamples(rng, rows, draws=3):
    return np.stack([np.bincount(rng.integers(0, rows, rows), minlength=rows) for _ in range(draws)])


def by_scipy(x, y, weights):
    return [stats.kendalltau(np.repeat(x, row), np.repeat(y, row)).statistic for row in weights]


@pytest.mark.parametrize("decimals_x", [0, 1, 2, 12])
@pytest.mark.parametrize("decimals_y", [0, 1, 12])
@pytest.mark.parametrize("rows", [65, 400, 5000])
def test_resamples_have_the_coefficient_of_the_repeated_rows(decimals_x, decimals_y, rows):
    """In a draw a row that comes twice is tied with itself, as scipy has it for the rows written out."""
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows)
    y = (x + rng.normal(size=rows)).round(decimals_y)
    x = x.round(decimals_x)
    weights = resamples(rng, rows)

    np.testing.assert_allclose(tau(x, y, weights), by_scipy(x, y, weights), rtol=0, atol=1e-12)


def test_a_value_that_most_rows_share_stands_beside_many_rare_ones():
    """Scores of a metric that is mostly 0: one very large group among thousands of single rows, on both sides."""
    rng = np.random.default_rng(1)
    x = np.maximum(0, rng.normal(size=6000)) * (rng.random(6000) < 0.4)
    y = np.maximum(0, x + rng.normal(size=6000))
    weights = resamples(rng, 6000)

    np.testing.assert_allclose(tau(x, y, weights), by_scipy(x, y, weights), rtol=0, atol=1e-12)


@pytest.mark.parametrize("together", [1, 5000, 40_000])
def test_a_group_of_equal_values_may_reach_over_several_steps(monkeypatch, together):
    """However few lines are worked on at a time, rows with one score are not compared with each other."""
    monkeypatch.setattr(concordance, "_TOGETHER", together)
    rng = np.random.default_rng(4)
    x = np.maximum(0, rng.normal(size=900))
    y = np.maximum(0, x + rng.normal(size=900)).round(2)
    weights = resamples(rng, 900)

    np.testing.assert_allclose(tau(x, y, weights), by_scipy(x, y, weights), rtol=0, atol=1e-12)


def test_more_draws_than_one_product_takes_come_in_their_order():
    """Draws are counted some at a time and put together again."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 3000))
    weights = resamples(rng, 3000, draws=300)

    together = tau(x, y, weights)

    np.testing.assert_allclose(together[[0, 150, 299]], by_scipy(x, y, weights[[0, 150, 299]]), rtol=0, atol=1e-12)


def test_counts_beyond_single_precision_stay_exact():
    """Rows drawn a thousand times each have more pairs than single precision can count."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=500)
    y = x + rng.normal(size=500)
    weights = rng.integers(900, 1100, (2, 500))

    concordant, untied_x, _ = counted(x, y, weights)

    signs = np.sign(x - x[:, None]) * np.sign(y - y[:, None])
    assert concordant.tolist() == [int((row @ signs.astype(int)) @ row) // 2 for row in weights]
    assert untied_x.tolist() == [(int(row.sum()) ** 2 - int((row**2).sum())) // 2 for row in weights]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(65, 300), st.integers(2, 300), st.integers(2, 300))
def test_any_mixture_of_ties_is_counted_as_pair_by_pair(seed, rows, values_x, values_y):
    """Whatever the numbers of rows and of different values, the counts are those of comparing all pairs."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values_x, rows), rng.integers(0, values_y, rows)
    weights = rng.integers(0, 4, (2, rows))

    found = counted(x, y, weights)

    sign_x, sign_y = np.sign(x - x[:, None]), np.sign(y - y[:, None])
    tables = sign_x * sign_y, np.abs(sign_x), np.abs(sign_y)
    wanted = [[int(row @ table @ row) / 2 for row in weights] for table in tables]
    assert [each.tolist() for each in found] == wanted
