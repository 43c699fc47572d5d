"""String evaluators for LangChain."""

from __future__ import annotations

from typing import Any

from qassay.errors import SpecError
from qassay.hosts.answers import answer_row, require_single, score_answer


def evaluator(metric: str) -> Any:  # noqa: ANN401 - a `StringEvaluator`, which may not be installed
    """Return a `StringEvaluator`; an answer without a score has None, and the reason as `reasoning`."""
    require_single(metric)
    try:
        from langchain_classic.evaluation import StringEvaluator  # noqa: PLC0415 - the tool, needed now
    except ImportError as missing:
        raise SpecError("LangChain's evaluators are not installed; run: pip install langchain-classic") from missing

    class QassayEvaluator(StringEvaluator):  # type: ignore[misc]
        @property
        def evaluation_name(self) -> str:
            return metric

        @property
        def requires_reference(self) -> bool:
            return True

        def _check_evaluation_args(self, *_: object, **__: object) -> None:
            """Pass everything on: the score's reasoning tells what is missing, and metrics may read the question."""

        def _evaluate_strings(
            self,
            *,
            prediction: str,
            reference: str | list[str] | None = None,
            input: str | None = None,  # noqa: A002 - as LangChain calls it
            **_: object,
        ) -> dict[str, Any]:
            score = score_answer(metric, answer_row(prediction, reference, input))
            return {"key": metric, "score": score.value, "reasoning": score.comment}

    return QassayEvaluator()
