"""BERTScore: greedy cosine matching of token embeddings (Zhang et al. 2020), with any weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import SpecError
from qassay.features.embeddings import text_embeddings
from qassay.features.readability import UNREAD, UNREAD_TEXT, readable_pairs
from qassay.features.weightings import WEIGHTINGS, TokenisedTexts
from qassay.metrics.base import EMPTY_REFERENCE, MeanMetric, best, f_measure, subset
from qassay.metrics.breakdown import answer_weights
from qassay.metrics.embedding.baseline import Baseline, baseline, baseline_identity
from qassay.metrics.embedding.matching import match_pairs
from qassay.metrics.embedding.phrase_matching import match_phrases
from qassay.metrics.embedding.score_range import RangePass, rescaled
from qassay.models.base import EMBEDDED, TokenWeights
from qassay.models.load import is_encoder
from qassay.records import ANSWER_CONTEXT
from qassay.spec import Param
from qassay.text.tokenisers.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.batch import Batch, Pairs
    from qassay.features.first_pass import FirstPass
    from qassay.features.resources import Resources
    from qassay.features.weightings import RowWeights, Weighting
    from qassay.metrics.breakdown import AnswerWeights
    from qassay.models.base import TokenEmbeddings
    from qassay.spec import MetricSpec, Value

RUN = "run"
"""The value of `rescale` by which the run's own scores decide."""


class BertScore(MeanMetric):
    """Precision, recall or F1 of each token's highest cosine on the other side; several references: the best.

    The marks around a text can be matched but weigh nothing, as in the bert-score package. `sharpen` raises
    similarities, clipped to 0 and above, to a power; `rescale` maps the similarity of unrelated texts to 0.

    With `context=phrase` candidate and reference are phrases: each is encoded inside the text that it comes from (the
    fields `context` and `answer_context`), and its own tokens are matched. With `rescale=run` the 2.5th and 97.5th
    percentiles of the run's scores become 0 and 1 (Deutsch and Roth 2022).
    """

    name = "bert_score"
    summary = "greedy cosine matching of token embeddings"
    source = "Zhang et al. 2020; Lee et al. 2021 for keyphrase weights"
    params = (
        Param("model", EMBEDDED, "mini, a folder, or a Hugging Face name (extra hf)"),
        Param("layer", 0, "whose embeddings; 0 is the model's default", low=0, high=200),
        Param("stat", "f", "F, precision or recall", choices=("f", "p", "r")),
        Param("rescale", "no", "map unrelated texts to 0: no, yes, or a baseline file; run: by the run's own scores"),
        Param("sharpen", 1.0, "power on similarities, clipped to 0 and above unless it is 1", low=0.01, high=100),
        Param(
            "context",
            "none",
            "encode the texts by themselves, or as phrases inside the texts that they come from",
            choices=("none", "phrase"),
        ),
        UNREAD,
    )
    weightings = WEIGHTINGS
    precedence = 1

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        self._in_context = self.text("context") == "phrase"
        if self._in_context and spec.weights:
            raise SpecError(f"{spec}: phrases in their contexts take no weights; leave out :{spec.weights} or context=")

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:  # noqa: ARG003 - any encoder
        """Whether a model gives embeddings."""
        return is_encoder(ref)

    @property
    def model(self) -> str:
        """The encoder's name."""
        return self.text("model")

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add the encoder's fingerprint, the layer that is meant and what unrelated texts are taken to score."""
        encoder, source = resources.encoder(self.model), self.text("rescale")
        layer = int(self.settings["layer"]) or encoder.default_layer
        if source == RUN:
            low, high = resources.first_pass_result(self._range).bounds
            floor = {"range": f"{low:.6g} to {high:.6g}"}
        else:
            floor = {} if source == "no" else {"baseline": baseline_identity(source, layer)}
        return {**super().identity(resources), "model": encoder.fingerprint, "layer": str(layer), **floor}

    @property
    def tok(self) -> str:
        """The encoder's own word pieces."""
        return "piece" if self.model == EMBEDDED else f"piece:{self.model}"

    @property
    def reads(self) -> frozenset[str]:
        """Add the texts that phrases come from, where they are encoded inside them."""
        return super().reads | ({"context", ANSWER_CONTEXT} if self._in_context else frozenset())

    def first_passes(self, resources: Resources) -> tuple[FirstPass[Any], ...]:
        """Add the range of the run's scores, for `rescale=run`."""
        found = super().first_passes(resources)
        return (*found, self._range) if self.text("rescale") == RUN else found

    @property
    def _range(self) -> RangePass:
        return RangePass(self.spec, self._scores, self.reads)

    def values(self, batch: Batch) -> Floats:
        """Return each example's best score, rescaled as wanted."""
        if self.text("rescale") != RUN:
            return self._scores(batch)
        found = batch.resources.first_pass_result(self._range)
        scores = self._range.scores_of(batch, found)
        # A blank candidate is not compared, and shares nothing with the reference.
        blank = np.array([not (example.candidate or "").strip() for example in batch.examples], bool)
        return np.where(blank & ~np.isnan(scores), 0.0, rescaled(scores, *found.bounds))

    def _scores(self, batch: Batch) -> Floats:
        """Score every pair and keep each example's best."""
        pairs = self._usable(batch)
        layer = self._layer(batch)
        if self._in_context:
            precision, recall = match_phrases(batch, pairs, self.model, layer, self.number("sharpen"))
            return best(self._score(precision, recall, self._floor(batch, layer)), pairs.example, len(batch))
        encoded = text_embeddings(batch, self.model, layer)
        left, right, weights = self._weights(batch, pairs, encoded)
        power = self.number("sharpen")
        candidate, reference = batch.candidate[pairs.example], batch.reference[pairs.reference]
        precision, recall = np.ones(len(candidate)), np.ones(len(candidate))
        other = candidate != reference
        sides = match_pairs(batch.resources.encoder(self.model), encoded, candidate[other], reference[other])
        precision[other] = sides[0].means(weights, left[other], power)
        recall[other] = sides[1].means(weights, right[other], power)
        # Nothing of a candidate without pieces is right, whatever its marks resemble, unless it is the reference.
        empty = np.array([each.special.all() for each in encoded], bool)[candidate] & (candidate != reference)
        scores = np.where(empty, 0.0, self._score(precision, recall, self._floor(batch, layer)))
        return best(scores, pairs.example, len(batch))

    def _layer(self, batch: Batch) -> int:
        return int(self.settings["layer"]) or batch.resources.encoder(self.model).default_layer

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the examples whose references are all blank, and those that the model cannot read."""
        filled = self._filled(batch)
        left_out = np.setdiff1d(np.arange(len(batch)), filled.example)
        unread = np.setdiff1d(filled.example, self._usable(batch).example)
        reasons = dict.fromkeys(left_out.tolist(), EMPTY_REFERENCE) | dict.fromkeys(unread.tolist(), UNREAD_TEXT)
        return {**reasons, **super().unscored(batch)}

    def _usable(self, batch: Batch) -> Pairs:
        filled = self._filled(batch)
        if self.text("unread") == "score":
            return filled
        return subset(filled, readable_pairs(batch, filled, lambda: batch.resources.encoder(self.model)))

    @staticmethod
    def _filled(batch: Batch) -> Pairs:
        blank = np.array([not text.strip() for text in batch.texts], bool)
        return subset(batch.pairs, ~blank[batch.reference[batch.pairs.reference]])

    def _weights(
        self, batch: Batch, pairs: Pairs, encoded: Sequence[TokenEmbeddings]
    ) -> tuple[Ints, Ints, list[Floats]]:
        """Return rows of weights for the candidate and the reference of each pair, and the weights of each row."""
        inner = [~each.special for each in encoded]
        if self.weighting is None:
            weights = [each.astype(np.float64) for each in inner]
            return batch.candidate[pairs.example], batch.reference[pairs.reference], weights
        found, rows = self._weighed(batch, encoded, self.weighting)
        weights = [_inside(inner[text], each) for text, each in zip(found.text.tolist(), rows, strict=True)]
        return found.candidate[pairs.example], found.reference[pairs.reference], weights

    def _weighed(
        self, batch: Batch, encoded: Sequence[TokenEmbeddings], weighting: Weighting
    ) -> tuple[RowWeights, list[Floats]]:
        found = weighting.weigh(batch, self._pieces(batch, encoded))
        return found, found.by_row(np.array([np.count_nonzero(~each.special) for each in encoded], np.int64))

    def token_weights(self, batch: Batch) -> list[AnswerWeights]:
        """Return the weights of the word pieces."""
        if self.weighting is None:
            return []
        encoded = text_embeddings(batch, self.model, self._layer(batch))
        found, rows = self._weighed(batch, encoded, self.weighting)
        weights = [
            TokenWeights(encoded[text].spans[~encoded[text].special], each)
            for text, each in zip(found.text.tolist(), rows, strict=True)
        ]
        return answer_weights(batch, weights, found.candidate, found.reference)

    def _pieces(self, batch: Batch, encoded: Sequence[TokenEmbeddings]) -> TokenisedTexts:
        """Return the texts in the encoder's word pieces, without the special tokens around them."""
        pieces = batch.resources.encoder(self.model).pieces
        return TokenisedTexts(
            self.tok,
            lambda: Tokens.number([pieces(text) for text in batch.texts]),
            lambda: [each.spans[~each.special] for each in encoded],
        )

    def _floor(self, batch: Batch, layer: int) -> Baseline:
        source = self.text("rescale")
        if source in {"no", RUN}:
            return Baseline(0.0, 0.0, 0.0)
        return baseline(batch.resources.encoder(self.model), layer, source, self.number("sharpen"))

    def _score(self, precision: Floats, recall: Floats, floor: Baseline) -> Floats:
        stat = self.text("stat")
        score = {"p": precision, "r": recall, "f": f_measure(precision, recall, beta=1)}[stat]
        below = getattr(floor, stat)
        return np.asarray((score - below) / (1 - below), np.float64)


def _inside(inner: Bools, weights: Floats) -> Floats:
    """Set the weights of the special tokens to 0."""
    framed = np.zeros(len(inner))
    framed[inner] = weights
    return framed
