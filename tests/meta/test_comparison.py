import numpy as np
import pytest
from scipy import stats

from qassay.errors import DataError
from qassay.meta.comparison.paired_test import compare_means, compare_systems
from qassay.meta.correlation.significance import Alternative


@pytest.fixture
def rng():
    return np.random.default_rng(9)


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def test_wins_ties_and_losses_are_counted(rng):
    """A question is won where the first system scores higher; questions without both scores are left out."""
    result = compare_means(np.array([1, 0, 1, 1, np.nan]), np.array([0, 1, 1, 0, 1.0]), rng=rng, draws=20)

    assert (result.wins, result.ties, result.losses, result.n, result.missing) == (2, 1, 1, 4, 1)
    assert (result.a, result.b, result.difference) == (0.75, 0.5, 0.25)


def test_pooled_scores_come_from_sums(rng):
    """The score of a system is the score of its summed statistics, as of BLEU."""
    a = np.array([[1.0, 4.0], [1.0, 1.0]])
    b = np.array([[1.0, 2.0], [0.0, 1.0]])

    result = compare_systems(a, b, ratio, rng=rng, draws=20)

    assert result.a == pytest.approx(2 / 5)
    assert result.b == pytest.approx(1 / 3)


@pytest.mark.parametrize("alternative", list(Alternative))
def test_the_permutation_test_matches_scipys_exact_one(rng, alternative):
    """With few questions scipy enumerates all swaps; ours comes within Monte-Carlo error."""
    a, b = rng.normal(0.4, 1, 11), rng.normal(0, 1, 11)

    result = compare_means(a, b, rng=rng, draws=20_000, alternative=alternative)

    exact = stats.permutation_test(
        (a, b),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        alternative=str(alternative),
        n_resamples=np.inf,
        vectorized=True,
    ).pvalue
    assert result.p_permutation == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(("alternative", "sides"), [(Alternative.GREATER, 1), (Alternative.TWO_SIDED, 2)])
def test_right_or_wrong_decisions_give_mcnemars_exact_test(rng, alternative, sides):
    """With 14 questions that only one gets right and 6 that only the other does, the count is binomial."""
    a, b = np.repeat([1.0, 0.0, 1.0], [14, 6, 30]), np.repeat([0.0, 1.0, 1.0], [14, 6, 30])

    result = compare_means(a, b, rng=rng, draws=40_000, alternative=alternative)

    coin = stats.binom(20, 0.5)
    assert result.p_permutation == pytest.approx(sides * coin.sf(13), abs=0.006)


def test_four_questions_are_swapped_but_give_no_bootstrap_test(rng):
    """All four won is so in every resample, which would pass for sure; swapping gives 1 in 16, twice."""
    result = compare_means(np.ones(4), np.zeros(4), rng=rng, draws=4000, alternative=Alternative.TWO_SIDED)

    assert (result.low, result.high, result.p_bootstrap) == (1.0, 1.0, None)
    assert result.reason == "no bootstrap test: 4 questions; resampling needs at least 5"
    assert result.p_permutation == pytest.approx(1 / 8, abs=0.015)


def test_the_interval_of_a_mean_difference_is_the_usual_one(rng):
    """For many questions the percentile interval is the normal one."""
    a, b = rng.normal(0.1, 1, 2000), rng.normal(0, 1, 2000)

    result = compare_means(a, b, rng=rng, draws=4000)

    half = 1.96 * (a - b).std() / np.sqrt(2000)
    assert result.low == pytest.approx(result.difference - half, abs=0.1 * half)
    assert result.high == pytest.approx(result.difference + half, abs=0.1 * half)


def test_seed_003s_table_1_is_tested_one_sided(rng):
    """200 decisions of which one judge gets 88 % right and the other 79.5 % differ for sure."""
    better = np.repeat([1.0, 0.0], [176, 24])
    worse = np.repeat([1.0, 0.0], [159, 41])

    result = compare_means(better, worse, rng=rng, draws=2000)

    assert result.p_permutation < 0.05


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [([np.nan], [1.0], "no question has a score of both"), ([1.0], [0.0], "one question; at least two are needed")],
)
def test_too_little_to_compare_says_why(rng, a, b, reason):
    """There is no test on nothing, nor on one question."""
    result = compare_means(np.array(a), np.array(b), rng=rng)

    assert result.p_permutation is None
    assert reason in result.reason


def test_systems_must_have_the_same_questions(rng):
    """Statistics of unequal shape cannot be paired."""
    with pytest.raises(DataError, match="one row for the same question"):
        compare_systems(np.ones((3, 2)), np.ones((2, 2)), ratio, rng=rng)


def test_what_differs_by_rounding_alone_is_no_difference(rng):
    """Questions that are all tied leave no doubt, whatever their sums come to."""
    scores = rng.random(40)

    result = compare_means(scores, scores * (1 + 1e-15), rng=rng, alternative=Alternative.TWO_SIDED)

    assert (result.wins, result.losses) == (0, 0)
    assert result.p_bootstrap == result.p_permutation == 1
