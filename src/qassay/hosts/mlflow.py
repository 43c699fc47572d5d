"""Scorers for `mlflow.genai.evaluate`."""

from __future__ import annotations

from typing import Any

from qassay.errors import SpecError
from qassay.hosts.answers import answer_row, is_mean, require_single, score_answer


def scorer(metric: str) -> Any:  # noqa: ANN401 - an MLflow `Scorer`, which may not be installed
    """Return a scorer of rows with `inputs["question"]`, `outputs` and `expectations["expected_response"]`.

    Several references stand under `expectations["references"]`. An answer without a score has an error with the reason.
    MLflow averages scores; of a metric whose score of many answers is no mean, as BLEU's, it is asked not to.
    """
    require_single(metric)
    try:
        from mlflow.entities import AssessmentError, Feedback  # noqa: PLC0415 - the tool, needed now
        from mlflow.genai.scorers import scorer as as_scorer  # noqa: PLC0415 - as above
    except ImportError as missing:
        raise SpecError("MLflow is not installed; run: pip install mlflow") from missing

    def feedback(inputs: dict[str, Any], outputs: str, expectations: dict[str, Any]) -> Any:  # noqa: ANN401 - `Feedback`
        references = expectations.get("references") or expectations.get("expected_response")
        score = score_answer(metric, answer_row(outputs, references, inputs.get("question")))
        if score.value is None:
            return Feedback(name=metric, error=AssessmentError(error_code="UNSCORED", error_message=score.reason))
        return Feedback(name=metric, value=score.value, rationale=score.comment)

    return as_scorer(feedback, name=metric, aggregations=["mean"] if is_mean(metric) else [])
