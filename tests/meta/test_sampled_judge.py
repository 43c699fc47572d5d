"""A costly judge that is asked in doubt and at random elsewhere, and a short run of its simulation."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.ppi import judge_accuracy
from qassay.meta.accuracy.sampled_judge import SampledJudge, choose_doubtful, corrected_scores, sampled_judge_accuracy

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "llm_judge_simulation.py"


@pytest.fixture(scope="module")
def simulated():
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, BENCHMARK, "--repeats", "200", "--answers", "600", "--json"], capture_output=True, check=True
    )
    return {line["design"]: line for line in json.loads(done.stdout)}


@pytest.mark.parametrize("design", ["llm", "llm, next", "doubt", "doubt, next", "doubt, half", "doubt, its own"])
def test_intervals_hold_with_a_biased_llm(simulated, design):
    """95 % intervals: 93 to 97 %, and twice the simulation's own error of 1.5 points; the estimate has no bias."""
    assert 0.93 - 0.03 <= simulated[design]["coverage"] <= 0.97 + 0.03
    assert abs(simulated[design]["bias"]) < 0.01


def test_without_labels_the_llms_bias_stays(simulated):
    """The interval of the LLM alone misses the truth, which is why people label some answers."""
    assert simulated["llm alone"]["coverage"] < 0.6
    assert simulated["llm alone"]["bias"] > 0.02


def test_doubt_asks_less_and_is_as_narrow(simulated):
    """With less than half of the calls the interval is no wider."""
    assert simulated["doubt"]["asked"] < 0.5
    assert simulated["doubt"]["width"] < 1.05 * simulated["llm"]["width"]


def test_all_in_doubt_are_chosen_and_a_share_of_each_systems_others():
    """Scores at the limits and missing ones are in doubt; the probability is the share of the group that was asked."""
    scores = np.array([0.2, 0.5, 0.8, np.nan, *[0.9] * 100, *[0.1] * 200])
    system = ["A"] * 104 + ["B"] * 200
    found = choose_doubtful(scores, 0.2, 0.8, 0.25, np.random.default_rng(1), system=system)
    assert found.chosen[:4].all()
    assert (found.chosen[4:104].sum(), found.chosen[104:].sum()) == (25, 50)
    assert np.unique(found.probability(found.chosen)).tolist() == [0.25, 1.0]
    half = found.chosen.copy()
    half[:2] = False
    assert found.probability(half)[0] == 0.5


def test_few_others_are_chosen_all_the_same():
    """Twenty at least, or all of them."""
    few = choose_doubtful(np.full(15, 0.9), 0.2, 0.8, 0.1, np.random.default_rng(1), system=["A"] * 15)
    some = choose_doubtful(np.full(100, 0.9), 0.2, 0.8, 0.1, np.random.default_rng(1), system=["A"] * 100)
    assert (few.chosen.sum(), some.chosen.sum()) == (15, 20)


def test_asked_about_all_it_is_the_judges_mean():
    """Nothing is left to chance but the questions."""
    rng = np.random.default_rng(2)
    costly, cheap = rng.random(50), rng.random(50)
    found = sampled_judge_accuracy(SampledJudge(cheap, costly, np.ones(50)))
    plain = judge_accuracy(costly)
    assert (found.estimate, found.low, found.high) == pytest.approx((plain.estimate, plain.low, plain.high))


def test_the_parts_add_up_by_size():
    """Where all were asked about the mean is known; elsewhere the cheap judge is corrected by what was asked."""
    cheap = np.array([0.5] * 40 + [0.9] * 160)
    costly = np.array([1.0] * 20 + [0.0] * 20 + [0.9] * 20 + [np.nan] * 140)
    probability = np.array([1.0] * 40 + [0.125] * 160)
    found = sampled_judge_accuracy(SampledJudge(cheap, costly, probability))
    assert found.estimate == pytest.approx(0.2 * 0.5 + 0.8 * 0.9)
    assert found.low < found.estimate < found.high


def test_a_part_without_verdicts_is_the_cheap_judges():
    """A budget that ended before any of them leaves nothing else."""
    cheap, costly = np.array([0.5] * 20 + [0.9] * 20), np.array([1.0] * 20 + [np.nan] * 20)
    found = sampled_judge_accuracy(SampledJudge(cheap, costly, np.array([1.0] * 20 + [0.0] * 20)))
    assert found.estimate == pytest.approx(0.95)


def judged_in_doubt(rng, n, *, elsewhere=0.1):
    """Return a cheap judge's scores with an LLM's in doubt and at random elsewhere."""
    right = rng.random(n) < 0.7
    cheap = np.clip(right + rng.normal(0, 0.4, n), 0, 1)
    selection = choose_doubtful(cheap, 0.2, 0.8, elsewhere, rng, system=[""] * n)
    llm = (right | (rng.random(n) < 0.25)).astype(float)
    return SampledJudge(cheap, np.where(selection.chosen, llm, np.nan), selection.probability(selection.chosen)), llm


def test_the_mean_of_corrected_scores_is_the_estimate():
    """Of each system by itself, whatever the order of the answers."""
    rng = np.random.default_rng(4)
    (one, _), (other, _) = judged_in_doubt(rng, 300), judged_in_doubt(rng, 200, elsewhere=0.3)
    order = rng.permutation(500)
    joined = [np.concatenate([getattr(one, name), getattr(other, name)]) for name in ("cheap", "costly", "probability")]
    system = np.array(["a"] * 300 + ["b"] * 200, dtype=object)[order]
    found = corrected_scores(SampledJudge(*(each[order] for each in joined)), system.tolist())
    assert found[system == "a"].mean() == pytest.approx(sampled_judge_accuracy(one).estimate)
    assert found[system == "b"].mean() == pytest.approx(sampled_judge_accuracy(other).estimate)


def test_corrected_scores_of_answers_that_were_all_asked_about_are_their_own():
    """There is nothing to correct; and where none was asked about, the cheap judge's stand."""
    judges = SampledJudge(np.array([0.2, 0.4, 0.9]), np.array([1.0, 0.0, np.nan]), np.array([1.0, 1.0, 0.0]))
    assert corrected_scores(judges, ["a"] * 3).tolist() == [1.0, 0.0, 0.9]


def test_few_verdicts_that_all_agree_leave_room_for_some_that_do_not():
    """Twenty verdicts as the cheap judge has them: the values still spread, as three misjudged answers would."""
    cheap = np.array([0.9] * 200)
    judges = SampledJudge(cheap, np.where(np.arange(200) < 20, 0.9, np.nan), np.full(200, 0.1))
    found = corrected_scores(judges, ["a"] * 200)
    assert found.mean() == pytest.approx(0.9)
    assert found.std() / np.sqrt(200) == pytest.approx(np.sqrt(3) / 20, rel=0.01)


def test_an_answer_that_neither_judge_scores_has_no_corrected_score():
    """It is missing, and not zero."""
    judges = SampledJudge(np.array([np.nan, 0.5]), np.array([np.nan, 1.0]), np.ones(2))
    assert np.isnan(corrected_scores(judges, ["a"] * 2)).tolist() == [True, False]


def test_answers_without_any_score_are_refused():
    """The caller leaves them out and counts them."""
    missing = np.array([np.nan, 0.5])
    with pytest.raises(DataError, match="1 answers have no score"):
        sampled_judge_accuracy(SampledJudge(missing, missing, np.ones(2)))
