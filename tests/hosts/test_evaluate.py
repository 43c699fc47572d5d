"""Hugging Face `evaluate` with Qassay's metrics."""

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS
from qassay.hosts.evaluate import folder

evaluate = pytest.importorskip("evaluate")


@pytest.mark.parametrize("metric", [MEAN, POOLED])
def test_scores_are_those_of_qassay(metric):
    """The aggregate and each answer's score are those of `qassay.score`."""
    expected = qassay.score(ROWS, metric, intervals=False)
    loaded = evaluate.load(folder(), metric)
    found = loaded.compute(
        predictions=[row["candidate"] for row in ROWS],
        references=[row["references"] for row in ROWS],
        questions=[row["question"] for row in ROWS],
    )
    assert found[metric] == expected.aggregates[0].value
    assert found["scores"] == [expected.score(metric, i).value for i in range(len(ROWS))]


def test_one_reference_each():
    """References may be texts."""
    found = evaluate.load(folder(), "token_f1").compute(predictions=["Paris", "Rome"], references=["Paris", "Oslo"])
    assert found["scores"] == [1.0, 0.0]
