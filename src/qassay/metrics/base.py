"""The base class of metrics: additive statistics for a batch, and the score that follows from them.

`finish(stats)` gives the answers' scores, `finish(stats.sum(0))` the corpus score, `finish(counts @ stats)` a
bootstrap; the statistics of shards add up. An unscored example has a row of zeros, which finishes to NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qassay.features.token_views import OWN, text_spans, token_view
from qassay.features.weightings import WEIGHTINGS
from qassay.metrics.breakdown import ScoreBreakdown, answer_weights
from qassay.metrics.returned import CHECKS, METHODS
from qassay.models.base import TokenWeights
from qassay.plugins import guard_methods
from qassay.spec import Declaration

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.batch import Batch, Pairs
    from qassay.features.first_pass import FirstPass
    from qassay.features.resources import Resources
    from qassay.features.weightings import Weighting
    from qassay.metrics.breakdown import AnswerWeights
    from qassay.records import AnswerNotes, Example
    from qassay.spec import Corpus, MetricSpec, Param, Value


NO_CANDIDATE = "no candidate"
EMPTY_REFERENCE = "every reference is empty"
NO_DESCRIPTION = "no description"
_WORDS = "word"


class Metric(ABC):
    """One metric with its parameters set. A class declares itself: what stands here is what the catalogue knows of it.

    The first line of the docstring is its summary, unless `summary` says it.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    """Who defined it, and where."""
    params: ClassVar[tuple[Param, ...]] = ()
    weightings: ClassVar[Collection[str]] = ()
    """Names of weightings; `qassay.WEIGHTINGS` for all that are registered."""
    corpus: ClassVar[Corpus] = "pooled"
    """`mean` where the corpus score is the mean of the answers' scores, `pooled` where their statistics are summed."""
    maximum: ClassVar[float] = 1.0
    """The highest score, which identical texts get."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The fields, beyond candidate and references, that an answer must have."""
    precedence: ClassVar[int] = 0
    """Which of several metrics orders answers from worst to best: the highest. 0 compares words, 1 embeddings, 2 is a
    learned estimate of how right an answer is, 3 a judge of question, reference and answer."""

    reference_free: ClassVar[bool] = False
    """Whether it scores an answer that has no references."""
    field_names: ClassVar[Mapping[str, str]] = {}
    """Other names that fields have in the inputs that the metric is made for."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        guard_methods(cls, "metric", METHODS, CHECKS)

    def __init__(self, spec: MetricSpec, declaration: Declaration | None = None) -> None:
        self.spec = spec
        self.declaration = declaration or self.declare()
        self.settings = spec.resolve(self.declaration)
        """Every parameter's value, by name."""

    @classmethod
    def declare(cls) -> Declaration:
        """Return what the class declares."""
        summary = cls.summary or (cls.__doc__ or "").strip().partition("\n")[0].removesuffix(".") or NO_DESCRIPTION
        return Declaration(
            name=cls.name,
            summary=summary,
            source=cls.source,
            params=tuple(cls.params),
            weightings=cls.weightings,
            corpus=cls.corpus,
            maximum=cls.maximum,
            needs=frozenset(cls.needs),
        )

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:  # noqa: ARG003 - for those with a model
        """Whether a model that the run names is of the kind that the metric's parameter `model` takes."""
        return False

    def uses_model(self, ref: str) -> bool:
        """Whether a model that the run names has a part in the scores."""
        weighs = self.weighting is not None and self.weighting.takes_model(ref)
        return weighs or dict(self.spec.options).get("model") == ref

    @property
    def needed_fields(self) -> frozenset[str]:
        """The fields that an answer must have, with these parameters and weights."""
        references = frozenset() if self.reference_free else frozenset({"references"})
        return self.declaration.needs | references | (self.weighting.needs if self.weighting else frozenset())

    def unreadable(self, example: Example, resources: Resources) -> str | None:  # noqa: ARG002 - most read anything
        """Return why the metric cannot read an example that has all it needs; None where it can."""
        return None

    @property
    def reads(self) -> frozenset[str]:
        """The fields of an answer, beyond candidate, question and references, on which its score depends."""
        return self.declaration.needs - {"question", "references"}

    @property
    def runs_model(self) -> bool:
        """Whether a model reads the answers, which takes milliseconds for each."""
        weighed = self.weighting is not None and self.weighting.runs_model
        return weighed or self.declaration.param("model") is not None

    def first_passes(self, resources: Resources) -> tuple[FirstPass[Any], ...]:  # noqa: ARG002 - for those with models
        """Return what must be gathered over the whole run before its first answer is scored."""
        return self.weighting.first_passes(self.tok) if self.weighting else ()

    def identity(self, resources: Resources) -> dict[str, str]:
        """Return what else than spec and data the scores depend on: a model, a word net, the run's frequencies."""
        if self.weighting is None:
            return {}
        held = self.weighting.distribution
        gathered = [resources.first_pass_result(need) for need in self.weighting.first_passes(self.tok)]
        counted = {"df": " ".join(each.fingerprint for each in gathered)} if gathered else {}
        return {**self.weighting.identity(resources), **({held.name: held.version} if held else {}), **counted}

    @property
    def weighting(self) -> Weighting | None:
        """What gives each token its weight, where the spec names it."""
        return WEIGHTINGS[self.spec.weights] if self.spec.weights else None

    @property
    def tok(self) -> str:
        """The name of the tokeniser whose tokens are compared and weighed."""
        named = self.text("tok") if "tok" in self.settings else _WORDS
        # A weighting without tokens of its own weighs words.
        return _WORDS if named == OWN and not (self.weighting and self.weighting.has_tokens) else named

    def text(self, name: str) -> str:
        """Return a parameter that is a word."""
        return str(self.settings[name])

    def number(self, name: str) -> float:
        """Return a parameter that is a number."""
        return float(self.settings[name])

    @abstractmethod
    def stats(self, batch: Batch) -> Floats:
        """Return the (examples, k) additive statistics."""

    @abstractmethod
    def finish(self, stats: Floats) -> Floats:
        """Return the scores of statistics of shape (…, k); NaN where nothing was scored."""

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Return the breakdown of each example's score; that of an unscored example is not shown.

        A metric that says nothing here is shown with its score and its summary.
        """
        return [ScoreBreakdown()] * len(batch)

    def answer_notes(self, batch: Batch) -> Sequence[AnswerNotes | None]:  # noqa: ARG002 - most note nothing
        """Return what the metric notes of each answer besides its score, None where it notes nothing.

        A metric that notes nothing of any answer returns nothing at all. Notes of unscored answers are left out.
        """
        return ()

    def token_weights(self, batch: Batch) -> list[AnswerWeights]:
        """Return the weights of the metric's tokens; nothing without a weighting."""
        if self.spec.weights is None:
            return []
        view = token_view(batch, self.tok, self.spec.weights)
        if self.weighting and self.tok == OWN:
            spans = self.weighting.own_tokens(batch).spans
        else:
            by_text = text_spans(batch, self.tok)
            spans = [by_text[text] for text in view.text.tolist()]
        rows = [TokenWeights(*each) for each in zip(spans, view.weights_by_row(), strict=True)]
        return answer_weights(batch, rows, view.candidate, view.reference)

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Return why an example cannot be scored."""
        return {int(i): NO_CANDIDATE for i in np.flatnonzero(batch.missing)}


class MeanMetric(Metric):
    """A metric whose corpus score is the mean of the answers' scores: statistics are [value, 1]."""

    corpus = "mean"

    @abstractmethod
    def values(self, batch: Batch) -> Floats:
        """Return each example's score, NaN where there is none."""

    def stats(self, batch: Batch) -> Floats:
        """Return [value, 1] for scored examples and [0, 0] for others."""
        values = self.values(batch)
        scored = ~np.isnan(values)
        return np.stack([np.where(scored, values, 0.0), scored.astype(np.float64)], axis=1)

    def finish(self, stats: Floats) -> Floats:
        """Divide the sum by the count."""
        return mean(stats)


class OverlapMetric(MeanMetric):
    """A metric on tokens, for which a blank reference is no reference."""

    def usable(self, batch: Batch) -> Pairs:
        """Return the pairs whose reference has tokens."""
        view = token_view(batch, self.tok, self.spec.weights)
        return subset(batch.pairs, view.tokens.lengths[view.right(batch.pairs)] > 0)

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the examples without any usable reference."""
        return {**without_pairs(batch, self.usable(batch)), **super().unscored(batch)}


def subset(pairs: Pairs, keep: Bools) -> Pairs:
    """Keep some of the pairs."""
    if keep.all():
        return pairs
    return type(pairs)(pairs.example[keep], pairs.reference[keep])


def without_pairs(batch: Batch, pairs: Pairs) -> dict[int, str]:
    """Return the examples that have no pair left."""
    if np.count_nonzero(np.diff(pairs.example, prepend=-1)) == len(batch):
        return {}
    return {int(i): EMPTY_REFERENCE for i in np.setdiff1d(np.arange(len(batch)), pairs.example)}


def mean(stats: Floats) -> Floats:
    """Return the means from statistics of [value, 1]; NaN where nothing was scored."""
    return divide(stats[..., 0], stats[..., 1], empty=np.nan)


def divide(above: Floats, below: Floats, empty: float = 0.0) -> Floats:
    """Divide, with `empty` where the denominator is zero."""
    out = np.full(np.broadcast(above, below).shape, empty)
    np.divide(above, below, out=out, where=np.asarray(below) != 0)
    return out


def best(values: Floats, example: Ints, examples: int) -> Floats:
    """Take the highest value of each example's pairs; NaN for an example without pairs."""
    result = np.full(examples, np.nan)
    if len(example):
        firsts = np.flatnonzero(np.diff(example, prepend=-1))
        result[example[firsts]] = np.maximum.reduceat(values, firsts)
    return result


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return (1 + β²)PR / (R + β²P), and 0 where both are 0."""
    return divide((1 + beta**2) * precision * recall, recall + beta**2 * precision)
