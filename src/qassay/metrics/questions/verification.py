"""Answer verification: whether two phrases, each in its own text, answer a question alike (Deutsch and Roth 2022)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.metrics.phrase_in_context import ANSWER_SPAN, PREDICTION_SPAN
from qassay.metrics.registry import create_all
from qassay.models.base import EMBEDDED
from qassay.records import ANSWER_CONTEXT, Example, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.arrays import Floats
    from qassay.metrics.base import Metric
    from qassay.models.base import Device
    from qassay.text.sentences import Span

BERT_SCORE, IS_ANSWERED = "bert_score", "is_answered"
METHODS = {
    "lerc": "lerc,context=phrase,unread=score",
    "ava": "ava,unread=score",
    "exact_match": "exact_match",
    "token_f1": "token_f1",
    BERT_SCORE: "bert_score,context=phrase,unread=score",
}
"""The metrics by which answers are compared: phrases of texts whose script was looked at before anything was asked.
BERTScores are rescaled when all questions are answered."""


class Pair(NamedTuple):
    """An expected answer and a prediction, with the texts that they come from."""

    question: str
    answer: str
    prediction: str
    answer_context: str | None = None
    prediction_context: str | None = None
    answer_span: Span | None = None
    """The span of the answer in its context; searched for where it is not given."""
    prediction_span: Span | None = None


class Verifier:
    """Scores pairs by several methods, equal pairs once.

    `model` encodes the phrases for `bert_score`, and judges them for `lerc` where it can; else the embedded one does.
    """

    def __init__(
        self, methods: Iterable[str], *, model: str = EMBEDDED, device: Device = "auto", threads: int | None = None
    ) -> None:
        self.methods = tuple(dict.fromkeys(methods))
        self.notes: Counter[str] = Counter()
        self._resources = Resources(model=model, device=device, threads=threads)
        made = create_all([METHODS[method] for method in self.methods], model)
        self._metrics: dict[str, Metric] = dict(zip(self.methods, made, strict=True))

    def identity(self, method: str) -> dict[str, str]:
        """Return what a method's scores depend on besides the texts: the models' fingerprints."""
        return self._metrics[method].identity(self._resources) if method in self._metrics else {}

    def verify(self, pairs: Sequence[Pair]) -> dict[str, Floats]:
        """Return each method's scores; `bert_score` is not rescaled yet."""
        distinct = list(dict.fromkeys(pairs))
        place = {pair: i for i, pair in enumerate(distinct)}
        rows = [place[pair] for pair in pairs]
        batch = Batch([_example(pair) for pair in distinct], self._resources)
        found = {method: metric.finish(metric.stats(batch))[rows] for method, metric in self._metrics.items()}
        self.notes.update(batch.notes)
        return found


def _example(pair: Pair) -> Example:
    extra = {
        ANSWER_CONTEXT: pair.answer_context,
        ANSWER_SPAN: pair.answer_span,
        PREDICTION_SPAN: pair.prediction_span,
    }
    references = (Reference(pair.answer),)
    return Example("", pair.question, references, pair.prediction, context=pair.prediction_context, extra=extra)
