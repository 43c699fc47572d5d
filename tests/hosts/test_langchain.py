"""LangChain's string evaluators with Qassay's metrics."""

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS
from qassay.hosts.langchain import evaluator

pytest.importorskip("langchain_classic")


@pytest.mark.parametrize("metric", [MEAN, POOLED])
def test_scores_are_those_of_qassay(metric):
    """Each answer's score is that of `qassay.score`."""
    expected, judge = qassay.score(ROWS, metric, intervals=False), evaluator(metric)
    found = [
        judge.evaluate_strings(prediction=row["candidate"], reference=row["references"], input=row["question"])
        for row in ROWS
    ]
    assert [each["score"] for each in found] == pytest.approx(
        [expected.score(metric, i).value for i in range(len(ROWS))], abs=1e-6
    )


@pytest.mark.filterwarnings("error:Ignoring input")
def test_unscored_stays_unscored():
    """An answer whose reference is empty or missing has no score, but the reason; the question is not ignored."""
    missing = evaluator(MEAN).evaluate_strings(prediction="Paris", input="?")
    assert missing["score"] is None
    assert missing["reasoning"].startswith('"references" must be a list')
    found = evaluator(MEAN).evaluate_strings(prediction="Paris", reference="", input="?")
    assert (found["score"], found["reasoning"]) == (None, "every reference is empty")


def test_a_judge_without_a_question_says_so():
    """The note stands where the reasoning does."""
    found = evaluator(MEAN).evaluate_strings(prediction="It is Paris", reference="Paris")
    assert found["score"] > 0.9
    assert found["reasoning"] == "answers without a question, judged by their references alone"
