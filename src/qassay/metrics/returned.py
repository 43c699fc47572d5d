"""Checks of what the methods of registered metrics return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.arrays import real_numbers
from qassay.errors import PluginError
from qassay.metrics.breakdown import ScoreBreakdown
from qassay.plugins import described
from qassay.records import AnswerNotes

if TYPE_CHECKING:
    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.metrics.base import Metric

METHODS = (
    "__init__",
    "first_passes",
    "identity",
    "unreadable",
    "values",
    "stats",
    "finish",
    "explain",
    "answer_notes",
    "token_weights",
    "unscored",
)
"""What a metric of another package may define."""
_PER_ANSWER = "return one number per answer, NaN where there is none"


def _values(metric: Metric, batch: Batch, given: object) -> Floats:
    found = _numbers(metric, "values", given, _PER_ANSWER)
    if found.shape != (len(batch),):
        many = f"{len(found)} values" if found.ndim == 1 else f"values of shape {found.shape}"
        raise _wrong(metric, f"returned {many} for {len(batch)} answers; {_PER_ANSWER}")
    return found


def _stats(metric: Metric, batch: Batch, given: object) -> Floats:
    remedy = "return one row of numbers per answer"
    found = _numbers(metric, "stats", given, remedy)
    if found.ndim != 2 or len(found) != len(batch) or not found.shape[1]:  # noqa: PLR2004 - rows and columns
        raise _wrong(
            metric,
            f"returned statistics of shape {found.shape} for {len(batch)} answers; {remedy}",
        )
    return found


def _finish(metric: Metric, stats: Floats, given: object) -> Floats:
    remedy = "return one score per row, NaN where nothing was scored"
    found = _numbers(metric, "finish", given, remedy)
    if found.shape != stats.shape[:-1]:
        raise _wrong(metric, f"finished statistics of shape {stats.shape} to scores of shape {found.shape}; {remedy}")
    return found


def _explain(metric: Metric, batch: Batch, given: object) -> object:
    right = isinstance(given, list | tuple) and all(isinstance(each, ScoreBreakdown) for each in given)
    if not right or len(given) != len(batch):  # type: ignore[arg-type]  # a sequence, where it is right
        raise _wrong(
            metric, f"explained {len(batch)} answers by {given!r:.60}; return one qassay.ScoreBreakdown per answer"
        )
    return given


def _answer_notes(metric: Metric, batch: Batch, given: object) -> object:
    right = isinstance(given, list | tuple) and all(each is None or isinstance(each, AnswerNotes) for each in given)
    if not right or len(given) not in {0, len(batch)}:  # type: ignore[arg-type]  # a sequence, where it is right
        remedy = "return one qassay.AnswerNotes per answer, or None"
        raise _wrong(metric, f"returned {given!r:.60} from answer_notes for {len(batch)} answers; {remedy}")
    return given


def _unscored(metric: Metric, batch: Batch, given: object) -> object:
    if not isinstance(given, dict) or not all(key in range(len(batch)) for key in given):
        raise _wrong(metric, f"returned {given!r:.60} from unscored; return the reasons by row of the batch")
    return given


def _numbers(metric: Metric, method: str, given: object, remedy: str) -> Floats:
    found = real_numbers(given)
    if found is None:
        raise _wrong(metric, f"returned {given!r:.60} from {method}, which are no numbers; {remedy}")
    if np.isinf(found).any():
        raise _wrong(metric, f"returned infinity from {method}; {remedy}")
    return found


def _wrong(metric: Metric, problem: str) -> PluginError:
    return PluginError(f"{described('metric', metric.name, type(metric))} {problem}")


CHECKS: dict[str, Any] = {
    "values": _values,
    "stats": _stats,
    "finish": _finish,
    "explain": _explain,
    "answer_notes": _answer_notes,
    "unscored": _unscored,
}
"""By method: given the metric, what the method was given and what it returned, the latter as an array or as it is."""
