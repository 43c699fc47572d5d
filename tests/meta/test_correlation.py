import numpy as np
import pytest
from scipy import stats

from meta.simulated import simulated_panel
from qassay.errors import DataError
from qassay.meta.correlation import resampling
from qassay.meta.correlation.correlate import correlate
from qassay.meta.correlation.levels import Level, ResamplingUnit, draw
from qassay.meta.correlation.resampling import IntervalMethod
from qassay.meta.statistics.panel import Panel, Pooling
from qassay.meta.statistics.weighted import Coefficient

SCIPY = {
    Coefficient.PEARSON: stats.pearsonr,
    Coefficient.SPEARMAN: stats.spearmanr,
    Coefficient.KENDALL: stats.kendalltau,
}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def one(panel, level=Level.ANSWER, coefficient=Coefficient.PEARSON, metric="a", **options):
    return correlate(panel, level, [coefficient], [metric], **options)[0]


def by_system(panel, values):
    return np.array([values[panel.system == code].mean() for code in range(len(panel.systems))])


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_answers_are_pooled_at_answer_level(rng, coefficient):
    """Value and p-value are scipy's over all answers."""
    panel = simulated_panel(rng, decimals=1)

    result = one(panel, Level.ANSWER, coefficient)

    wanted = SCIPY[coefficient](panel.scores["a"], panel.judgement)
    assert result.value == pytest.approx(wanted.statistic, abs=1e-9)
    assert result.p == pytest.approx(wanted.pvalue, rel=1e-9)
    assert result.n == len(panel)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_systems_are_correlated_by_their_means(rng, coefficient):
    """Value and p-value are scipy's over the systems' means."""
    panel = simulated_panel(rng)

    result = one(panel, Level.SYSTEM, coefficient)

    wanted = SCIPY[coefficient](by_system(panel, panel.scores["a"]), by_system(panel, panel.judgement))
    assert result.value == pytest.approx(wanted.statistic, abs=1e-9)
    assert result.p == pytest.approx(wanted.pvalue, rel=1e-9)
    assert result.n == 6


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_questions_are_averaged_at_input_level(rng, coefficient):
    """The value is the mean of scipy's coefficient of each question; p is a t test of that mean."""
    panel = simulated_panel(rng)

    result = one(panel, Level.INPUT, coefficient)

    rows = [panel.question == code for code in range(40)]
    each = [SCIPY[coefficient](panel.scores["a"][i], panel.judgement[i]).statistic for i in rows]
    assert result.value == pytest.approx(np.mean(each), abs=1e-9)
    assert result.p == pytest.approx(stats.ttest_1samp(each, 0).pvalue, rel=1e-9)
    assert (result.n, result.undefined) == (40, 0)


def test_questions_without_a_coefficient_are_counted(rng):
    """A question on which all systems score alike is undefined, not 0."""
    panel = simulated_panel(rng)
    panel.scores["a"][panel.question < 3] = 0.5

    result = one(panel, Level.INPUT)

    assert (result.n, result.undefined) == (37, 3)


def test_overall_pairs_are_means_over_shared_draws(rng):
    """With draws of all questions every pair is a system's mean, so the system level comes out."""
    panel = simulated_panel(rng)

    result = one(panel, Level.OVERALL, rng=rng, size=40, times=5)

    assert result.value == pytest.approx(one(panel, Level.SYSTEM).value, abs=1e-9)
    assert (result.n, result.p) == (30, None)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_equal_means_of_several_draws_are_tied(rng, coefficient):
    """A metric that is the judgement on another scale agrees with it wholly, ties included."""
    judged = rng.integers(1, 6, 160).astype(float)
    system, question = np.repeat(np.arange(4), 40), np.tile(np.arange(40), 4)
    panel = Panel.build(judged, {"a": (judged - 1) / 4}, system=system.tolist(), question=question.tolist())

    assert one(panel, Level.OVERALL, coefficient, rng=rng).value == pytest.approx(1, abs=1e-12)


def test_scores_that_differ_by_rounding_alone_are_tied(rng):
    """Two ways to the same F score end in different last bits."""
    judged = rng.integers(1, 6, 50).astype(float)
    scores = judged * (1 + rng.choice([0, 2e-16], 50))
    panel = Panel.build(judged, {"a": scores})

    assert one(panel, coefficient=Coefficient.KENDALL).value == pytest.approx(1, abs=1e-12)


def test_overall_draws_have_the_wanted_size(rng):
    """Yang et al. (2018): 5 systems and 100 draws of 30 questions are 500 pairs."""
    panel = simulated_panel(rng, systems=5)

    assert one(panel, Level.OVERALL, rng=rng).n == 500


def test_a_pooled_metric_scores_draws_by_its_sums(rng):
    """Where a metric pools, a system's score follows from summed statistics, not from the mean of scores."""
    panel = simulated_panel(rng)
    counts = rng.integers(1, 9, (len(panel), 2)).astype(float)
    pooled = Panel(
        panel.judgement,
        {"a": counts[:, 0] / counts[:, 1]},
        panel.system,
        panel.systems,
        panel.question,
        panel.questions,
        {"a": Pooling(counts, lambda sums: sums[:, 0] / sums[:, 1])},
    )

    result = one(pooled, Level.SYSTEM)

    ratio = by_system(panel, counts[:, 0]) / by_system(panel, counts[:, 1])
    assert result.value == pytest.approx(stats.pearsonr(ratio, by_system(panel, panel.judgement)).statistic, abs=1e-9)


def test_missing_scores_are_left_out_pairwise_and_counted(rng):
    """Each metric uses the rows that it and people have scored."""
    panel = simulated_panel(rng)
    panel.scores["a"][:10] = np.nan
    panel.judgement[5:12] = np.nan

    result = one(panel)

    assert (result.n, result.missing) == (len(panel) - 12, 12)
    assert result.value == pytest.approx(stats.pearsonr(panel.scores["a"][12:], panel.judgement[12:]).statistic)
    assert one(panel, metric="b").missing == 7


@pytest.mark.parametrize(
    ("scores", "judgements", "level", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], Level.ANSWER, "all scores are equal"),
        ([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1], Level.ANSWER, "all judgements are equal"),
        ([1, 2], [1, 2], Level.ANSWER, "2 pairs; at least 3 are needed"),
        ([np.nan, np.nan, np.nan], [1, 2, 3], Level.ANSWER, "0 pairs; at least 3 are needed"),
        ([1, 2, 3, 4], [1, 2, 3, 4], Level.SYSTEM, "1 system; at least 3 are needed"),
        ([1, 2, 3, 4], [1, 2, 3, 4], Level.INPUT, "no question has two answers that differ in score"),
    ],
)
@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_what_is_undefined_says_why(scores, judgements, level, reason, coefficient):
    """Constant columns, too few pairs, one system and missing data give None with a reason, also with draws."""
    panel = Panel.build(judgements, {"a": scores})

    result = one(panel, level, coefficient, draws=20, rng=np.random.default_rng(0))

    assert (result.value, result.p, result.interval) == (None, None, None)
    assert reason in result.reason


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("unit", [ResamplingUnit.INPUTS, ResamplingUnit.SYSTEMS, ResamplingUnit.BOTH])
@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_intervals_hold_the_value_at_every_level(rng, level, unit, coefficient):
    """Every level and unit gives limits around the value and says how they were found."""
    panel = simulated_panel(rng, systems=8)

    result = one(panel, level, coefficient, draws=60, rng=rng, unit=unit, times=20)

    assert -1 <= result.interval.low < result.value + 0.05
    assert result.value - 0.05 < result.interval.high <= 1
    assert (result.interval.unit, result.interval.draws) == (unit, 60)


def resampled_the_slow_way(panel, level, unit, draws):
    """Build each resampled data set and correlate it by scipy."""
    rng = np.random.default_rng(2)
    values = []
    scores, judged = (column.reshape(8, 40) for column in (panel.scores["a"], panel.judgement))
    for _ in range(draws):
        questions = rng.integers(0, 40, 40)
        systems = rng.integers(0, 8, 8) if unit is ResamplingUnit.BOTH else np.arange(8)
        x, z = (matrix[systems][:, questions] for matrix in (scores, judged))
        if level is Level.ANSWER:
            values.append(stats.pearsonr(x.ravel(), z.ravel()).statistic)
        elif level is Level.SYSTEM:
            values.append(stats.pearsonr(x.mean(1), z.mean(1)).statistic)
        else:
            values.append(np.mean([stats.pearsonr(x[:, q], z[:, q]).statistic for q in range(40)]))
    return np.array(values)


@pytest.mark.parametrize("level", [Level.ANSWER, Level.SYSTEM, Level.INPUT])
@pytest.mark.parametrize("unit", [ResamplingUnit.INPUTS, ResamplingUnit.BOTH])
def test_percentile_limits_match_resampling_the_slow_way(level, unit):
    """Limits from counts and from resampled data sets agree within Monte-Carlo error."""
    panel = simulated_panel(np.random.default_rng(11), systems=8)
    percentile = IntervalMethod.PERCENTILE

    fast = one(
        panel, level, draws=4000, rng=np.random.default_rng(3), unit=unit, method=percentile, confidence=0.8
    ).interval

    slow = np.quantile(resampled_the_slow_way(panel, level, unit, 400), [0.1, 0.9])
    np.testing.assert_allclose([fast.low, fast.high], slow, atol=0.2 * (fast.high - fast.low))


def test_a_value_without_an_interval_says_why():
    """One odd score and one odd judgement: most resamples miss one of them and are constant."""
    panel = Panel.build([1, 0, 0, 0, 0, 0, 0, 0], {"a": [0, 1, 0, 0, 0, 0, 0, 0]})

    result = one(panel, draws=200, rng=np.random.default_rng(0))

    assert result.value is not None
    assert (result.interval, result.reason) == (None, "no interval: undefined in most resamples")


def test_good_agreement_has_a_narrow_interval():
    """Right or wrong on 60 answers, three of them otherwise than people: resamples without them are perfect.

    The lower limit is near that of Clopper and Pearson for the share of disagreements, of which r is 1 less twice it.
    """
    judgement = np.arange(60.0) % 2
    score = judgement.copy()
    score[[10, 20, 30]] = 1
    farthest = stats.binomtest(3, 60).proportion_ci(0.95).high

    result = one(Panel.build(judgement, {"a": score}), draws=1000, rng=np.random.default_rng(0)).interval

    assert result.low == pytest.approx(1 - 2 * farthest, abs=0.03)
    assert result.high == pytest.approx(1)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_what_is_perfect_in_all_resamples_has_no_interval(coefficient):
    """Five systems in the right order are so in every resample: limits of 1 and 1 would promise certainty."""
    panel = Panel.build([1, 2, 3, 4, 5], {"a": [2, 4, 6, 8, 10]}, system="abcde")

    result = one(panel, Level.SYSTEM, coefficient, draws=200, rng=np.random.default_rng(0))

    assert result.value == pytest.approx(1)
    assert (result.interval, result.reason) == (None, "no interval: the same in all resamples")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"unit": ResamplingUnit.SYSTEMS, "draws": 100}, "no interval: 1 system; resampling needs at least 3"),
        ({"unit": ResamplingUnit.ANSWERS, "draws": 1}, "no interval: too few resamples"),
    ],
)
def test_too_little_resampling_gives_no_interval(rng, options, reason):
    """One system, or one draw, has no spread."""
    result = one(simulated_panel(rng, systems=1), rng=rng, **options)

    assert result.value is not None
    assert (result.interval, result.reason) == (None, reason)


def test_the_same_seed_gives_the_same_interval(rng):
    """Randomness is an argument and nothing else."""
    panel = simulated_panel(rng)

    first, second = (one(panel, draws=50, rng=np.random.default_rng(3)).interval for _ in range(2))

    assert first == second


@pytest.mark.parametrize("level", list(Level))
def test_any_number_of_threads_gives_the_same_intervals(rng, monkeypatch, level):
    """Threads share the work and not the random numbers."""
    panel = simulated_panel(rng, questions=40)

    def found(threads):
        monkeypatch.setattr(resampling, "default_threads", lambda: threads)
        return correlate(panel, level, draws=30, rng=np.random.default_rng(3), times=5)

    assert found(1) == found(4)


@pytest.mark.parametrize("answers", [3, 700, 100_000])
def test_a_draw_is_as_many_answers_with_replacement(answers):
    """Counts are those of a plain loop over the generator's integers, whichever way they are counted."""
    panel = Panel.build(np.zeros(answers), {})

    blocks = draw(panel, ResamplingUnit.ANSWERS, 5, np.random.default_rng(8))

    plain = np.random.default_rng(8)
    wanted = [np.bincount(plain.integers(0, answers, answers), minlength=answers) for _ in range(5)]
    np.testing.assert_array_equal(np.concatenate([block.rows for block in blocks]), wanted)


def test_answers_cannot_be_resampled_at_overall_level(rng):
    """A draw of questions needs whole questions."""
    with pytest.raises(DataError, match="draws whole questions"):
        one(simulated_panel(rng), Level.OVERALL, draws=5, rng=rng, unit=ResamplingUnit.ANSWERS)


def test_overall_draws_cannot_be_larger_than_the_data(rng):
    """The message says how many questions there are."""
    with pytest.raises(DataError, match="takes 30 questions, and there are 10"):
        one(simulated_panel(rng, questions=10), Level.OVERALL, rng=rng)


@pytest.mark.parametrize("level", [Level.ANSWER, Level.OVERALL])
def test_random_draws_need_a_generator(rng, level):
    """Without one there is no silent default seed."""
    with pytest.raises(DataError, match="random generator"):
        one(simulated_panel(rng), level, draws=10)
