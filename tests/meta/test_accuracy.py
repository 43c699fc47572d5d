import numpy as np
import pytest
from scipy import stats

from qassay.errors import DataError
from qassay.meta.accuracy.estimates import JudgedAnswers, estimate_systems
from qassay.meta.accuracy.labels import MatchedLabels
from qassay.meta.accuracy.ppi import Method, Population, judge_accuracy, label_accuracy, ppi_accuracy

RNG = np.random.default_rng(0)
N = 400
SYSTEM = ["A"] * N + ["B"] * N
QUESTION = [f"q{i}" for i in range(N)] * 2
SCORES = RNG.beta(3, 1, 2 * N)
TRUTH = (RNG.random(2 * N) < SCORES).astype(float)


def some_labels(of, count):
    """Labels of the first so many answers of a random order, of some rows only."""
    order = np.random.default_rng(1).permutation(np.flatnonzero(of))[:count]
    labels = MatchedLabels.none(2 * N)
    labels.value[order] = TRUTH[order]
    return labels


IS_A = np.array(SYSTEM) == "A"


def test_a_system_with_labels_is_estimated_from_both():
    """The three estimates are those of the functions for one system."""
    labels = some_labels(IS_A, 80)
    report = estimate_systems(JudgedAnswers(SYSTEM, QUESTION, SCORES, labels))
    first = report.systems[0]
    assert first.best == ppi_accuracy(SCORES[IS_A], labels.value[IS_A])
    assert first.labels_only == label_accuracy(labels.value[IS_A])
    assert first.judge == judge_accuracy(SCORES[IS_A])


def test_a_system_without_labels_is_the_judges():
    """Labels of one system say nothing of another."""
    second = estimate_systems(JudgedAnswers(SYSTEM, QUESTION, SCORES, some_labels(IS_A, 80))).systems[1]
    assert (second.system, second.best.method, second.best.labels) == ("B", Method.JUDGE, 0)
    assert second.labels_only is None
    assert second.halving is None


def test_the_truth_gives_error_and_ranks_over_systems():
    """Oracle: scipy's tau-b, and the root mean square written out."""
    four = np.repeat(["A", "B", "C", "D"], N // 2)
    report = estimate_systems(JudgedAnswers(four.tolist(), QUESTION, SCORES, None, TRUTH))
    estimates = [each.best.estimate for each in report.systems]
    true = TRUTH.reshape(4, -1).mean(axis=1)
    assert [each.true for each in report.systems] == pytest.approx(true)
    assert report.agreement.rmse == pytest.approx(np.sqrt(np.mean((np.array(estimates) - true) ** 2)))
    assert report.agreement.kendall == pytest.approx(stats.kendalltau(estimates, true).statistic)


def test_the_truth_is_known_only_when_every_scored_answer_was_judged():
    """One judgement missing, and there is no `true` for that system."""
    truth = np.where(np.arange(2 * N) == 0, np.nan, TRUTH)
    report = estimate_systems(JudgedAnswers(SYSTEM, QUESTION, SCORES, None, truth))
    assert report.systems[0].true is None
    assert report.systems[1].true is not None
    assert report.agreement.n == 1


def test_unscored_answers_are_counted_and_left_out():
    """They are neither right nor wrong."""
    scores = np.where(np.arange(2 * N) < 10, np.nan, SCORES)
    first = estimate_systems(JudgedAnswers(SYSTEM, QUESTION, scores)).systems[0]
    assert (first.best.n, first.unscored) == (N - 10, 10)


def test_answers_of_one_system_to_one_question_are_clusters():
    """Eight hundred answers to four hundred questions by one system have a wider interval than by two."""
    one = estimate_systems(JudgedAnswers(["A"] * (2 * N), QUESTION, np.tile(SCORES[:N], 2))).systems[0]
    assert one.best.width == pytest.approx(judge_accuracy(SCORES[:N]).width, rel=0.02)


def test_one_system_only_has_no_ranks():
    """RMSE of one error, and the reason for no tau."""
    report = estimate_systems(JudgedAnswers(["A"] * N, QUESTION[:N], SCORES[:N], None, TRUTH[:N]))
    document = report.to_dict()
    assert document["rmse"] == pytest.approx(abs(SCORES[:N].mean() - TRUTH[:N].mean()))
    assert document["kendall"] is None
    assert report.agreement.reason


def test_document_has_the_promised_fields():
    """One row a system, and the agreement over systems beside them."""
    report = estimate_systems(
        JudgedAnswers(SYSTEM, QUESTION, SCORES, some_labels(IS_A, 80), TRUTH),
        width=0.05,
        population=Population.QUESTIONS,
    )
    document = report.to_dict()
    assert {"system", "estimate", "low", "high", "method", "labels", "n", "true", "plan"} <= document["systems"][
        0
    ].keys()
    assert {"rmse", "rmse_sd", "kendall", "kendall_p"} <= document.keys()
    assert document["systems"][0]["method"] == "ppi"


def test_a_system_without_any_score_is_an_error():
    """It has no accuracy, and 0 would be a lie."""
    with pytest.raises(DataError, match='no answer of system "A" has a score'):
        estimate_systems(JudgedAnswers(["A"], ["q"], np.array([np.nan])))


def test_columns_of_unlike_length_are_an_error():
    """They are of different answers."""
    with pytest.raises(DataError, match="a score for every answer"):
        estimate_systems(JudgedAnswers(["A"], ["q"], np.array([0.1, 0.2])))


def test_no_labels_are_planned_where_the_truth_is_known():
    """People judged everything there is."""
    report = estimate_systems(JudgedAnswers(SYSTEM, QUESTION, SCORES, some_labels(IS_A, 80), TRUTH), width=0.05)
    assert report.systems[0].plan is not None
    assert report.systems[1].plan is None
