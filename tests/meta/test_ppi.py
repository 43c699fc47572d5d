import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression

from qassay.errors import DataError
from qassay.meta.accuracy.label_design import design_of_rounds
from qassay.meta.accuracy.ppi import Method, Population, judge_accuracy, label_accuracy, ppi_accuracy


def answers(seed, n=300, labels=60, share=0.7, slope=1.0):
    """Scores of all answers, and labels of some that the scores say something of."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(4 * share, 4 * (1 - share), n)
    truth = (rng.random(n) < slope * scores + (1 - slope) / 2).astype(float)
    known = np.full(n, np.nan)
    chosen = rng.choice(n, labels, replace=False)
    known[chosen] = truth[chosen]
    return scores, known, truth


def at_the_mean(scores, labels, rows, weights=None):
    """The line through some labelled answers, read off at the mean score of all answers.

    Where it falls by chance, a judge counts for nothing and the labels stand alone; examples are where it rises.
    """
    line = LinearRegression().fit(scores[rows, None], labels[rows], sample_weight=weights)
    assume(line.coef_[0] > 0)
    return float(line.predict([[scores.mean()]])[0])


seeds = st.integers(0, 10_000)


class TestEstimate:
    """The number itself."""

    @given(seeds)
    def test_tuned_estimate_is_the_regression_at_the_mean_score(self, seed):
        """Oracle: scikit-learn's line through the labelled answers, read off at the mean score of all."""
        scores, labels, _ = answers(seed)
        result = ppi_accuracy(scores, labels)
        assert result.estimate == pytest.approx(at_the_mean(scores, labels, np.flatnonzero(~np.isnan(labels))))

    @given(seeds)
    def test_weighted_estimate_is_the_weighted_regression(self, seed):
        """Oracle: scikit-learn with one over the probability of selection as weight."""
        scores, labels, _ = answers(seed)
        known = ~np.isnan(labels)
        chance = np.where(known, 0.1 + 0.4 * scores, np.nan)
        result = ppi_accuracy(scores, labels, design=design_of_rounds(known, np.ones(len(scores), int), chance))
        expected = at_the_mean(scores, labels, np.flatnonzero(known), 1 / chance[known])
        assert result.estimate == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("power", "expected"),
        # ppi-python 0.2.3, ppi_mean_pointestimate(lam=0, 0.5, 1)
        [(0.0, 0.58333333), (0.5, 0.59994048), (1.0, 0.61654762)],
    )
    def test_fixed_power_is_ppi_pythons(self, power, expected):
        """Its power is on the unlabelled answers' mean, ours on that of all, hence the factor 40/28."""
        hundredths = (
            "94 51 98 08 61 38 80 17 87 54 90 48 43 79 98 37 97 93 18 61 "
            "70 94 67 13 50 49 50 96 35 22 52 64 94 58 27 93 49 68 48 22"
        )
        scores = np.array(hundredths.split(), float) / 100
        labels = np.full(40, np.nan)
        labels[0:36:3] = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]
        result = ppi_accuracy(scores, labels, power=power * 40 / 28)
        assert result.estimate == pytest.approx(expected, abs=1e-8)

    @given(seeds)
    def test_a_perfect_judge_gives_the_truth(self, seed):
        """Whatever is labelled, the corrected mean is the true one."""
        _, labels, truth = answers(seed)
        assert ppi_accuracy(truth, labels).estimate == pytest.approx(truth.mean())

    @given(seeds, st.floats(0, 0.5), st.floats(0.05, 0.5))
    def test_the_scale_of_the_judge_does_not_matter(self, seed, shift, factor):
        """Tuning takes out any shift and stretch of the scores."""
        scores, labels, _ = answers(seed)
        plain, changed = ppi_accuracy(scores, labels), ppi_accuracy(shift + factor * scores, labels)
        assert (changed.estimate, changed.low, changed.high) == pytest.approx((plain.estimate, plain.low, plain.high))

    def test_all_answers_labelled_leaves_no_doubt(self):
        """These answers' accuracy is then known."""
        scores, _, truth = answers(1)
        result = ppi_accuracy(scores, truth)
        assert (result.estimate, result.low, result.high) == pytest.approx((truth.mean(),) * 3)
        assert result.method is Method.LABELS


class TestInterval:
    """The limits."""

    @given(seeds)
    @settings(max_examples=15)
    def test_variance_is_the_jackknife(self, seed):
        """Leaving out one label after the other, with scikit-learn, spreads the estimate as the limits say."""
        scores, labels, _ = answers(seed)
        known = np.flatnonzero(~np.isnan(labels))
        whole = ppi_accuracy(scores, labels)
        left = np.array([at_the_mean(scores, labels, known[known != out]) for out in known])
        jackknife = ((left - whole.estimate) ** 2).sum()
        expected = max(jackknife, 3 / len(known) ** 2)
        assert whole.unit_variance / len(known) == pytest.approx(expected)

    @given(seeds, st.integers(10, 200), st.floats(0.05, 0.95))
    @settings(max_examples=200)
    def test_limits_hold_the_estimate_and_stay_between_0_and_1(self, seed, labels, share):
        """For systems that are nearly always right or wrong, too."""
        scores, known, _ = answers(seed, labels=labels, share=share)
        result = ppi_accuracy(scores, known)
        assert 0 <= result.low <= result.estimate <= result.high <= 1

    @given(seeds)
    def test_more_confidence_is_wider(self, seed):
        """99 % holds 90 %."""
        scores, labels, _ = answers(seed)
        wide, narrow = (ppi_accuracy(scores, labels, confidence=level) for level in (0.99, 0.9))
        assert wide.low < narrow.low
        assert narrow.high < wide.high

    @given(seeds)
    def test_asking_for_all_questions_is_wider(self, seed):
        """The choice of questions comes on top."""
        scores, labels, _ = answers(seed)
        these, all_ = (ppi_accuracy(scores, labels, population=which) for which in Population)
        assert these.estimate == all_.estimate
        assert these.width < all_.width

    def test_a_judge_that_never_erred_in_sight_is_still_doubted(self):
        """No misjudged label among 100 allows for 3 in 100: the interval is about ±2·√3/100 wide."""
        truth = np.tile([1.0, 1.0, 0.0], 700)
        labels = np.where(np.arange(2100) % 21 == 0, truth, np.nan)
        labels[1:300:21], labels[2:300:21] = truth[1:300:21], truth[2:300:21]
        result = ppi_accuracy(truth, labels)
        assert result.estimate == pytest.approx(2 / 3)
        assert result.width == pytest.approx(4 * 3**0.5 / result.labels, rel=0.1)

    def test_duplicated_answers_bring_nothing_when_questions_are_clusters(self):
        """Five copies of every answer, each with its label, are worth one; without clusters they look like five."""
        scores, labels, _ = answers(3, n=200, labels=50)
        once = ppi_accuracy(scores, labels)
        copies, copied = np.repeat(scores, 5), np.repeat(labels, 5)
        clustered = ppi_accuracy(copies, copied, clusters=np.repeat(np.arange(200), 5).tolist())
        naive = ppi_accuracy(copies, copied)
        assert clustered.width == pytest.approx(once.width, rel=0.05)
        assert naive.width < 0.55 * once.width


class TestLabelsAlone:
    """What people say, without a judge."""

    @given(st.integers(10, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_random_labels_have_wilsons_interval(self, counts):
        """Oracle: scipy, when the answers stand for all questions like them."""
        right, n = counts
        labels = np.full(1000, np.nan)
        labels[:n] = np.arange(n) < right
        expected = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
        result = label_accuracy(labels, population=Population.QUESTIONS)
        assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=1e-9)

    def test_what_is_labelled_is_no_longer_in_doubt(self):
        """Of 100 labels, the interval narrows as they are more of all answers."""
        few, many = (label_accuracy(np.r_[np.tile([1.0, 0.0], 50), np.full(rest, np.nan)]) for rest in (10_000, 100))
        assert many.width == pytest.approx(few.width * 0.5**0.5, rel=0.02)

    def test_weighted_labels_are_weighted(self):
        """Right answers drawn twice as often as wrong ones count half."""
        labels = np.r_[np.tile([1.0, 1.0, 0.0], 20), np.full(200, np.nan)]
        chance = np.where(labels == 1, 0.4, np.where(labels == 0, 0.2, np.nan))
        result = label_accuracy(labels, design=design_of_rounds(~np.isnan(labels), np.ones(260, int), chance))
        assert result.estimate == pytest.approx(0.5)


class TestJudgeAlone:
    """What the judge says, without people."""

    def test_mean_and_its_standard_error(self):
        """Oracle: scipy's t interval; Wilson's differs little at 2,000 answers."""
        scores, _, _ = answers(5, n=2000)
        result = judge_accuracy(scores)
        low, high = stats.t.interval(0.95, 1999, scores.mean(), stats.sem(scores))
        assert result.estimate == pytest.approx(scores.mean())
        assert (result.low, result.high) == pytest.approx((low, high), abs=2e-3)

    def test_verdicts_have_wilsons_interval(self):
        """Scores of 0 and 1 are a share; Student's quantile of 499 degrees makes the small difference."""
        expected = stats.binomtest(400, 500).proportion_ci(0.95, method="wilson")
        result = judge_accuracy(np.repeat([1.0, 0.0], [400, 100]))
        assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=5e-4)

    def test_answers_to_one_question_are_not_independent(self):
        """Four equal answers a question double the width."""
        scores, _, _ = answers(6, n=500)
        copies = np.repeat(scores, 4)
        clustered = judge_accuracy(copies, clusters=np.repeat(np.arange(500), 4).tolist())
        assert clustered.width == pytest.approx(2 * judge_accuracy(copies).width, rel=0.01)


class TestWhereTheJudgeCannotHelp:
    """The labels then stand alone, and the method says so."""

    def test_all_labels_equal(self):
        """Works, with a caution."""
        scores, labels, _ = answers(7)
        result = ppi_accuracy(scores, np.where(np.isnan(labels), np.nan, 1.0))
        assert (result.method, result.estimate, result.high) == (Method.LABELS, 1.0, 1.0)
        assert result.low == pytest.approx(0.95, abs=0.02)
        assert "is based on little evidence" in result.notes[0]

    def test_few_labels(self):
        """Nine labels say nothing of a slope."""
        scores, labels, _ = answers(12, labels=9)
        result = ppi_accuracy(scores, labels)
        assert result == label_accuracy(labels)
        assert "only 9 labels" in result.notes[0]

    @pytest.mark.parametrize(
        ("labels", "caution"),
        [
            ([1.0] + [np.nan] * 20, ("only 1 label: give at least 10 to let the judge help",)),
            ([1.0, np.nan, np.nan], ("only 1 label: label all 3 answers",)),
            ([1.0], ()),
            ([1.0, 1.0], ()),
        ],
    )
    def test_a_caution_asks_for_what_can_be_given(self, labels, caution):
        """Where all answers are labelled the share is exact, and nothing is left to give."""
        assert label_accuracy(labels).notes == caution

    @pytest.mark.parametrize("scores", [np.full(300, 0.5), np.ones(300)], ids=["unsure", "sure"])
    def test_constant_judge(self, scores):
        """A judge that says the same of all answers is ignored."""
        _, labels, _ = answers(9)
        assert ppi_accuracy(scores, labels) == label_accuracy(labels)

    def test_judge_that_is_wrong_more_often_than_right(self):
        """A negative slope is taken for chance, not used."""
        scores, labels, _ = answers(10)
        assert ppi_accuracy(1 - scores, labels).method is Method.LABELS


class TestBadInput:
    """Every message says what to do."""

    @pytest.mark.parametrize(
        ("scores", "labels", "message"),
        [
            ([0.5, 2.0], [1, np.nan], "not between 0 and 1"),
            ([0.5, np.nan], [1, np.nan], "have no score"),
            ([0.5, 0.4], [4, np.nan], "not between 0 .wrong. and 1 .right."),
            ([0.5, 0.4], [np.nan, np.nan], "no answer has a label"),
            ([0.5, 0.4], [1], "2 scores and 1 labels"),
            ([0.5, np.inf], [1, 0], "infinite"),
            ([], [], "no answers"),
        ],
    )
    def test_is_refused(self, scores, labels, message):
        """With the place, where there is one."""
        with pytest.raises(DataError, match=message):
            ppi_accuracy(scores, labels)

    def test_clusters_of_another_length(self):
        """One question an answer."""
        with pytest.raises(DataError, match="3 questions for 2 answers"):
            judge_accuracy([0.1, 0.2], clusters=["a", "b", "c"])


class TestPackages:
    """Beside the packages that do the same for other judges; they stop λ at 1, so that the judge is overconfident."""

    @pytest.mark.parametrize("seed", range(5))
    def test_ppi_python(self, seed):
        """Tuned power and interval come close: it uses normal quantiles and divides by n."""
        ppi_py = pytest.importorskip("ppi_py", reason="the oracle ppi-python is not installed")
        scores, labels, _ = answers(seed, n=3000, labels=300, slope=0.6)
        known = ~np.isnan(labels)
        data = labels[known], scores[known], scores[~known]
        result = ppi_accuracy(scores, labels, population=Population.QUESTIONS)
        low, high = ppi_py.ppi_mean_ci(*data, alpha=0.05)
        assert result.estimate == pytest.approx(ppi_py.ppi_mean_pointestimate(*data)[0], abs=1e-3)
        assert (result.low, result.high) == pytest.approx((low[0], high[0]), abs=4e-3)

    @pytest.mark.parametrize("seed", range(5))
    def test_truescore(self, seed):
        """The same with truescore's estimate."""
        truescore = pytest.importorskip("truescore", reason="the oracle truescore is not installed")
        scores, labels, _ = answers(seed, n=3000, labels=300, slope=0.6)
        known = np.flatnonzero(~np.isnan(labels))
        expected = truescore.ppi_estimate(scores, labels[known], known)
        result = ppi_accuracy(scores, labels, population=Population.QUESTIONS)
        assert result.estimate == pytest.approx(expected.point, abs=1e-3)
        assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=4e-3)


def test_the_judge_on_three_answers_is_far_from_sure():
    """Three answers that the judge calls right have the interval of three verdicts, not that of its own scores."""
    found = judge_accuracy([0.999, 0.998, 0.997])
    assert found.low < 0.5


def test_the_judge_on_unanimous_answers_has_a_width():
    """Two hundred answers called right leave room for a few wrong ones: Wilson's limits of 200 in 200 reach .981."""
    found = judge_accuracy([0.999] * 200)
    assert 0.97 < found.low < 0.985


@pytest.mark.parametrize("value", [0.0, 2 / 3, 1.0])
@pytest.mark.parametrize("seed", range(20))
def test_equal_labels_of_unequal_weights_have_a_width(seed, value):
    """Weights that add up to a little less than 1 do not make ten equal labels certain."""
    rng = np.random.default_rng(seed)
    labels = np.full(34, np.nan)
    labels[:10] = value
    chances = np.where(np.isnan(labels), np.nan, rng.uniform(0.1, 0.7, 34))
    design = design_of_rounds(~np.isnan(labels), np.ones(34, int), chances)
    found = ppi_accuracy(rng.random(34), labels, design=design)
    assert found.estimate == value
    assert found.width > 0.15
