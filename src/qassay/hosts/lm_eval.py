"""Results for lm-evaluation-harness: `process_results: !function qassay.hosts.lm_eval.process_results`."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from qassay.errors import DataError
from qassay.hosts.answers import answer_row, is_mean, pooled_score, require_single, score_answer
from qassay.hosts.answers import pooled_stderr as stderr_of
from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.mapped_fields import as_answer, as_references

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Results = dict[str, Any]

LOG = logging.getLogger(__name__)
METRICS = ("ava", "bleu")
"""What `process_results` scores."""


class AnswerScore(float):
    """An answer's score by a metric that is pooled, with the answer."""

    metric: str
    row: dict[str, Any]

    @classmethod
    def of(cls, value: float, metric: str, row: dict[str, Any]) -> Self:
        """Return the score of an answer."""
        made = cls(value)
        made.metric, made.row = metric, row
        return made


class PooledAnswer(dict[str, Any]):
    """An answer and its metric, for `pooled_stderr`; a mean of such answers is NaN."""

    def __radd__(self, _: object) -> float:
        return float("nan")


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> Results:
    """Return an answer's `ava`, and its `bleu` and `bleu_stderr`, which `pooled` and `pooled_stderr` aggregate."""
    return results_of(*METRICS)(doc, results)


@cache
def results_of(*metrics: str) -> Callable[[Mapping[str, Any], Sequence[Any]], Results]:
    """Return a `process_results` that scores by these metrics; an answer without a score has no result.

    Each reason for a missing score, and each note on a score, is logged as a warning once.
    """
    for metric in metrics:
        require_single(metric)
    means = {metric: is_mean(metric) for metric in metrics}
    told: set[tuple[str, str]] = set()

    def results_of_answer(doc: Mapping[str, Any], results: Sequence[Any]) -> Results:
        row = _row(doc, results)
        found: Results = {}
        for metric, mean in means.items():
            scored = score_answer(metric, row)
            value, comment = scored.value, scored.comment
            if comment and (metric, comment) not in told:
                told.add((metric, comment))
                LOG.warning("%s: %s: %s (told once)", metric, "no score" if value is None else "note", comment)
            if value is not None and mean:
                found[metric] = value
            elif value is not None:
                found[metric] = AnswerScore.of(value, metric, row)
                found[f"{metric}_stderr"] = PooledAnswer(metric=metric, row=row)
        return found

    return results_of_answer


def pooled(scores: Sequence[AnswerScore]) -> float:
    """Return the score of all answers together, as `qassay score` gives it."""
    return pooled_score(scores[0].metric, [each.row for each in scores])


def pooled_stderr(answers: Sequence[PooledAnswer]) -> float:
    """Return the standard error of `pooled`."""
    return stderr_of(answers[0]["metric"], [each["row"] for each in answers])


def _row(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Return a document's answer as a row; raise `DataError` if the document has no references."""
    references = "references" if "references" in doc else likely_name("references", doc)
    if references is None:
        raise DataError(f'the document has {", ".join(doc)}; name its references "references" (process_docs)')
    question = "question" if "question" in doc else likely_name("question", doc)
    asked = doc[question] if question else ""
    return answer_row(as_answer(results[0]), as_references(doc[references]), asked if isinstance(asked, str) else "")
