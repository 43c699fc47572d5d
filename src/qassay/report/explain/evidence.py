"""Why an answer got its scores, for every answer of a report: keyphrase weights and the judge's signals."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.features.batch import Batch
from qassay.features.token_views import text_spans, text_tokens
from qassay.features.weightings import WEIGHTINGS, TokenisedTexts
from qassay.scoring.long_texts import TooLongGuard
from qassay.scoring.scorer import MODEL_BATCH, batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.metrics.breakdown import CheckedClaim, Ingredient, Part
    from qassay.records import AnswerNotes, Example
    from qassay.scoring.scorer import Scorer
_WORDS = "word"


class WeighedWord(NamedTuple):
    """A word's span in its composed text, and its weight."""

    start: int
    end: int
    weight: float


class WeighedTexts(NamedTuple):
    """The words of an answer and of its references with a weight above 0."""

    candidate: tuple[WeighedWord, ...]
    references: tuple[tuple[WeighedWord, ...], ...]

    @property
    def strongest(self) -> float:
        """The highest weight in any of the texts."""
        return max((word.weight for text in (self.candidate, *self.references) for word in text), default=0.0)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """The evidence for one answer's scores."""

    weights: Mapping[str, WeighedTexts] = field(default_factory=dict)
    """By weighting."""
    parts: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    """By spec of a metric that has parts, the signals with what they add to the verdict, the strongest first."""
    notes: Mapping[str, AnswerNotes] = field(default_factory=dict)
    """By spec of a metric that notes it, what the answer asserts."""
    claims: Mapping[str, Sequence[CheckedClaim]] = field(default_factory=dict)
    """By spec of a metric that checks them, the answer's sentences with the verdict on each."""
    ingredients: Mapping[str, Sequence[Ingredient]] = field(default_factory=dict)
    """By spec of a metric that notes what the answer asserts, what decided: rules, or texts that need no model."""


def gather_evidence(examples: Iterable[Example], scorer: Scorer) -> Iterator[AnswerEvidence]:
    """Yield the evidence for each answer's scores, computing weights and signals once more."""
    used = {metric.spec.weights for metric in scorer.metrics}
    # The other weightings can be read off the texts.
    weightings = [name for name in WEIGHTINGS if name in used and WEIGHTINGS[name].runs_model]
    for chunk in batches(examples, MODEL_BATCH):
        readable = TooLongGuard(Batch(chunk, scorer.resources), scorer.on_error)
        weighed = {each: readable.run(partial(_weighed, weighting=each))[0] for each in weightings}
        explained = {str(metric.spec): readable.run(metric.explain)[0] for metric in scorer.metrics}
        noted = {str(metric.spec): readable.run(metric.answer_notes)[0] for metric in scorer.metrics}
        for i in range(len(chunk)):
            notes = {spec: note for spec, each in noted.items() if each and (note := each[i]) is not None}
            yield AnswerEvidence(
                {name: found[i] for name, found in weighed.items()},
                {spec: found[i].parts for spec, found in explained.items() if found[i].parts},
                notes,
                {spec: found[i].claims for spec, found in explained.items() if found[i].claims},
                {spec: explained[spec][i].ingredients for spec in notes if explained[spec][i].ingredients},
            )


def _weighed(batch: Batch, weighting: str) -> list[WeighedTexts]:
    spans = text_spans(batch, _WORDS)
    texts = TokenisedTexts(_WORDS, lambda: text_tokens(batch, _WORDS), lambda: spans)
    found = WEIGHTINGS[weighting].weigh(batch, texts)
    by_row = found.by_row(np.array([len(each) for each in spans], np.int64))
    words = [_words(spans[text], weights) for text, weights in zip(found.text.tolist(), by_row, strict=True)]
    ends = np.cumsum([0, *(len(example.references) for example in batch.examples)]).tolist()
    return [
        WeighedTexts(
            () if batch.missing[i] else words[found.candidate[i]],
            tuple(words[row] for row in found.reference[ends[i] : ends[i + 1]].tolist()),
        )
        for i in range(len(batch))
    ]


def _words(spans: Ints, weights: Floats) -> tuple[WeighedWord, ...]:
    places = zip(spans.tolist(), weights.tolist(), strict=True)
    return tuple(WeighedWord(start, end, weight) for (start, end), weight in places if weight > 0 and end > start)
