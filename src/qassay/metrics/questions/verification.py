"""Answer verification: whether two phrases, each in its own text, answer a question alike (Deutsch and Roth 2022)."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.metrics.base import f_measure
from qassay.metrics.embedding.matching import match, unit
from qassay.models.base import EMBEDDED, language_notes
from qassay.models.load import load_encoder
from qassay.records import Example, Reference
from qassay.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.arrays import Floats
    from qassay.models.base import Device, TokenEmbeddings
    from qassay.text.sentences import Span

BY_WORDS = {"em": "exact_match", "token_f1": "token_f1"}
"""Methods that compare words, with the catalogue's names for them."""
LERC, BERT_SCORE = "lerc", "bert_score"
METHODS = (*BY_WORDS, LERC, BERT_SCORE)
LONGEST_CONTEXT = 6000
"""Characters of a text that are encoded around a phrase."""
LERC_CONTEXT = 600
"""Characters of the prediction's text that LERC reads: a summary is hardly longer."""
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
    """Scores pairs by several methods, equal pairs once.

    `model` encodes the phrases for `bert_score`, and judges them for `lerc` where it can; else the embedded one does.
    """

    def __init__(
        self, methods: Iterable[str], *, model: str = EMBEDDED, device: Device = "auto", threads: int | None = None
    ) -> None:
        self.methods = tuple(dict.fromkeys(methods))
        self.notes: Counter[str] = Counter()
        self.reasons: dict[tuple[str, Pair], str] = {}
        """Why a method gave a pair no score."""
        self._open = partial(load_encoder, model, device, threads)
        self._words = Scorer(BY_WORDS.values())
        self._judge = Scorer([LERC], model=model, device=device, threads=threads)

    @property
    def identity(self) -> dict[str, dict[str, str]]:
        """What each method's scores depend on besides the texts: the models' fingerprints."""
        found: dict[str, dict[str, str]] = {method: {} for method in self.methods}
        if LERC in self.methods:
            found[LERC] = self._judge.metrics[0].identity(self._judge.resources)
        if BERT_SCORE in self.methods:
            encoder = self._open()
            found[BERT_SCORE] = {"model": f"{encoder.ref}@{encoder.fingerprint}"}
        return found

    def verify(self, pairs: Sequence[Pair]) -> dict[str, Floats]:
        """Return each method's scores; `bert_score` is not rescaled yet.

        Answers that are equal after normalisation are the same answer: LERC gives them 1 without reading them.
        """
        distinct = list(dict.fromkeys(pairs))
        place = {pair: i for i, pair in enumerate(distinct)}
        rows = np.array([place[pair] for pair in pairs], np.int64)
        found = self._scored(self._words, tuple(BY_WORDS), distinct)
        if LERC in self.methods:
            found[LERC] = np.ones(len(distinct))
            differ = np.flatnonzero(found["em"] != 1)
            found[LERC][differ] = self._scored(self._judge, (LERC,), [distinct[i] for i in differ])[LERC]
        if BERT_SCORE in self.methods:
            found[BERT_SCORE] = self._bert_score(distinct)
        return {method: found[method][rows] for method in self.methods}

    def _scored(self, scorer: Scorer, methods: Sequence[str], pairs: Sequence[Pair]) -> dict[str, Floats]:
        """Score pairs by metrics of the catalogue, which are given in the methods' order."""
        if not pairs:
            return {method: np.empty(0) for method in methods}
        examples = [
            Example(
                str(i),
                pair.question,
                (Reference(pair.answer),),
                pair.prediction,
                context=_read_by_lerc(pair),
            )
            for i, pair in enumerate(pairs)
        ]
        scored = scorer.score(examples)
        self.notes.update(scored.notes)
        for method, unscored in zip(methods, scored.unscored.values(), strict=True):
            self.reasons.update(((method, pairs[i]), reason) for i, reason in unscored.items())
        return dict(zip(methods, scored.scores.values(), strict=True))

    def _bert_score(self, pairs: Sequence[Pair]) -> Floats:
        """Match the tokens of the two phrases, each encoded inside its text (F1 of greedy cosine matching)."""
        encoder = self._open()
        sides = [
            [self._placed(pair.answer, pair.answer_context, pair.answer_span) for pair in pairs],
            [self._placed(pair.prediction, pair.prediction_context, pair.prediction_span) for pair in pairs],
        ]
        texts = list(dict.fromkeys(text for side in sides for text, _ in side))
        encoded = dict(zip(texts, encoder.encode(texts, encoder.default_layer), strict=True))
        self.notes |= Counter({note: len(found) for note, found in encoder.notes.take().items()}) | (
            language_notes(texts) if encoder.english else Counter()
        )
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
        """Return the text to encode and where in it the phrase stands."""
        if not context or not phrase:
            return phrase, (0, len(phrase))
        if span is None or context[slice(*span)] != phrase:
            span = find_phrase(phrase, context)
        if span is None:
            self.notes[NOT_IN_CONTEXT] += 1
            return phrase, (0, len(phrase))
        return surroundings(context, span)


def find_phrase(phrase: str, context: str) -> Span | None:
    """Find the first place where a phrase stands as words of a text, in whatever case; else as it is written."""
    found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", context, re.IGNORECASE)
    if found:
        return found.span()
    start = context.find(phrase)
    return None if start < 0 else (start, start + len(phrase))


def _read_by_lerc(pair: Pair) -> str | None:
    """Return the part of the prediction's text that LERC reads: a summary whole, of a document the surroundings."""
    context, span = pair.prediction_context, pair.prediction_span
    if not context or not pair.prediction:
        return context or None
    if span is None or context[slice(*span)] != pair.prediction:
        span = find_phrase(pair.prediction, context)
    return context if span is None else surroundings(context, span, LERC_CONTEXT)[0]


def surroundings(context: str, span: Span, longest: int = LONGEST_CONTEXT) -> tuple[str, Span]:
    """Of a long text give the part around a phrase, cut at blanks, and where the phrase stands in it.

    Parts begin at steps of half their length, so that phrases that stand near each other share one.
    """
    if len(context) <= longest:
        return context, span
    step = longest // 2
    middle = (span[0] + span[1]) // 2
    start = max(0, (middle - step // 2) // step * step)
    end = max(start + longest, span[1])
    start = 0 if start == 0 else min(context.find(" ", start) + 1 or start, span[0])
    end = len(context) if end >= len(context) else max(context.rfind(" ", span[1], end), span[1])
    return context[start:end], (span[0] - start, span[1] - start)


def within(encoded: TokenEmbeddings, span: Span) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which tokens of a text touch a span of its characters."""
    touched: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        ~encoded.special & (encoded.spans[:, 0] < span[1]) & (encoded.spans[:, 1] > span[0])
    )
    return touched


def bounds(scores: Floats) -> tuple[float, float]:
    """Return the scores that become 0 and 1: the 2.5th and 97.5th percentiles of a run's."""
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
