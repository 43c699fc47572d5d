"""Scoring pairs of answers: `qassay verify`, with every method in one pass."""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import SpecError
from qassay.io.readers.summaries import ANSWER_CONTEXT
from qassay.metrics.base import MeanMetric
from qassay.metrics.questions.verification import BERT_SCORE, LERC, METHODS, Pair, Verifier, bounds, rescaled
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import Scorer, batches
from qassay.spec import Declaration, MetricSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.scoring.aggregation import ScoredBatch

IS_ANSWERED = "is_answered"
NO_PREDICTION = "no prediction"
AT_ONCE = 256
_SOURCE = "Deutsch and Roth 2022"
PAIR_METHODS = {
    each.name: each
    for each in (
        Declaration("em", "1 if the answers are equal after normalisation", _SOURCE),
        Declaration("token_f1", "harmonic mean of token precision and recall", _SOURCE),
        Declaration(
            BERT_SCORE,
            "greedy matching of the phrases' tokens, each encoded in its context; the 2.5th and 97.5th percentiles "
            "of the run are 0 and 1",
            _SOURCE,
        ),
        Declaration(LERC, "a reader's estimate of how alike the answers are, in the prediction's context", _SOURCE),
        Declaration(IS_ANSWERED, "1 if there is a prediction at all", _SOURCE),
    )
}
DEFAULT_METHODS = METHODS
_CONTEXTS = {LERC: frozenset({"context"}), BERT_SCORE: frozenset({"context", ANSWER_CONTEXT})}


def parse_method(text: str) -> str:
    """Read a method's name."""
    name = text.strip()
    if name not in PAIR_METHODS:
        close = get_close_matches(name, PAIR_METHODS, n=1, cutoff=0.5)
        nearest = f'; did you mean "{close[0]}"?' if close else ""
        raise SpecError(f'there is no method of verification "{name}"{nearest} (there are {", ".join(PAIR_METHODS)})')
    return name


class PairMetric(MeanMetric):
    """One method of verification, read off what the run's verifier says of a batch."""

    def __init__(
        self,
        method: str,
        verdicts: Callable[[Sequence[Example]], Mapping[str, Floats]],
        reasons: Mapping[tuple[str, Pair], str],
        identity: Callable[[], Mapping[str, str]],
    ) -> None:
        super().__init__(MetricSpec(method), PAIR_METHODS[method])
        self._verdicts = verdicts
        self._reasons = reasons
        self._identity = identity

    @property
    def reads(self) -> frozenset[str]:
        """The texts that the answers stand in, where the method looks at them."""
        return _CONTEXTS.get(self.spec.name, frozenset())

    def identity(self, resources: Resources) -> dict[str, str]:  # noqa: ARG002 - the verifier's models are its own
        """Return the models' fingerprints."""
        return dict(self._identity())

    def values(self, batch: Batch) -> Floats:
        """Return the pairs' scores."""
        return self._verdicts(batch.examples)[self.spec.name]

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Name the pairs without a prediction, and those that the method cannot compare."""
        places = ((i, (self.spec.name, pair_of(example))) for i, example in enumerate(batch.examples))
        reasons = {i: self._reasons[place] for i, place in places if place in self._reasons}
        return {**reasons, **dict.fromkeys(np.flatnonzero(batch.missing).tolist(), NO_PREDICTION)}


class PairScorer(Scorer):
    """Verification of answer pairs by several methods at once."""

    used_up = frozenset({ANSWER_CONTEXT})

    def __init__(
        self,
        methods: Iterable[str] | None = None,
        *,
        model: str = EMBEDDED,
        device: Device = "auto",
        threads: int | None = None,
    ) -> None:
        super().__init__([], model=model, device=device, threads=threads)
        wanted = list(dict.fromkeys(map(parse_method, methods or DEFAULT_METHODS)))
        self._by_reading = Verifier(
            [each for each in wanted if each in METHODS and each != BERT_SCORE], model=model, device=device
        )
        self._in_context = Verifier([each for each in wanted if each == BERT_SCORE], model=model, device=device)
        reasons = self._by_reading.reasons
        self.metrics = [
            PairMetric(method, self._verdicts, reasons, partial(self._identity, method)) for method in wanted
        ]
        self._bounds = (0.0, 1.0)
        self._bert_scores: dict[tuple[str, str], float] = {}
        self._last: tuple[Sequence[Example], dict[str, Floats]] = ((), {})

    def _identity(self, method: str) -> Mapping[str, str]:
        return {**self._by_reading.identity, **self._in_context.identity}.get(method, {})

    @property
    def counts_first(self) -> bool:
        """What counts as 0 and as 1 for `bert_score` follows from all pairs of the run."""
        return bool(self._in_context.methods)

    def count(self, examples: Iterable[Example]) -> None:
        """Compare the phrases of all pairs by their embeddings, and see how far the scores go."""
        if not self.counts_first:
            return
        for chunk in batches(examples, AT_ONCE):
            given = [example for example in chunk if example.candidate and example.candidate.strip()]
            scores = self._in_context.verify([pair_of(example) for example in given])[BERT_SCORE]
            self._bert_scores.update(
                ((example.system, example.id), score) for example, score in zip(given, scores.tolist(), strict=True)
            )
        self._bounds = bounds(np.array(list(self._bert_scores.values())))

    def score(self, examples: Sequence[Example]) -> ScoredBatch:
        """Score one batch by every method."""
        scored = super().score(examples)
        scored.notes.update(self._by_reading.notes + self._in_context.notes)
        self._by_reading.notes.clear()
        self._in_context.notes.clear()
        return scored

    def _verdicts(self, examples: Sequence[Example]) -> dict[str, Floats]:
        if self._last[0] is not examples:
            self._last = (examples, self._verified(examples))
        return self._last[1]

    def _verified(self, examples: Sequence[Example]) -> dict[str, Floats]:
        given = np.array([example.candidate is not None for example in examples], bool)
        pairs = [pair_of(example) for example in examples if example.candidate is not None]
        found = self._by_reading.verify(pairs)
        found[IS_ANSWERED] = np.array([bool(pair.prediction.strip()) for pair in pairs], np.float64)
        if self.counts_first:
            keys = [(example.system, example.id) for example in examples if example.candidate is not None]
            scores = rescaled(np.array([self._bert_scores.get(key, np.nan) for key in keys]), *self._bounds)
            # A blank prediction was not compared, and shares nothing with the answer.
            found[BERT_SCORE] = np.where(found[IS_ANSWERED] > 0, scores, 0.0)
        values = {method: np.full(len(examples), np.nan) for method in found}
        for method, scores in found.items():
            values[method][given] = scores
        return values


def pair_of(example: Example) -> Pair:
    """Return the pair that an example of the format `pairs` stands for."""
    return Pair(
        example.question,
        example.references[0].text,
        example.candidate or "",
        example.extra.get(ANSWER_CONTEXT),
        example.context,
    )
