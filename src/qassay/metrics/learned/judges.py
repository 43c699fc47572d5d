"""Metrics that are learned from people's judgements: LERC and AVA."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.equivalence.rule import RULE_NAMES
from qassay.errors import SpecError
from qassay.features.batch import Batch
from qassay.features.readability import UNREAD, UNREAD_TEXT, readable_pairs
from qassay.features.token_views import token_view
from qassay.metrics.base import EMPTY_REFERENCE, MeanMetric, best, divide, subset
from qassay.metrics.breakdown import NOTHING, Ingredient, ScoreBreakdown, shortened
from qassay.metrics.learned.canonical_pairs import canonical_pairs
from qassay.metrics.learned.judge_logits import judge_logits
from qassay.metrics.learned.signal_labels import labelled_parts
from qassay.metrics.learned.signals import JUDGE, Signals, lexical_signals, model_signals
from qassay.metrics.lexical.ngrams import identical
from qassay.metrics.phrase_in_context import surrounding_context
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.folder import fingerprint
from qassay.models.hf.judge import DESCRIPTION as ENCODERS
from qassay.models.hf.judge import read_settings
from qassay.models.hf.judge_design import DESIGNS, READER
from qassay.models.linear_judge import DESCRIPTION as LINEAR
from qassay.models.linear_judge import FEATURES, LinearAva, linear_features
from qassay.models.load import has_judge, has_reader
from qassay.models.onnx.judge_layer import DESCRIPTION, JudgeLayer, probability
from qassay.spec import Param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Pairs
    from qassay.features.resources import Resources
    from qassay.metrics.breakdown import Part
    from qassay.metrics.learned.canonical_pairs import JudgedPairs
    from qassay.spec import MetricSpec, Value

KINDS = ("mini", "linear", *DESIGNS)
EXPLAINED = frozenset({"mini", "linear"})
"""The kinds whose verdict is a sum of parts."""
NO_WORD = "no reference has a word"
NO_QUESTION = "answers without a question, judged by their references alone"
MODEL = Param("model", EMBEDDED, "mini, or a folder that `qassay train` wrote")
REFERENCES = Param(
    "refs", "max", "several references: the best probability, or the mean (as in the paper)", choices=("max", "mean")
)
RULES = Param(
    "rules", "all", "which rules put an answer into the reference's words before it is judged", parts=RULE_NAMES
)
_READ = 600
"""Characters of a phrase's text that LERC reads: a summary is hardly longer."""
_MOST_SURE = 7.0
"""The judge's logit counts no further than this."""


class LearnedMetric(MeanMetric):
    """A probability for each candidate held against each reference; the best one counts, or their mean.

    Identical texts are right, and a blank answer to a reference that is not blank is wrong, whatever a model says. Any
    other answer cannot be held against a reference of punctuation or pictures alone, which is left out.
    """

    precedence = 2

    def pair_logits(self, batch: Batch, pairs: Pairs) -> Floats:
        """Return the logit of each pair's candidate being right."""
        raise NotImplementedError

    def pair_probabilities(self, batch: Batch, pairs: Pairs) -> Floats:
        """Return the probability of each pair's candidate being right."""
        return probability(self.pair_logits(batch, pairs))

    def values(self, batch: Batch) -> Floats:
        """Combine the references' probabilities."""
        batch.note(NO_QUESTION, (i for i, example in enumerate(batch.examples) if not example.question.strip()))
        pairs = self._usable(batch)
        scores = np.zeros(len(pairs.example))
        for side in self.judged_pairs(batch, pairs):
            scores[side.rows] = self._probabilities(side.batch, side.pairs)
        if self.text("refs") == "max":
            return best(scores, pairs.example, len(batch))
        totals = summed(pairs.example, scores, len(batch))
        return divide(totals, np.bincount(pairs.example, minlength=len(batch)).astype(np.float64), empty=np.nan)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that may change a candidate."""
        return RULES.chosen_parts(self.text("rules"))

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add a hash of the rules: what they are defined to do, and their tables."""
        from qassay.equivalence.registry import rules_fingerprint  # noqa: PLC0415 - patterns take time to compile

        known = super().identity(resources)
        return {**known, "rules": rules_fingerprint(self.rules)} if self.rules else known

    def judged_pairs(self, batch: Batch, pairs: Pairs) -> list[JudgedPairs]:
        """Return the pairs as they are judged: candidates in their reference's words, as far as the rules reach."""
        return canonical_pairs(batch, pairs, self.rules)

    def _probabilities(self, batch: Batch, pairs: Pairs) -> Floats:
        scores = np.zeros(len(pairs.example))
        open_ = self._open(batch, pairs)
        scores[open_] = self.pair_probabilities(batch, subset(pairs, open_))
        candidate, reference = batch.candidate[pairs.example], batch.reference[pairs.reference]
        scores[candidate == reference] = 1.0
        return scores

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Show answers as they were judged, where rules changed them, and which rules did."""
        explained = [ScoreBreakdown()] * len(batch)
        for part in self.judged_pairs(batch, batch.pairs)[1:]:
            for pair, example, fired in zip(part.rows.tolist(), part.batch.examples, part.fired, strict=True):
                changes: dict[str, list[str]] = {}
                for rule in fired:
                    changes.setdefault(rule.name, []).append(f"{rule.before} \u2192 {rule.after or NOTHING}")
                by_rule = [(f"rule {name}", "; ".join(made)) for name, made in changes.items()]
                shown = [("judged as", example.candidate or NOTHING), *by_rule]
                ingredients = tuple(Ingredient(name, shortened(text)) for name, text in shown)
                explained[batch.pairs.example[pair]] = ScoreBreakdown(ingredients)
        return explained

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the examples whose references are all blank, or without any word."""
        worded = self._worded(batch)
        left_out = np.setdiff1d(np.arange(len(batch)), worded.example)
        filled = {i for i in left_out.tolist() if any(each.text.strip() for each in batch.examples[i].references)}
        reasons = {i: NO_WORD if i in filled else EMPTY_REFERENCE for i in left_out.tolist()}
        unread = np.setdiff1d(worded.example, self._usable(batch).example)
        return {**reasons, **dict.fromkeys(unread.tolist(), UNREAD_TEXT), **super().unscored(batch)}

    def _usable(self, batch: Batch) -> Pairs:
        """Return the pairs that can be judged."""
        worded = self._worded(batch)
        if self.settings.get("unread") != "skip" or not self.reads_texts:
            return worded
        return subset(worded, readable_pairs(batch, worded, lambda: batch.resources.judge(self.text("model"))))

    @property
    def reads_texts(self) -> bool:
        """Whether a network reads the texts, which must then be in a script that it knows."""
        return True

    @staticmethod
    def _worded(batch: Batch) -> Pairs:
        blank = np.array([not text.strip() for text in batch.texts], bool)
        worded = np.array([any(map(str.isalnum, text)) for text in batch.texts], bool)
        candidate, reference = batch.candidate[batch.pairs.example], batch.reference[batch.pairs.reference]
        decided = (candidate == reference) | blank[candidate]
        return subset(batch.pairs, worded[reference] | (decided & ~blank[reference]))

    @staticmethod
    def _open(batch: Batch, pairs: Pairs) -> Bools:
        """Return which pairs need a model: neither blank nor identical."""
        blank = np.array([not text.strip() for text in batch.texts], bool)
        candidate = batch.candidate[pairs.example]
        return np.asarray(~blank[candidate] & (candidate != batch.reference[pairs.reference]), bool)


class Lerc(LearnedMetric):
    """A reader's estimate of how right an answer is, in [0, 1], with the context where there is one (Chen et al. 2020).

    The embedded reader is the judge's network, trained on verdicts and graded ratings alike. With `context=phrase` the
    candidate is a phrase of its context: 600 characters around it are read, and candidates that equal the reference
    after normalisation count 1 (Deutsch and Roth 2022).
    """

    name = "lerc"
    summary = "a network's estimate of how right an answer is, with its context if there is one"
    source = "Chen et al. 2020"
    params = (
        MODEL,
        REFERENCES,
        Param(
            "context",
            "whole",
            "read the whole context, or as much as surrounds the candidate, which is a phrase of it",
            choices=("whole", "phrase"),
        ),
        UNREAD,
        RULES,
    )

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:  # noqa: ARG003 - any reader
        """Whether a model reads context, question, reference and answer."""
        return has_reader(ref)

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add the reader's fingerprint."""
        return {**super().identity(resources), "model": resources.judge(self.text("model")).fingerprint}

    @property
    def reads(self) -> frozenset[str]:
        """Add the context."""
        return super().reads | {"context"}

    def pair_logits(self, batch: Batch, pairs: Pairs) -> Floats:
        """Read each pair with its context."""
        return judge_logits(batch, self.text("model"), pairs, context=True)

    def values(self, batch: Batch) -> Floats:
        """Read phrases in what surrounds them, unless they are the same answer."""
        if not self._of_phrases:
            return super().values(batch)
        same = _same_answers(batch)
        scores = np.where(same, 1.0, np.nan)
        rows = np.flatnonzero(~same).tolist()
        around = [replace(each, context=surrounding_context(each, _READ)) for each in batch.examples]
        read = Batch([around[i] for i in rows], batch.resources)
        scores[rows] = super().values(read)
        batch.adopt_notes(read, rows)
        return scores

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Leave out the phrases that are the same answer, whatever their words."""
        same = set(np.flatnonzero(_same_answers(batch)).tolist()) if self._of_phrases else set()
        return {i: reason for i, reason in super().unscored(batch).items() if i not in same}

    @property
    def _of_phrases(self) -> bool:
        return self.text("context") == "phrase"


def _same_answers(batch: Batch) -> Bools:
    """Return which examples equal one of their references after normalisation."""
    same = np.zeros(len(batch), bool)
    same[batch.pairs.example[identical(token_view(batch, "squad"), batch.pairs)]] = True
    return same


class Ava(LearnedMetric):
    """The probability that an answer is right, given question and reference (after Vu and Moschitti 2021).

    `kind=mini` is the embedded judge: a small network and what the batch knows of the texts, weighed in a logistic
    layer. The paper's own models are `linear`, which is embedded too, and `a0` to `a2`, which are trained first.
    """

    name = "ava"
    summary = "the probability that an answer is right, given question and reference"
    source = "Vu and Moschitti 2021"
    params = (
        MODEL,
        Param("kind", "mini", "the embedded judge, or a model of the paper's", choices=KINDS),
        REFERENCES,
        UNREAD,
        RULES,
    )
    precedence = 3

    @property
    def reads_texts(self) -> bool:
        """Whether a network reads the texts: the linear model counts words."""
        return self.kind != "linear"

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
        if self._model != EMBEDDED and self.kind != "linear":
            self._check_design()
        elif self.kind in DESIGNS:
            raise SpecError(
                f"ava,kind={self.kind} has no embedded model; train one with `qassay train ava --kind {self.kind}` "
                f"and name its folder: ava,kind={self.kind},model=FOLDER"
            )

    def _check_design(self) -> None:
        """Raise an error for a folder that holds another kind of judge."""
        parsed = parse_ref(self._model)
        if self.kind == "mini" and (parsed.kind != "folder" or not (parsed.folder / ENCODERS).is_file()):
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
            return {**known, "model": fingerprint(folder / LINEAR)}
        judge = resources.judge(self._model).fingerprint
        if self.kind != "mini":
            return {**known, "model": judge}
        return {**known, "model": judge, "layer": fingerprint(folder / DESCRIPTION), "weights": _weights(resources)}

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that may change a candidate; the paper's own models judge what is written."""
        return super().rules if self.kind == "mini" else ()

    def pair_logits(self, batch: Batch, pairs: Pairs) -> Floats:
        """Judge each pair."""
        if self.kind in EXPLAINED:
            return np.asarray(self.pair_parts(batch, pairs)[1].sum(axis=1), np.float64)
        return judge_logits(batch, self._model, pairs, context=False)

    def pair_signals(self, batch: Batch, pairs: Pairs, logits: Floats | None = None) -> Signals:
        """Return the embedded judge's signals: the network's logit and features of the texts.

        `logits` are other networks' logits, for pairs that this one need not read.
        """
        if logits is None:
            logits = judge_logits(batch, self._model, pairs, context=False)
        lexical, learned = lexical_signals(batch, pairs), model_signals(batch, pairs)
        names = (JUDGE, *lexical.names, *learned.names)
        sure = np.clip(logits, -_MOST_SURE, _MOST_SURE)
        return Signals(names, np.column_stack([sure, lexical.values, learned.values]))

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

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Add the signals with their parts in the verdict, for the reference that fits best.

        An example that no model decides on (blank, missing, or identical to a reference) has none, and neither has a
        kind of judge whose verdict is no sum of parts.
        """
        explained = super().explain(batch)
        if self.kind not in EXPLAINED:
            return explained
        usable = self._usable(batch)
        best_logit = np.full(len(batch), -np.inf)
        parts: dict[int, tuple[Part, ...]] = {}
        for side in self.judged_pairs(batch, usable):
            example = usable.example[side.rows]
            same = side.batch.candidate[side.pairs.example] == side.batch.reference[side.pairs.reference]
            best_logit[example[same]] = np.inf
            open_ = self._open(side.batch, side.pairs)
            if not open_.any():
                continue
            pairs = subset(side.pairs, open_)
            signals, found = self.pair_parts(side.batch, pairs)
            coefficients = self._coefficients(side.batch, pairs, signals)
            for row, i in enumerate(example[open_].tolist()):
                if found[row].sum() > best_logit[i]:
                    best_logit[i] = found[row].sum()
                    values = [1.0, *signals.values[row].tolist()]
                    parts[i] = labelled_parts(("bias", *signals.names), values, coefficients[row].tolist())
        return [
            replace(each, parts=parts[i]) if i in parts and best_logit[i] < np.inf else each
            for i, each in enumerate(explained)
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
