"""What metrics that are learned from people's judgements have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.equivalence.rule import RULE_NAMES
from qassay.features.assertions import asserted_words
from qassay.features.readability import UNREAD_TEXT, readable_pairs
from qassay.metrics.base import EMPTY_REFERENCE, MeanMetric, best, divide, subset
from qassay.metrics.breakdown import NOTHING, Ingredient, ScoreBreakdown, shortened
from qassay.metrics.learned.canonical_pairs import canonical_pairs
from qassay.models.base import EMBEDDED
from qassay.models.onnx.judge_layer import probability
from qassay.spec import Param
from qassay.text.symbols import holds_symbols, is_symbolic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.resources import Resources
    from qassay.metrics.learned.canonical_pairs import JudgedPairs
    from qassay.records import AnswerNotes


NO_QUESTION = "answers without a question, judged by their references alone"
MODEL = Param("model", EMBEDDED, "mini, or a folder that `qassay train` wrote")
REFERENCES = Param(
    "refs", "max", "several references: the best probability, or the mean (as in the paper)", choices=("max", "mean")
)
RULES = Param(
    "rules", "all", "which rules put an answer into the reference's words before it is judged", parts=RULE_NAMES
)


class LearnedMetric(MeanMetric):
    """A probability for each candidate held against each reference; the best one counts, or their mean.

    Identical texts are right, and a blank answer to a reference that is not blank is wrong, whatever a model says. An
    answer to a reference of symbols alone is right if it has them as a token, and wrong otherwise.
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
        for row in np.flatnonzero(_symbolic(batch)[reference]):
            scores[row] = holds_symbols(batch.texts[candidate[row]], batch.texts[reference[row]])
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

    @property
    def reads_assertions(self) -> bool:
        """Whether answers are read for what they assert."""
        return False

    def answer_notes(self, batch: Batch) -> Sequence[AnswerNotes | None]:
        """Note what each answer asserts, where the judge reads that."""
        return asserted_words(batch) if self.reads_assertions else ()

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the examples whose references are all blank."""
        filled = self._filled(batch)
        blank = np.setdiff1d(np.arange(len(batch)), filled.example)
        unread = np.setdiff1d(filled.example, self._usable(batch).example)
        reasons = {**dict.fromkeys(blank.tolist(), EMPTY_REFERENCE), **dict.fromkeys(unread.tolist(), UNREAD_TEXT)}
        return {**reasons, **super().unscored(batch)}

    def _usable(self, batch: Batch) -> Pairs:
        """Return the pairs that can be judged."""
        filled = self._filled(batch)
        if self.settings.get("unread") != "skip" or not self.reads_texts:
            return filled
        readable = readable_pairs(batch, filled, lambda: batch.resources.judge(self.text("model")))
        return subset(filled, readable | _symbolic(batch)[batch.reference[filled.reference]])

    @property
    def reads_texts(self) -> bool:
        """Whether a network reads the texts, which must then be in a script that it knows."""
        return True

    @staticmethod
    def _filled(batch: Batch) -> Pairs:
        """Return the pairs whose reference is not blank."""
        blank = np.array([not text.strip() for text in batch.texts], bool)
        return subset(batch.pairs, ~blank[batch.reference[batch.pairs.reference]])

    @staticmethod
    def _open(batch: Batch, pairs: Pairs) -> Bools:
        """Return which pairs need a model: neither blank nor identical, nor held against symbols."""
        blank = np.array([not text.strip() for text in batch.texts], bool)
        candidate, reference = batch.candidate[pairs.example], batch.reference[pairs.reference]
        return np.asarray(~blank[candidate] & (candidate != reference) & ~_symbolic(batch)[reference], bool)


def _symbolic(batch: Batch) -> Bools:
    """Return which texts are symbols alone."""
    return batch.memo(is_symbolic, lambda: np.array([is_symbolic(text) for text in batch.texts], bool))
