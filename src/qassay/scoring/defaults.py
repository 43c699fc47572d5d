"""The metrics of a run that names none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.models.base import is_foreign

if TYPE_CHECKING:
    from qassay.records import Example

LEXICAL = ("exact_match", "token_f1", "bleu", "rouge_l")
VERIFICATION = ("exact_match", "token_f1", "lerc,context=phrase", "bert_score,context=phrase,rescale=run")
"""Whether two phrases, each in its own text, are the same answer (Deutsch and Roth 2022)."""


def default_metrics(first: Example) -> tuple[str, ...]:
    """Choose the metrics for answers, by the first one.

    The keyphrase metrics read the question where there is one, and the judge needs it; the embedded model reads
    English, so text in another script gets the lexical metrics alone.
    """
    if any(is_foreign(each.text) for each in first.references):
        return LEXICAL
    if not first.question.strip():
        return (*LEXICAL, "rouge_l:kp", "bert_score:kp")
    return (*LEXICAL, "rouge_l:kpqa", "bert_score:kpqa", "ava")


def default_summary_metrics(first: Example) -> tuple[str, ...]:
    """Choose the metrics for summaries: QAEval if there are references, FEQA if there is a document."""
    return tuple(name for name, held in (("qaeval", first.references), ("feqa", first.context)) if held)
