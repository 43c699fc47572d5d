"""Scorers for Inspect: `inspect score LOG --scorer qassay/ava`.

Loading the module registers a scorer per metric, which is what Inspect's entry point does.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from qassay.errors import SpecError
from qassay.hosts.answers import answer_row, is_mean, pooled_score, pooled_stderr, require_single, score_answer
from qassay.metrics.registry import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC, SAMPLE = "qassay_metric", "inspect_sample"
"""Fields of an answer that say by which metric it was scored, and which sample it belongs to."""
CONTEXTS = ("context", "contexts")
"""Fields of a sample's metadata that metrics of faithfulness read."""


def _make_scorers() -> dict[str, Callable[..., Any]]:
    """Return a scorer for each metric, with Inspect's mean and standard error, or with pooled ones, as for BLEU."""
    from anyio.to_thread import run_sync  # noqa: PLC0415 - what Inspect runs on, asyncio or trio
    from inspect_ai.scorer import Score, mean, metric, scorer, stderr  # noqa: PLC0415 - the tool, needed now

    @metric(name="pooled", scores="unreduced")  # type: ignore[untyped-decorator]
    def pooled() -> Callable[[list[Any]], float]:
        def pool(scores: list[Any]) -> float:
            return pooled_score(*_answers(scores)) if scores else float("nan")

        return pool

    @metric(name="pooled_stderr", scores="unreduced")  # type: ignore[untyped-decorator]
    def stderr_of_pooled() -> Callable[[list[Any]], float]:
        def pool(scores: list[Any]) -> float:
            epochs = len({each.sample_id for each in scores}) < len(scores)
            return pooled_stderr(*_answers(scores), cluster=SAMPLE if epochs else None) if scores else float("nan")

        return pool

    def make(name: str) -> Any:  # noqa: ANN401 - makes a `Scorer`
        metrics = [mean(), stderr()] if is_mean(name) else [pooled(), stderr_of_pooled()]

        @scorer(metrics=metrics, name=name)  # type: ignore[untyped-decorator]
        def qassay_scorer(options: str = "") -> Callable[..., Any]:
            spec = f"{name},{options}" if options else name
            require_single(spec)

            async def score(state: Any, target: Any) -> Any:  # noqa: ANN401 - `TaskState`, `Target` and `Score`
                more = {name: state.metadata[name] for name in CONTEXTS if name in state.metadata}
                # A sample without a target has an empty one.
                references = [each for each in target if each.strip()]
                candidate = state.output.completion if state.output.choices else None
                row = answer_row(candidate, references, state.input_text, **more)
                found = await run_sync(score_answer, spec, row)
                kept = {"answer": row["candidate"], "metadata": {**row, SPEC: spec}}
                if found.value is None:
                    return Score.unscored(reason=found.reason, **kept)
                return Score(value=found.value, explanation=found.comment, **kept)

            return score

        return qassay_scorer

    return {name: make(name) for name in CATALOGUE}


def _answers(scores: list[Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return the metric of some scores, and the answers behind them; several epochs of a sample share its name."""
    rows = [{**each.score.metadata, SAMPLE: str(each.sample_id)} for each in scores]
    return rows[0][SPEC], rows


def __getattr__(name: str) -> object:
    if name not in CATALOGUE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise SpecError("Inspect is not installed; run: pip install inspect_ai")


if find_spec("inspect_ai") is not None:
    globals().update(_make_scorers())
