from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from qassay.errors import DataError
from qassay.meta.accuracy.label_plan import halving, plan
from qassay.meta.accuracy.ppi import Population, judge_accuracy, label_accuracy, ppi_accuracy


def labelled(labels, n=4000, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.05, 0.95], n, p=[0.3, 0.7])
    truth = (rng.random(n) < scores).astype(float)
    return scores, np.where(rng.permutation(n) < labels, truth, np.nan)


def wilson_width(right, n):
    interval = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
    return interval.high - interval.low


def test_labels_alone_need_what_wilsons_interval_needs():
    """Oracle: scipy, for a share of one half among so many answers that all are left."""
    estimate = replace(judge_accuracy(np.tile([0.0, 1.0], 50)), n=10**8)
    needed = plan(estimate, 0.1).without_judge
    assert wilson_width(needed // 2, needed) <= 0.1 < wilson_width(needed // 2 - 2, needed - 4)


def test_the_planned_labels_give_about_the_planned_width():
    """A plan from 100 labels is kept within a tenth when the labels come."""
    planned = plan(ppi_accuracy(*labelled(100)), 0.04)
    assert ppi_accuracy(*labelled(planned.labels, seed=0)).width == pytest.approx(0.04, rel=0.25)
    assert planned.more == planned.labels - 100
    assert planned.labels < planned.without_judge


def test_halving_takes_about_four_times_the_labels():
    """A little less, as the labelled share of all answers grows."""
    result = ppi_accuracy(*labelled(150, n=20_000))
    assert halving(result).labels == pytest.approx(4 * 150, rel=0.05)
    assert halving(result).width == result.width / 2


def test_without_labels_the_judge_is_taken_at_its_word():
    """The claimed variance is 0.05 · 0.95 an answer; the plan says that it assumes so."""
    scores, _ = labelled(0)
    planned = plan(judge_accuracy(scores), 0.05)
    assert planned.assumed
    assert planned.labels == pytest.approx(4 * 1.97**2 * 0.0475 / 0.05**2 * 0.93, rel=0.05)


def test_verdicts_claim_nothing():
    """A judge that says only right or wrong does not say how sure it is: the plan is that of labels alone."""
    planned = plan(judge_accuracy(np.repeat([1.0, 0.0], [700, 300])), 0.1)
    assert planned.labels == pytest.approx(planned.without_judge, abs=5)


def test_a_width_that_the_questions_forbid_has_no_plan():
    """Labelling everything leaves the choice of questions, which is 0.09 wide for 400 of them."""
    scores, labels = labelled(100, n=400)
    planned = plan(ppi_accuracy(scores, labels, population=Population.QUESTIONS), 0.03)
    assert (planned.labels, planned.more, planned.without_judge) == (None, None, None)


def test_a_width_that_is_there_needs_no_more():
    """A wish that is fulfilled."""
    assert plan(ppi_accuracy(*labelled(300)), 0.5).more == 0


def test_nothing_is_halved_without_labels_or_width():
    """The judge's own interval does not depend on labels, and a known accuracy has none."""
    assert halving(judge_accuracy([0.1, 0.9, 0.5])) is None
    assert halving(label_accuracy([1.0, 0.0, 1.0])) is None


@pytest.mark.parametrize("width", [0, 1, -0.1, 5])
def test_an_impossible_width_is_refused(width):
    """5 is a width in points."""
    with pytest.raises(DataError, match=r"such as 0\.05"):
        plan(judge_accuracy([0.1, 0.9]), width)
