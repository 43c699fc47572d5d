"""Evaluators for LlamaIndex."""

from __future__ import annotations

from asyncio import to_thread
from typing import TYPE_CHECKING, Any

from qassay.errors import SpecError
from qassay.hosts.answers import answer_row, require_single, score_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

PASSING = 0.5


def evaluator(metric: str, *, passing: float = PASSING) -> Any:  # noqa: ANN401 - a `BaseEvaluator`, perhaps not installed
    """Return a `BaseEvaluator`; an answer passes from the score `passing` on, and is invalid if it has no score."""
    require_single(metric)
    try:
        from llama_index.core.evaluation import BaseEvaluator, EvaluationResult  # noqa: PLC0415 - the tool, needed now
    except ImportError as missing:
        raise SpecError("LlamaIndex is not installed; run: pip install llama-index-core") from missing

    class QassayEvaluator(BaseEvaluator):  # type: ignore[misc]
        def _get_prompts(self) -> dict[str, Any]:
            return {}

        def _update_prompts(self, prompts: dict[str, Any]) -> None:
            """Nothing is prompted."""

        async def aevaluate(
            self,
            query: str | None = None,
            response: str | None = None,
            contexts: Sequence[str] | None = None,
            reference: str | Sequence[str] | None = None,
            **_: object,
        ) -> Any:  # noqa: ANN401 - an `EvaluationResult`
            more = {} if contexts is None else {"contexts": list(contexts)}
            score = await to_thread(score_answer, metric, answer_row(response, reference, query, **more))
            return EvaluationResult(
                query=query,
                response=response,
                contexts=contexts,
                score=score.value,
                passing=None if score.value is None else score.value >= passing,
                invalid_result=score.value is None,
                invalid_reason=score.reason,
                feedback=score.comment,
            )

    return QassayEvaluator()
