"""Answer verification: whether two phrases, each in its own text, answer a question alike (Deutsch and Roth 2022)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.metrics.base import f_measure
from qassay.metrics.matching import match, unit
from qassay.models.base import EMBEDDED
from qassay.models.load import load_encoder
from qassay.records import Example, Reference
from qassay.scoring import Scorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.arrays import Floats
    from qassay.models.base import Encoder, TokenEmbeddings
    from qassay.text.sentences import Span

BY_WORDS = {"em": "exact_match", "token_f1": "token_f1", "lerc": "lerc"}
"""Methods that are metrics of the catalogue."""
METHODS = (*BY_WORDS, "bert_score")
LOW, HIGH = 2.5, 97.5
"""The percentiles of a run's BERTScores that become 0 and 1."""
NOT_IN_CONTEXT = "phrases that do not stand in their context, encoded by themselves"


class Pair(NamedTuple):
    """An expected answer and a prediction, with the texts that they come from."""

    question: str
    answer: str
    prediction: str
    answer_context: str | None = None
    prediction_context: str | None = None
    answer_span: Span | None = None
    """Where the answer stands in its context; looked for where it is not given."""
    prediction_span: Span | None = None


class Verifier:
    """Scores pairs by several methods, equal pairs once."""

    def __init__(self, methods: Iterable[str], *, model: str = EMBEDDED, layer: int | None = None) -> None:
        self.methods = tuple(dict.fromkeys(methods))
        self.notes: Counter[str] = Counter()
        self._model = model
        self._layer = layer
        self._specs = {method: BY_WORDS[method] for method in self.methods if method in BY_WORDS}
        self._scorer = Scorer(self._specs.values()) if self._specs else None

    @property
    def identity(self) -> dict[str, dict[str, str]]:
        """What each method's scores depend on besides the texts: the models' fingerprints."""
        found = {}
        if self._scorer:
            by_spec = {str(metric.spec): metric.identity(self._scorer.resources) for metric in self._scorer.metrics}
            found = {method: by_spec[spec] for method, spec in self._specs.items()}
        if "bert_score" in self.methods:
            found["bert_score"] = {"model": f"{self._model}@{self._encoder.fingerprint}"}
        return found

    def verify(self, pairs: Sequence[Pair]) -> dict[str, Floats]:
        """Give each method's scores; `bert_score` is not rescaled yet."""
        distinct = list(dict.fromkeys(pairs))
        place = {pair: i for i, pair in enumerate(distinct)}
        rows = np.array([place[pair] for pair in pairs], np.int64)
        found = self._by_words(distinct)
        if "bert_score" in self.methods:
            found["bert_score"] = self._bert_score(distinct)
        return {method: found[method][rows] for method in self.methods}

    def _by_words(self, pairs: Sequence[Pair]) -> dict[str, Floats]:
        if self._scorer is None or not pairs:
            return {method: np.empty(0) for method in self._specs}
        examples = [
            Example(
                str(i),
                pair.question,
                (Reference(pair.answer),),
                pair.prediction,
                context=pair.prediction_context or None,
            )
            for i, pair in enumerate(pairs)
        ]
        scores = self._scorer.score(examples).scores
        return {method: scores[spec] for method, spec in self._specs.items()}

    @property
    def _encoder(self) -> Encoder:
        return load_encoder(self._model)

    def _bert_score(self, pairs: Sequence[Pair]) -> Floats:
        """Match the tokens of the two phrases, each encoded inside its text (F1 of greedy cosine matching)."""
        encoder = self._encoder
        layer = self._layer or encoder.default_layer
        sides = [
            [self._placed(pair.answer, pair.answer_context, pair.answer_span) for pair in pairs],
            [self._placed(pair.prediction, pair.prediction_context, pair.prediction_span) for pair in pairs],
        ]
        texts = list(dict.fromkeys(text for side in sides for text, _ in side))
        encoded = dict(zip(texts, encoder.encode(texts, layer), strict=True))
        units = {text: unit(made) for text, made in encoded.items()}
        scores = np.zeros(len(pairs))
        for i, ((left, left_span), (right, right_span)) in enumerate(zip(*sides, strict=True)):
            ours, theirs = within(encoded[left], left_span), within(encoded[right], right_span)
            if ours.any() and theirs.any():
                a, b = units[left][ours], units[right][theirs]
                precision, recall = match(b, a, np.ones(len(b)), np.ones(len(a)), 1)
                scores[i] = float(f_measure(np.array([precision]), np.array([recall]), beta=1)[0])
        return scores

    def _placed(self, phrase: str, context: str | None, span: Span | None) -> tuple[str, Span]:
        """Give the text to encode and where in it the phrase stands."""
        if context and span and context[slice(*span)] == phrase:
            return context, span
        start = context.find(phrase) if context and phrase else -1
        if context and start >= 0:
            return context, (start, start + len(phrase))
        self.notes[NOT_IN_CONTEXT] += bool(context)
        return phrase, (0, len(phrase))


def within(encoded: TokenEmbeddings, span: Span) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which tokens of a text touch a span of its characters."""
    touched: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        ~encoded.special & (encoded.spans[:, 0] < span[1]) & (encoded.spans[:, 1] > span[0])
    )
    return touched


def bounds(scores: Floats) -> tuple[float, float]:
    """Give the scores that become 0 and 1: the 2.5th and 97.5th percentiles of a run's."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.percentile(known, [LOW, HIGH])
    return float(low), float(high)


def rescaled(scores: Floats, low: float, high: float) -> Floats:
    """Map a run's scores to 0 to 1, outliers to the ends; where all scores are the same, to 1."""
    if high <= low:
        return np.where(np.isnan(scores), np.nan, 1.0)
    return np.clip((scores - low) / (high - low), 0.0, 1.0)
