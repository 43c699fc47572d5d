"""The explanation of one answer's scores: matching words, their weights, and the numbers that follow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import SpecError
from qassay.features.batch import Batch
from qassay.io.scores.writers import asserted_fields
from qassay.metrics.learned.canonical_pairs import RULE_NOTE
from qassay.metrics.registry import parse_spec
from qassay.report.asserted import asserted_spans
from qassay.report.claims import shown_claims
from qassay.report.clipping import ClippedText, clip, shown_spans
from qassay.report.explain.alignment import Match, align, closest
from qassay.scoring.table import Score
from qassay.text.tokenisers.spans import spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.metrics.base import Metric
    from qassay.metrics.breakdown import AnswerWeights, CheckedClaim, Ingredient, Part
    from qassay.models.base import TokenWeights
    from qassay.records import AnswerNotes, Example, Reference
    from qassay.report.claims import ShownClaim
    from qassay.report.explain.alignment import AlignedWord
    from qassay.scoring.scorer import Scorer

GIVEN = "given"
"""The id of an answer that comes from no file."""


@dataclass(frozen=True, slots=True)
class ExplainedWord:
    """A `word` token of a text."""

    text: str
    start: int
    end: int
    match: Match
    weights: Mapping[str, float]
    """By weighting; empty without a weighted metric."""


@dataclass(frozen=True, slots=True)
class ExplainedText:
    """A text with its words; very long texts are clipped."""

    shown: ClippedText
    words: tuple[ExplainedWord, ...]
    asserted: tuple[tuple[int, int], ...] = ()
    """Where the words stand that an answer asserts."""

    def asserts(self, start: int, end: int) -> bool:
        """Whether some characters belong to what the answer asserts."""
        return any(first <= start and end <= last for first, last in self.asserted)


@dataclass(frozen=True, slots=True)
class ReferenceComparison:
    """The candidate compared with one of its references."""

    reference: Reference
    candidate_side: ExplainedText
    reference_side: ExplainedText
    scores: Mapping[str, Score]
    """Against this reference alone."""
    ingredients: Mapping[str, Sequence[Ingredient]]

    @property
    def in_order(self) -> int:
        """How many words are on the longest common subsequence."""
        return sum(word.match is Match.IN_ORDER for word in self.candidate_side.words)

    @property
    def shared(self) -> int:
        """How many words are common, in any order."""
        return sum(word.match is not Match.NONE for word in self.candidate_side.words)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that `qassay explain` shows."""

    example: Example
    specs: tuple[str, ...]
    definitions: Mapping[str, str]
    """A one-line summary of each metric."""
    weightings: tuple[str, ...]
    scores: Mapping[str, Score]
    """Against all references, as `qassay score` gives them."""
    comparisons: tuple[ReferenceComparison, ...]
    """One per reference, in order."""
    closest: int
    """The position of the reference that shares most with the candidate."""
    parts: Mapping[str, Sequence[Part]]
    """By spec of a judge, the signals with what they add to the verdict, for the reference that fits best."""
    notes: Mapping[str, int]
    answer_notes: Mapping[str, AnswerNotes] = field(default_factory=dict)
    """What metrics noted of the answer, by spec: what it asserts."""
    claims: Mapping[str, Sequence[CheckedClaim]] = field(default_factory=dict)
    """By spec of a metric that checks them, the answer's sentences with the verdict on each."""

    def shown_claims(self, spec: str) -> list[ShownClaim]:
        """Return the sentences that a metric checked."""
        return shown_claims(self.example.candidate or "", self.claims[spec])

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return {
            "id": self.example.id,
            "system": self.example.system,
            "question": self.example.question,
            "candidate": self.example.candidate,
            "scores": {spec: score.value for spec, score in self.scores.items()},
            "unscored": {spec: score.reason for spec, score in self.scores.items() if score.reason},
            **asserted_fields(self.answer_notes),
            "closest": self.closest,
            "references": [_comparison_dict(each) for each in self.comparisons],
            "definitions": dict(self.definitions),
            **({"claims": self._claims()} if self.claims else {}),
            "parts": {spec: [part._asdict() for part in found] for spec, found in self.parts.items()},
            "notes": dict(self.notes),
        }

    def _claims(self) -> dict[str, list[dict[str, Any]]]:
        text = self.example.candidate or ""
        return {
            spec: [
                {"text": text[each.start : each.end], **each._asdict(), "supported": each.supported} for each in found
            ]
            for spec, found in self.claims.items()
        }


def explain(example: Example, specs: Sequence[str], scorer: Scorer) -> Explanation:
    """Explain one answer's scores, reference by reference.

    Words are compared as `word` tokens; the weights of a metric with another tokeniser go to the words that its tokens
    cover. Of two metrics with the same weighting the first one's weights are shown. Where the run's references were
    not counted, those of this answer stand in for them.
    """
    metrics = _find_metrics(specs, scorer)
    if not scorer.resources.first_pass:
        scorer.first_pass([example])
    alone = [replace(example, references=(each,)) for each in example.references]
    scored = scorer.score([example, *alone])
    rows = list(scored.rows())
    scores = [_scores(values, reasons, metrics) for _, values, reasons, _ in rows]
    noted = {str(metric.spec): rows[0][3][str(metric.spec)] for metric in metrics if str(metric.spec) in rows[0][3]}
    batch = Batch([example, *alone], scorer.resources)
    explained = {str(metric.spec): metric.explain(batch) for metric in metrics}
    weights = _token_weights(metrics, batch)
    candidate = clip(example.candidate or "")
    references = [clip(each.text) for each in example.references]
    alignments = [align(candidate.text, each.text) for each in references]
    asserted = tuple(shown_spans(example.candidate or "", asserted_spans(noted), len(candidate.text)))
    return Explanation(
        example=example,
        specs=tuple(str(metric.spec) for metric in metrics),
        definitions={str(metric.spec): metric.declaration.summary for metric in metrics},
        weightings=tuple(weights),
        scores=scores[0],
        comparisons=tuple(
            ReferenceComparison(
                reference=example.references[i],
                candidate_side=_side(
                    candidate,
                    alignment.candidate,
                    {name: each[0].candidate for name, each in weights.items()},
                    asserted,
                ),
                reference_side=_side(
                    references[i], alignment.reference, {name: each[0].references[i] for name, each in weights.items()}
                ),
                scores=scores[i + 1],
                ingredients={
                    spec: found[i + 1].ingredients if scores[i + 1][spec].value is not None else ()
                    for spec, found in explained.items()
                },
            )
            for i, alignment in enumerate(alignments)
        ),
        closest=closest(alignments) if alignments else 0,
        parts={spec: found[0].parts for spec, found in explained.items() if found[0].parts},
        # What was read is shown with each reference.
        notes={note: count for note, count in scored.notes.items() if not note.startswith(RULE_NOTE)},
        answer_notes=noted,
        claims={spec: found[0].claims for spec, found in explained.items() if found[0].claims},
    )


def _find_metrics(specs: Sequence[str], scorer: Scorer) -> list[Metric]:
    """Find the metrics among the scorer's."""
    known = {str(metric.spec): metric for metric in scorer.metrics}
    wanted = dict.fromkeys(spec if spec in known else str(parse_spec(spec)) for spec in specs)
    for spec in wanted:
        if spec not in known:
            raise SpecError(f'"{spec}" is not among the metrics of this scorer: {", ".join(known)}')
    return [known[spec] for spec in wanted]


def _scores(
    values: Mapping[str, float | None], reasons: Mapping[str, str], metrics: Sequence[Metric]
) -> dict[str, Score]:
    return {spec: Score(values[spec], reasons.get(spec)) for spec in (str(metric.spec) for metric in metrics)}


def _token_weights(metrics: Sequence[Metric], batch: Batch) -> dict[str, list[AnswerWeights]]:
    """Return the tokens' weights by weighting, of the first metric with each."""
    found: dict[str, list[AnswerWeights]] = {}
    for metric in metrics:
        if metric.spec.weights and metric.spec.weights not in found:
            found[metric.spec.weights] = metric.token_weights(batch)
    return found


def _side(
    shown: ClippedText,
    words: Sequence[AlignedWord],
    weights: Mapping[str, TokenWeights],
    asserted: tuple[tuple[int, int], ...] = (),
) -> ExplainedText:
    """Project the weights of a metric's tokens onto the words; a word that no token covers has no weight."""
    spans = np.array([(word.start, word.end) for word in words], np.int64).reshape(-1, 2)
    of_word: list[dict[str, float]] = [{} for _ in words]
    for name, (places, values) in weights.items():
        covered = spread(places, np.ones(len(places)), spans) > 0
        for i, weight in zip(np.flatnonzero(covered).tolist(), spread(places, values, spans)[covered], strict=True):
            of_word[i][name] = float(weight)
    return ExplainedText(
        shown,
        tuple(
            ExplainedWord(shown.text[word.start : word.end], word.start, word.end, word.match, of_word[i])
            for i, word in enumerate(words)
        ),
        asserted,
    )


def _comparison_dict(comparison: ReferenceComparison) -> dict[str, Any]:
    return {
        "text": comparison.reference.text,
        "opinion": comparison.reference.opinion,
        "in_order": comparison.in_order,
        "shared": comparison.shared,
        "scores": {spec: score.value for spec, score in comparison.scores.items()},
        "ingredients": {spec: dict(found) for spec, found in comparison.ingredients.items() if found},
        "candidate_words": [_word_dict(word) for word in comparison.candidate_side.words],
        "reference_words": [_word_dict(word) for word in comparison.reference_side.words],
    }


def _word_dict(word: ExplainedWord) -> dict[str, Any]:
    return {
        "text": word.text,
        "start": word.start,
        "end": word.end,
        "match": word.match.name.lower(),
        **({"weights": dict(word.weights)} if word.weights else {}),
    }
