"""What every tool needs: an answer as a row, its score, and the score of many together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import qassay
from qassay.errors import DataError, SpecError, worded
from qassay.metrics.questions.question_pass import QuestionPass
from qassay.metrics.registry import create
from qassay.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONFIDENT = 1.959963984540054
"""Standard errors on each side of a mean that a 95 % interval spans."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer's score, or why there is none."""

    value: float | None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    """What a reader of the score should know, such as that a judge had no question."""

    @property
    def comment(self) -> str | None:
        """Why there is no score, or the notes on it; None where there is nothing to say."""
        return self.reason or "; ".join(self.notes) or None


def answer_row(candidate: object, references: object, question: object = "", **more: object) -> dict[str, Any]:
    """Return an answer as `qassay.score` takes it; one reference may be given as a text."""
    listed = [references] if isinstance(references, str) else references
    return {"question": question or "", "references": listed, "candidate": candidate, **more}


def score_answer(metric: str, row: Mapping[str, Any]) -> ScoredAnswer:
    """Return an answer's score, or none with the reason, also where the row itself is at fault: no references, say."""
    try:
        result = qassay.score([row], metric, intervals=False, on_error="skip")
    except DataError as fault:
        return ScoredAnswer(None, worded(fault.problem))
    found = result.score(result.aggregates[0].metric, 0)
    return ScoredAnswer(found.value, found.reason, tuple(result.notes))


def require_single(metric: str) -> None:
    """Raise `SpecError` for a metric whose score of one answer depends on the others, as that of `cider` does."""
    if any(not isinstance(need, QuestionPass) for need in Scorer((metric,)).first_passes):
        raise SpecError(
            f"{metric} depends on the whole run, and answers are scored one by one here; use qassay.score on all rows"
        )


def is_mean(metric: str) -> bool:
    """Whether the score of many answers is the mean of theirs, which is not so for BLEU."""
    return create(metric).corpus == "mean"


def pooled_score(metric: str, rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the score of all answers together, as `qassay score` gives it; NaN if none has a score."""
    value = qassay.score(rows, metric, intervals=False, on_error="skip").aggregates[0].value
    return float("nan") if value is None else value


def pooled_stderr(metric: str, rows: Sequence[Mapping[str, Any]], *, cluster: str | None = None) -> float:
    """Return the standard error that the 95 % interval of `qassay score` stands for; NaN if there is no interval."""
    found = qassay.score(rows, metric, cluster=cluster, on_error="skip").aggregates[0]
    return float("nan") if found.low is None or found.high is None else (found.high - found.low) / (2 * CONFIDENT)
