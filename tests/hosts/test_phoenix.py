"""Phoenix with Qassay's evaluators."""

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS
from qassay.hosts.phoenix import evaluator

pytest.importorskip("phoenix.evals")

import pandas as pd
from phoenix.evals import bind_evaluator, evaluate_dataframe


@pytest.mark.parametrize("metric", [MEAN, POOLED])
def test_scores_are_those_of_qassay(metric):
    """Each answer of a table has the score of `qassay.score`."""
    expected = qassay.score(ROWS, metric, intervals=False)
    found = evaluate_dataframe(dataframe=pd.DataFrame(ROWS), evaluators=[evaluator(metric)])[f"{metric}_score"]
    assert [each["score"] for each in found] == pytest.approx(
        [expected.score(metric, i).value for i in range(len(ROWS))], abs=1e-6
    )


def test_columns_of_other_names_are_bound():
    """An input mapping tells which columns hold question, answer and references; a reference may be a text."""
    judge = bind_evaluator(
        evaluator=evaluator("token_f1"),
        input_mapping={"question": "input", "candidate": "output", "references": "expected"},
    )
    (found,) = judge.evaluate({"input": "Where?", "output": "Paris", "expected": "Paris, France"})
    assert (found.name, found.kind, found.direction) == ("token_f1", "code", "maximize")
    assert found.score == pytest.approx(2 / 3)


def test_unscored_stays_unscored():
    """An answer whose reference is empty has no score, and the reason as explanation."""
    (found,) = evaluator(MEAN).evaluate({"question": "?", "candidate": "Paris", "references": [""]})
    assert (found.score, found.explanation) == (None, "every reference is empty")


def test_a_metric_of_the_whole_run_is_refused():
    """`cider` weighs words by all references, which an evaluator does not have."""
    with pytest.raises(qassay.SpecError, match="cider depends on the whole run"):
        evaluator("cider")


def test_the_question_may_be_missing():
    """A metric that reads no question is not asked for one."""
    (found,) = evaluator("exact_match").evaluate({"candidate": "paris", "references": "Paris"})
    assert found.score == 1.0


def test_empty_cells_are_unscored():
    """NaN and None in a table are missing answers, references and questions; Phoenix is not made to try again."""
    table = pd.DataFrame(
        {
            "question": ["Where?", "Where?", float("nan")],
            "candidate": [float("nan"), "Paris", "It is Paris"],
            "references": [["Paris"], None, "Paris"],
        }
    )
    found = evaluate_dataframe(dataframe=table, evaluators=[evaluator("ava")], max_retries=0)
    scores = list(found["ava_score"])
    assert ["score" in each for each in scores] == [False, False, True]
    assert scores[0]["explanation"] == "no candidate"
    assert scores[1]["explanation"].startswith('"references" must be a list')
    assert scores[2]["explanation"] == "answers without a question, judged by their references alone"
