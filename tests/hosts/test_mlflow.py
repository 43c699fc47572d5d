"""MLflow's evaluation with Qassay's scorers."""

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS
from qassay.hosts.mlflow import scorer

mlflow = pytest.importorskip("mlflow")

EMPTY = {"inputs": {"question": "?"}, "outputs": "Paris", "expectations": {"expected_response": ""}}


@pytest.fixture(autouse=True)
def tracking(tmp_path, monkeypatch):
    """Store runs in a database of the test's own, with as many workers as it takes connections, and report nothing."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_GENAI_EVAL_MAX_WORKERS", "2")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("answers", artifact_location=str(tmp_path / "files")))


def as_data(row):
    return {
        "inputs": {"question": row["question"]},
        "outputs": row["candidate"],
        "expectations": {"references": row["references"]},
    }


def test_scores_are_those_of_qassay():
    """The logged mean and each answer's score are those of `qassay.score`; BLEU, which is no mean, is not averaged."""
    expected = qassay.score(ROWS, [MEAN, POOLED], intervals=False)
    found = mlflow.genai.evaluate(data=[as_data(row) for row in ROWS], scorers=[scorer(MEAN), scorer(POOLED)])
    assert found.metrics == {f"{MEAN}/mean": pytest.approx(expected.aggregates[0].value, abs=1e-6)}
    scored = {
        (each.question, each.candidate): tuple(expected.score(metric, i).value for metric in (MEAN, POOLED))
        for i, each in enumerate(expected.examples)
    }
    table = found.tables["eval_results"]
    columns = zip(table["request"], table["response"], table[f"{MEAN}/value"], table[f"{POOLED}/value"], strict=True)
    assert {(asked["question"], answer): values for asked, answer, *values in columns} == {
        key: pytest.approx(values, abs=1e-6) for key, values in scored.items()
    }


def test_unscored_stays_unscored():
    """An answer whose reference is empty has an error with the reason, and no part in the mean."""
    found = mlflow.genai.evaluate(data=[as_data(ROWS[0]), EMPTY], scorers=[scorer("rouge_l")])
    assert found.metrics == {"rouge_l/mean": 1.0}
    table = found.tables["eval_results"]
    assert set(table["rouge_l/error_message"].dropna()) == {"every reference is empty"}


def test_rows_at_fault_are_unscored_and_notes_are_rationales():
    """Missing references and answers are errors with the reason; a judge without a question says so."""
    asked = {"question": "What is the capital of France?"}
    data = [
        {"inputs": asked, "outputs": "Paris", "expectations": {"other": "Paris"}},
        {"inputs": asked, "outputs": None, "expectations": {"expected_response": "Paris"}},
        {"inputs": {"query": "?"}, "outputs": "It is Paris.", "expectations": {"expected_response": "Paris"}},
    ]
    table = mlflow.genai.evaluate(data=data, scorers=[scorer("ava")]).tables["eval_results"]
    assert set(table["ava/error_message"].dropna()) == {
        '"references" must be a list of strings and is null; write ["…"]',
        "no candidate",
    }
    assert list(table["ava/rationale"].dropna()) == ["answers without a question, judged by their references alone"]
