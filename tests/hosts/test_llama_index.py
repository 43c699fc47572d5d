"""LlamaIndex's evaluators with Qassay's metrics."""

import asyncio

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS
from qassay.hosts.llama_index import evaluator

pytest.importorskip("llama_index.core")


@pytest.mark.parametrize("metric", [MEAN, POOLED])
def test_scores_are_those_of_qassay(metric):
    """The batch runner gives each answer the score of `qassay.score`."""
    from llama_index.core.evaluation import BatchEvalRunner  # noqa: PLC0415 - the tool

    expected = qassay.score(ROWS, metric, intervals=False)
    runner = BatchEvalRunner({metric: evaluator(metric)}, workers=2)
    run = runner.aevaluate_response_strs(
        queries=[row["question"] for row in ROWS],
        response_strs=[row["candidate"] for row in ROWS],
        reference=[row["references"] for row in ROWS],
    )
    found = asyncio.run(run)[metric]
    values = [expected.score(metric, i).value for i in range(len(ROWS))]
    assert [each.score for each in found] == pytest.approx(values, abs=1e-6)
    assert [each.passing for each in found] == [value >= 0.5 for value in values]


def test_unscored_stays_unscored():
    """An answer whose reference is empty is invalid, with the reason."""
    found = evaluator(MEAN).evaluate(query="?", response="Paris", reference="")
    assert (found.score, found.passing, found.invalid_result) == (None, None, True)
    assert found.invalid_reason == "every reference is empty"


def test_missing_references_and_questions_are_told():
    """Without a reference an answer is invalid; without a question the feedback says so."""
    found = evaluator(MEAN).evaluate(query="?", response="Paris")
    assert found.invalid_result
    assert found.invalid_reason.startswith('"references" must be a list')
    assert evaluator(MEAN).evaluate(response="It is Paris", reference="Paris").feedback == (
        "answers without a question, judged by their references alone"
    )
