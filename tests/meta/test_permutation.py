import numpy as np
import pytest
from scipy import stats

from meta.simulated import simulated_panel
from qassay.errors import DataError
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.permutation import permutation_difference
from qassay.meta.correlation.significance import Alternative, DifferenceTest
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient

SCIPY = {
    Coefficient.PEARSON: stats.pearsonr,
    Coefficient.SPEARMAN: stats.spearmanr,
    Coefficient.KENDALL: stats.kendalltau,
}
PERMUTATIONS = [DifferenceTest.PERM_BOTH, DifferenceTest.PERM_SYSTEMS, DifferenceTest.PERM_INPUTS]


def one(coefficient, x, z):
    """Correlate two columns by scipy; NaN where one of them is constant."""
    return np.nan if np.ptp(x) == 0 or np.ptp(z) == 0 else SCIPY[coefficient](x, z).statistic


def reference(level, coefficient, x, z):
    """Correlate matrices (systems, questions), one column at a time."""
    if level is Level.ANSWER:
        return one(coefficient, x.ravel(), z.ravel())
    if level is Level.SYSTEM:
        return one(coefficient, x.mean(1).round(9), z.mean(1).round(9))
    return np.nanmean([one(coefficient, x[:, q], z[:, q]) for q in range(x.shape[1])])


class RecordedCoins:
    """A generator whose tosses a test can repeat."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)
        self._drawn = b""

    def bytes(self, length):
        """Toss eight coins a byte, and remember."""
        self._drawn += self._rng.bytes(length)
        return self._drawn[-length:]

    def tosses(self, draws, coins):
        """Repeat the tosses."""
        return np.unpackbits(np.frombuffer(self._drawn, np.uint8), count=draws * coins).reshape(draws, coins)


def spread(test, coins, draws, systems, questions):
    """Lay tosses for answers, systems or questions out as (draws, systems, questions)."""
    shape = {
        DifferenceTest.PERM_BOTH: (systems, questions),
        DifferenceTest.PERM_SYSTEMS: (systems, 1),
        DifferenceTest.PERM_INPUTS: (1, questions),
    }[test]
    tosses = coins.tosses(draws, shape[0] * shape[1]).reshape(draws, *shape)
    return np.broadcast_to(tosses, (draws, systems, questions))


@pytest.mark.parametrize("level", [Level.ANSWER, Level.SYSTEM, Level.INPUT])
@pytest.mark.parametrize("coefficient", list(Coefficient))
@pytest.mark.parametrize("test", PERMUTATIONS)
@pytest.mark.parametrize("decimals", [0, 9])
def test_p_is_that_of_swapping_and_correlating_one_by_one(level, coefficient, test, decimals):
    """The vectorised test gives the p-value of a loop over the same tosses with scipy inside."""
    panel = simulated_panel(np.random.default_rng(4), systems=5, questions=14, noise=(1.0, 1.6), decimals=decimals)
    coins = RecordedCoins(6)

    result = permutation_difference(
        panel, "a", "b", level=level, coefficient=coefficient, test=test, rng=coins, draws=30
    )

    x, y, z = (column.reshape(5, 14) for column in (panel.scores["a"], panel.scores["b"], panel.judgement))
    x, y = ((matrix - matrix.mean()) / matrix.std() for matrix in (x, y))
    swaps = spread(test, coins, 30, 5, 14).astype(bool)
    observed = reference(level, coefficient, x, z) - reference(level, coefficient, y, z)
    permuted = np.array(
        [
            reference(level, coefficient, np.where(swap, y, x), z)
            - reference(level, coefficient, np.where(swap, x, y), z)
            for swap in swaps
        ]
    )
    assert result.difference == pytest.approx(observed, abs=1e-9)
    ties = np.abs(permuted - observed) < 1e-9
    assert result.p == pytest.approx(((permuted > observed)[~ties].sum() + ties.sum() / 2 + 1) / 31)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_missing_answers_are_left_out_of_both_metrics(coefficient):
    """Unequal numbers of answers to the questions are no obstacle."""
    panel = simulated_panel(np.random.default_rng(4))
    panel.scores["a"][::7] = np.nan

    result = permutation_difference(
        panel, "a", "b", level=Level.INPUT, coefficient=coefficient, rng=np.random.default_rng(0), draws=20
    )

    assert result.missing == len(panel.scores["a"][::7])
    assert 0 < result.p <= 1


def test_a_metric_is_not_better_than_itself():
    """Swapping equal columns changes nothing, so every permutation is a tie: half one-sided, all two-sided."""
    panel = simulated_panel(np.random.default_rng(4))
    same = Panel.build(panel.judgement, {"a": panel.scores["a"], "b": panel.scores["a"] * 3 + 1})

    results = [
        permutation_difference(same, "a", "b", rng=np.random.default_rng(0), draws=50, alternative=alternative)
        for alternative in Alternative
    ]

    assert [result.p for result in results] == [26 / 51, 1.0]


@pytest.mark.parametrize(
    ("judgement", "a", "level", "reason"),
    [
        ([1, 2, 3], [1, 1, 1], Level.ANSWER, "all scores are equal"),
        ([1, 1, 1], [1, 2, 3], Level.ANSWER, "all scores or judgements are equal"),
        ([1, 2, 3], [np.nan] * 3, Level.ANSWER, "0 pairs"),
        ([1, 2, 3], [1, 2, 3], Level.SYSTEM, "too few pairs"),
        ([1, 2, 3], [1, 2, 3], Level.OVERALL, "use bootstrap"),
    ],
)
def test_what_cannot_be_tested_says_why(judgement, a, level, reason):
    """No p-value without a reason."""
    panel = Panel.build(judgement, {"a": a, "b": [2, 1, 3]})

    result = permutation_difference(panel, "a", "b", level=level, rng=np.random.default_rng(0), draws=5)

    assert result.p is None
    assert reason in result.reason


def test_other_tests_are_refused():
    """Only the three permutation schemes go here."""
    with pytest.raises(DataError, match="williams is no permutation test"):
        permutation_difference(
            Panel.build([1, 2, 3], {"a": [1, 2, 3], "b": [1, 2, 2]}),
            "a",
            "b",
            test=DifferenceTest.WILLIAMS,
            rng=np.random.default_rng(0),
        )
