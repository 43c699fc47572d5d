import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from qassay.meta.statistics.weighted import Coefficient, JudgedRows, dense

SCIPY = {
    Coefficient.PEARSON: stats.pearsonr,
    Coefficient.SPEARMAN: stats.spearmanr,
    Coefficient.KENDALL: stats.kendalltau,
}


def drawn(rng, rows, draws=4):
    return np.stack([np.bincount(rng.integers(0, rows, rows), minlength=rows) for _ in range(draws)])


def expected(coefficient, x, y, weights):
    copies = [np.repeat(np.arange(len(x)), row) for row in weights]
    return [SCIPY[coefficient](x[rows], y[rows]).statistic for rows in copies]


@pytest.mark.parametrize("coefficient", list(Coefficient))
@pytest.mark.parametrize("decimals", [0, 1, 12])
@pytest.mark.parametrize("rows", [12, 65, 128, 129, 1000])
def test_a_weighted_coefficient_is_that_of_the_repeated_rows(coefficient, decimals, rows):
    """Resampling by counts gives what scipy gives for the resampled rows, with few ties, many and none."""
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows).round(decimals)
    y = (x + rng.normal(size=rows)).round(decimals)
    weights = drawn(rng, rows)

    values = JudgedRows(y).against(coefficient, x)(weights)

    np.testing.assert_allclose(values, expected(coefficient, x, y, weights), atol=1e-9)


@pytest.mark.parametrize("coefficient", list(Coefficient))
@pytest.mark.parametrize("rows", [20, 200])
def test_rows_that_are_left_out_do_not_count(coefficient, rows):
    """Weights of rows without a value change nothing."""
    rng = np.random.default_rng(1)
    kept = np.sort(rng.permutation(rows)[: rows * 3 // 4])
    x, y = rng.normal(size=rows).round(1), rng.normal(size=rows).round(1)
    weights = drawn(rng, rows)

    values = JudgedRows(y[kept], kept, rows).against(coefficient, x[kept])(weights)

    np.testing.assert_allclose(values, expected(coefficient, x[kept], y[kept], weights[:, kept]), atol=1e-9)


@pytest.mark.parametrize("coefficient", list(Coefficient))
@pytest.mark.parametrize("rows", [10, 100])
def test_a_resample_without_variation_is_undefined(coefficient, rows):
    """A draw that repeats one row has no coefficient: NaN, not a division by rounding noise."""
    rng = np.random.default_rng(2)
    weights = np.zeros((2, rows), dtype=np.int64)
    weights[0, 3] = rows
    weights[1] = 1

    values = JudgedRows(rng.normal(size=rows) + 0.1).against(coefficient, rng.normal(size=rows) / 3)(weights)

    assert np.isnan(values).tolist() == [True, False]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3)), min_size=66, max_size=90),
    st.sampled_from(list(Coefficient)),
)
def test_sorted_and_dense_arithmetic_agree(rows, coefficient):
    """The kernel for many rows and the one that compares all pairs give the same number."""
    x, y, weights = (np.array(column) for column in zip(*rows, strict=True))
    x, y = x.astype(float), y.astype(float)

    by_sorting = JudgedRows(y).against(coefficient, x)(weights[None])
    by_pairs = dense(coefficient, x, y, weights[None])

    np.testing.assert_allclose(by_sorting, by_pairs, atol=1e-9)


@pytest.mark.parametrize("coefficient", list(Coefficient))
@pytest.mark.parametrize("decimals", [1, 12])
def test_millions_of_rows_in_a_draw_are_counted_exactly(coefficient, decimals):
    """Sums beyond 64-bit and single-precision whole numbers agree with comparing all pairs in double precision."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 70)).round(decimals)
    weights = rng.integers(50_000, 100_000, (2, 70))

    values = JudgedRows(y).against(coefficient, x)(weights)

    np.testing.assert_allclose(values, dense(coefficient, x, y, weights), rtol=0, atol=1e-12)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_metrics_on_the_same_rows_keep_their_own_values(coefficient):
    """What metrics share of a draw is found once, in whatever order and however often they are asked."""
    rng = np.random.default_rng(5)
    x, z, y = rng.normal(size=(3, 100)).round(1)
    first, second = drawn(rng, 100), drawn(rng, 100)
    judged = JudgedRows(y)
    of_x, of_z = judged.against(coefficient, x), judged.against(coefficient, z)

    values = of_x(first), of_z(first), of_z(second), of_x(second)

    wanted = [expected(coefficient, a, y, b) for a, b in ((x, first), (z, first), (z, second), (x, second))]
    np.testing.assert_allclose(values, wanted, atol=1e-9)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_groups_are_correlated_side_by_side(coefficient):
    """Several small groups, each with its own rows and weights, go through one call."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(5, 8)), rng.normal(size=(5, 8))
    weights = rng.integers(1, 3, (5, 2, 8))

    values = dense(coefficient, x, y, weights)

    wanted = [expected(coefficient, *group) for group in zip(x, y, weights, strict=True)]
    np.testing.assert_allclose(values, wanted, atol=1e-9)
