"""Evaluators for Phoenix (arize-phoenix-evals)."""

from __future__ import annotations

from typing import Any

from qassay.errors import SpecError
from qassay.hosts.answers import answer_row, require_single, score_answer


def evaluator(metric: str) -> Any:  # noqa: ANN401 - a Phoenix `Evaluator`, which may not be installed
    """Return an evaluator of `candidate`, `references` and `question`; the explanation says why there is no score."""
    require_single(metric)
    try:
        from phoenix.evals import Score, create_evaluator  # noqa: PLC0415 - the tool, needed now
    except ImportError as missing:
        raise SpecError("Phoenix is not installed; run: pip install arize-phoenix-evals") from missing

    # Phoenix checks the types of arguments, and tries again where they do not fit; a table's empty cells are NaN.
    def evaluate(candidate: Any, references: Any, question: Any = "") -> Any:  # noqa: ANN401 - as above; a `Score`
        score = score_answer(metric, answer_row(candidate, references, question))
        return Score(name=metric, score=score.value, explanation=score.comment, kind="code", direction="maximize")

    return create_evaluator(name=metric, kind="code", direction="maximize")(evaluate)
