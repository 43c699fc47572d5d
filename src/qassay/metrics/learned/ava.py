"""AVA: the probability that an answer is right (Vu and Moschitti 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import SpecError
from qassay.features.readability import UNREAD
from qassay.features.token_views import token_view
from qassay.metrics.learned.asserted_signals import asserted_signals
from qassay.metrics.learned.base import MODEL, REFERENCES, RULES, LearnedMetric
from qassay.metrics.learned.judge_logits import judge_inputs, judge_logits
from qassay.metrics.learned.screening import SCREEN
from qassay.metrics.learned.signal_labels import labelled_parts, reading_parts
from qassay.metrics.learned.signals import JUDGE, Signals, lexical_signals, model_signals, most_sure
from qassay.models.base import parse_ref
from qassay.models.folder import fingerprint
from qassay.models.hf.judge import DESCRIPTION as ENCODERS
from qassay.models.hf.judge import read_settings
from qassay.models.hf.judge_design import DESIGNS, READER
from qassay.models.linear_judge import DESCRIPTION as LINEAR
from qassay.models.linear_judge import FEATURES, LinearAva, linear_features
from qassay.models.load import has_judge
from qassay.models.onnx.ava import OnnxAva
from qassay.models.onnx.judge_layer import DESCRIPTION, JudgeLayer
from qassay.spec import Param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.arrays import Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.resources import Resources
    from qassay.metrics.breakdown import Part
    from qassay.models.onnx.judge import Judge
    from qassay.spec import MetricSpec, Value

KINDS = ("mini", "linear", *DESIGNS)
EXPLAINED = frozenset({"mini", "linear"})
"""The kinds whose verdict is a sum of signals' parts."""


class Ava(LearnedMetric):
    """The probability that an answer is right, given question and reference (after Vu and Moschitti 2021).

    `kind=mini` is the embedded judge: a small network and what the batch knows of the texts, weighed in a logistic
    layer. The paper's own models are `linear` and `a0` to `a2`; they are embedded too, and can be trained.
    """

    name = "ava"
    summary = "the probability that an answer is right, given question and reference"
    source = "Vu and Moschitti 2021"
    params = (
        MODEL,
        Param("kind", "mini", "the embedded judge, or a model of the paper's", choices=KINDS),
        REFERENCES,
        SCREEN,
        UNREAD,
        RULES,
    )
    precedence = 3

    @property
    def reads_texts(self) -> bool:
        """Whether a network reads the texts: the linear model counts words."""
        return self.kind != "linear"

    @property
    def reads_assertions(self) -> bool:
        """Whether answers are read for what they assert; the paper's own models are not."""
        return self.kind == "mini"

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:
        """Whether a model judges answers as the wanted kind does."""
        return has_judge(ref, str(settings["kind"]))

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        self.kind = self.text("kind")
        self._model = self.text("model")
        if self.kind != "mini" and "rules" in dict(spec.options):
            raise SpecError(f"ava,kind={self.kind} judges what is written; leave rules= out")
        if self.kind == "linear" and "screen" in dict(spec.options):
            raise SpecError("ava,kind=linear counts words and judges every reference; leave screen= out")
        if self.kind != "linear":
            self._check_design()

    def _check_design(self) -> None:
        """Raise an error for a model that holds another kind of judge."""
        parsed = parse_ref(self._model)
        if parsed.kind == "hub" or not (parsed.folder / ENCODERS).is_file():
            if self.kind != "mini" and not has_judge(self._model, self.kind):
                raise SpecError(
                    f"{self._model} has no model of kind {self.kind}; train one with "
                    f"`qassay train ava --kind {self.kind}` and name its folder: ava,kind={self.kind},model=FOLDER"
                )
            return
        held = read_settings(parsed.folder).design
        if held != (READER if self.kind == "mini" else self.kind):
            spec = "ava" if held == READER else f"ava,kind={held}"
            raise SpecError(f"{self._model} holds another judge than {self.kind}; say {spec},model={self._model}")

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add the fingerprints of the judge and of its layer."""
        folder = parse_ref(self._model).folder
        known = super().identity(resources)
        if self.kind == "linear":
            LinearAva.read(folder)  # which says what is wrong where there is none
            return {**known, "model": fingerprint(folder / LINEAR)}
        judge = self.open_judge(resources).fingerprint
        if self.kind != "mini":
            return {**known, "model": judge}
        JudgeLayer.read(folder)
        return {**known, "model": judge, "layer": fingerprint(folder / DESCRIPTION), "weights": _weights(resources)}

    def open_judge(self, resources: Resources) -> Judge:
        """Open the network of the wanted kind."""
        return resources.judge(self._model, self.kind)

    @property
    def screens(self) -> bool:
        """Whether references are left out that a verdict does not need; the linear model reads all of them together."""
        return super().screens and self.kind != "linear"

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that may change a candidate; the paper's own models judge what is written."""
        return super().rules if self.kind == "mini" else ()

    def pair_logits(self, batch: Batch, pairs: Pairs) -> Floats:
        """Judge each pair."""
        if self.kind in EXPLAINED:
            return np.asarray(self.pair_parts(batch, pairs)[1].sum(axis=1), np.float64)
        return judge_logits(batch, self._model, pairs, context=False, kind=self.kind)

    def pair_signals(self, batch: Batch, pairs: Pairs, logits: Floats | None = None) -> Signals:
        """Return the embedded judge's signals: the network's logit and features of the texts.

        `logits` are other networks' logits, for pairs that this one need not read.
        """
        if logits is None:
            logits = judge_logits(batch, self._model, pairs, context=False)
        lexical, learned = lexical_signals(batch, pairs), model_signals(batch, pairs)
        sure = most_sure(logits)
        whole = Signals(
            (JUDGE, *lexical.names, *learned.names), np.column_stack([sure, lexical.values, learned.values])
        )
        asserted = asserted_signals(batch, pairs, whole)
        return Signals((*whole.names, *asserted.names), np.column_stack([whole.values, asserted.values]))

    def pair_parts(self, batch: Batch, pairs: Pairs) -> tuple[Signals, Floats]:
        """Return the signals of the embedded or linear judge, and what each adds to the logit, the bias first."""
        if self.kind == "linear":
            signals = self._linear_signals(batch, pairs)
            return signals, LinearAva.read(parse_ref(self._model).folder).parts(signals.values)
        signals = self.pair_signals(batch, pairs)
        return signals, self._layer_parts(batch, pairs, signals)

    def _layer_parts(self, batch: Batch, pairs: Pairs, signals: Signals) -> Floats:
        layer = JudgeLayer.read(parse_ref(self._model).folder)
        lengths = token_view(batch, "squad").tokens.lengths[batch.reference[pairs.reference]]
        return layer.parts(signals.names, signals.values, lengths)

    def _coefficients(self, batch: Batch, pairs: Pairs, signals: Signals) -> Floats:
        """Return what a signal of 1 adds to each pair's logit, the bias first."""
        ones = signals._replace(values=np.ones_like(signals.values))
        if self.kind == "linear":
            return LinearAva.read(parse_ref(self._model).folder).parts(ones.values)
        return self._layer_parts(batch, pairs, ones)

    def verdict_parts(self, batch: Batch, pairs: Pairs) -> list[tuple[Part, ...]]:
        """Return the signals with their parts in each pair's verdict; of AVA's designs what each reading adds.

        Nothing for models with encoders of their own, whose readings are not told apart.
        """
        if self.kind not in EXPLAINED:
            judge = self.open_judge(batch.resources)
            if not isinstance(judge, OnnxAva):
                return []
            return [reading_parts(self.kind, row) for row in judge.parts(judge_inputs(batch, pairs)).tolist()]
        signals, _ = self.pair_parts(batch, pairs)
        coefficients = self._coefficients(batch, pairs, signals)
        names = ("bias", *signals.names)
        return [
            labelled_parts(names, [1.0, *values], given)
            for values, given in zip(signals.values.tolist(), coefficients.tolist(), strict=True)
        ]

    @staticmethod
    def _linear_signals(batch: Batch, pairs: Pairs) -> Signals:
        rows = []
        texts = [each.text for example in batch.examples for each in example.references]
        for i, k in zip(pairs.example.tolist(), pairs.reference.tolist(), strict=True):
            example = batch.examples[i]
            # Whichever reference is short enough to be a short answer, the candidate may include it.
            short = [each.text for each in example.references]
            rows.append(linear_features(example.question, texts[k], short, example.candidate or ""))
        return Signals(FEATURES, np.array(rows, np.float64).reshape(-1, len(FEATURES)))


def _weights(resources: Resources) -> str:
    return resources.weigher().fingerprint
