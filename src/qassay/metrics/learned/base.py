"""What metrics that are learned from people's judgements have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.equivalence.rule import RULE_NAMES
from qassay.features.assertions import asserted_words
from qassay.features.readability import UNREAD_TEXT, readable_pairs
from qassay.io.parsing.aliases import likely_name
from qassay.metrics.base import EMPTY_REFERENCE, MeanMetric, best, divide, subset
from qassay.metrics.breakdown import NOTHING, Ingredient, ScoreBreakdown, best_pairs, shortened
from qassay.metrics.learned.canonical_pairs import canonical_pairs
from qassay.metrics.learned.screening import CERTAIN, screened_scores, with_references
from qassay.models.base import EMBEDDED
from qassay.models.onnx.judge_layer import probability
from qassay.spec import Param
from qassay.text.symbols import holds_symbols, is_symbolic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.resources import Resources
    from qassay.metrics.breakdown import Part
    from qassay.metrics.learned.canonical_pairs import JudgedPairs
    from qassay.models.onnx.judge import Judge
    from qassay.records import AnswerNotes


UNSURE = 0.4
"""The score of an answer that says two things, of which the reference is one."""
NO_QUESTION = "answers without a question, judged by their references alone"
MODEL = Param("model", EMBEDDED, "mini, or a folder that `qassay train` wrote")
REFERENCES = Param(
    "refs", "max", "several references: the best probability, or the mean (as in the paper)", choices=("max", "mean")
)
RULES = Param(
    "rules", "all", "which rules put an answer into the reference's words before it is judged", parts=RULE_NAMES
)


def note_missing_questions(batch: Batch) -> None:
    """Note the answers without a question, and the field that probably holds it."""
    found: dict[str | None, list[int]] = {}
    for i in [i for i, question in enumerate(batch.questions) if not question.strip()]:
        extra = batch.examples[i].extra
        found.setdefault(likely_name("question", extra) if extra else None, []).append(i)
    for name, rows in found.items():
        batch.note(NO_QUESTION if name is None else f'{NO_QUESTION}; map "{name}" to question if it holds it', rows)


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
        if self.reads_questions:
            note_missing_questions(batch)
        pairs = self._usable(batch)
        scores = self.pair_scores(batch, pairs)
        if self.text("refs") == "max":
            return best(scores, pairs.example, len(batch))
        totals = summed(pairs.example, scores, len(batch))
        return divide(totals, np.bincount(pairs.example, minlength=len(batch)).astype(np.float64), empty=np.nan)

    @property
    def screens(self) -> bool:
        """Whether references are left out that a verdict does not need."""
        return self.settings.get("screen") == "on" and self.text("refs") == "max"

    def pair_scores(self, batch: Batch, pairs: Pairs) -> Floats:
        """Return the probability of each pair's candidate being right, minus infinity where it was not judged."""
        if not self.screens:
            return self._all_scores(batch, pairs)
        decided = np.where(self._open(batch, pairs), np.nan, self._decided(batch, pairs))
        return screened_scores(batch, pairs, decided, self._all_scores)

    def _all_scores(self, batch: Batch, pairs: Pairs) -> Floats:
        """Judge every pair."""
        scores = np.zeros(len(pairs.example))
        for side in self.judged_pairs(batch, pairs):
            found = self._probabilities(side.batch, side.pairs)
            found[side.unsure] = UNSURE
            scores[side.rows] = found
        return scores

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that may change a candidate."""
        return RULES.chosen_parts(self.text("rules"))

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add how references are screened, hashes of the rules, and what reads answers for what they assert."""
        from qassay.equivalence.registry import rules_fingerprint  # noqa: PLC0415 - patterns take time to compile

        screened = {"screen": f"{CERTAIN:g}"} if self.screens else {}
        ruled = {"rules": rules_fingerprint(self.rules)} if self.rules else {}
        read = {"reader": resources.answer_reader().fingerprint} if self.reads_assertions else {}
        return {**super().identity(resources), **screened, **ruled, **read}

    def judged_pairs(self, batch: Batch, pairs: Pairs) -> list[JudgedPairs]:
        """Return the pairs as they are judged: candidates in their reference's words, as far as the rules reach."""
        return canonical_pairs(batch, pairs, self.rules)

    def _probabilities(self, batch: Batch, pairs: Pairs) -> Floats:
        scores = self._decided(batch, pairs)
        open_ = self._open(batch, pairs)
        if open_.any():
            scores[open_] = self.pair_probabilities(batch, subset(pairs, open_))
        return scores

    @staticmethod
    def _decided(batch: Batch, pairs: Pairs) -> Floats:
        """Return the scores of the pairs that need no model, and 0 for the others."""
        candidate, reference = batch.candidate[pairs.example], batch.reference[pairs.reference]
        scores: Floats = (candidate == reference).astype(np.float64)
        for row in np.flatnonzero(_symbolic(batch)[reference]):
            scores[row] = holds_symbols(batch.texts[candidate[row]], batch.texts[reference[row]])
        return scores

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Show the reference that the verdict comes from, where there are several, and what was judged against it.

        That is the answer as rules changed it, with the rules that did, the parts of the verdict, where it is a sum of
        parts and a model gave it, and where none did, what decided.
        """
        pairs = self._usable(batch)
        best_rows = best_pairs(self.pair_scores(batch, pairs), pairs.example, len(batch))
        explained = [ScoreBreakdown()] * len(batch)
        examples = np.flatnonzero(best_rows >= 0)
        if not len(examples):
            return explained
        part = with_references(batch, pairs, best_rows[examples].tolist())
        for side in self.judged_pairs(part, part.pairs):
            parts = self._open_parts(side.batch, side.pairs)
            for row, pair in enumerate(side.rows.tolist()):
                i = int(examples[pair])
                several = len(batch.examples[i].references) > 1
                reference = [("reference", part.texts[part.reference[pair]])] if several else []
                shown = [*reference, *_changes(side, row), *_decided_by(side, row)]
                ingredients = tuple(Ingredient(name, shortened(text)) for name, text in shown)
                explained[i] = ScoreBreakdown(ingredients, parts.get(row, ()))
        return explained

    @property
    def reads_questions(self) -> bool:
        """Whether questions are read where there are any."""
        return True

    @property
    def reads_assertions(self) -> bool:
        """Whether answers are read for what they assert."""
        return False

    def answer_notes(self, batch: Batch) -> Sequence[AnswerNotes | None]:
        """Note what each answer asserts, where the judge reads that."""
        return asserted_words(batch) if self.reads_assertions else ()

    def _open_parts(self, batch: Batch, pairs: Pairs) -> dict[int, tuple[Part, ...]]:
        """Return the parts of the verdicts that a model gave, by the row of their pair."""
        open_ = self._open(batch, pairs)
        if not open_.any():
            return {}
        return dict(zip(np.flatnonzero(open_).tolist(), self.verdict_parts(batch, subset(pairs, open_)), strict=False))

    def verdict_parts(self, batch: Batch, pairs: Pairs) -> list[tuple[Part, ...]]:  # noqa: ARG002 - for sums of parts
        """Return the parts of each pair's verdict; nothing if it is no sum of parts."""
        return []

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
        readable = readable_pairs(batch, filled, lambda: self.open_judge(batch.resources))
        return subset(filled, readable | _symbolic(batch)[batch.reference[filled.reference]])

    def open_judge(self, resources: Resources) -> Judge:
        """Open the network that reads the texts."""
        return resources.judge(self.text("model"))

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


def _changes(side: JudgedPairs, row: int) -> list[tuple[str, str]]:
    """Return a pair's candidate as it was judged and what each rule changed, if any did."""
    if not side.fired:
        return []
    changes: dict[str, list[str]] = {}
    for rule in side.fired[row]:
        changes.setdefault(rule.name, []).append(f"{rule.before} \u2192 {rule.after or NOTHING}")
    by_rule = [(f"rule {name}", "; ".join(made)) for name, made in changes.items()]
    return [("judged as", side.batch.examples[row].candidate or NOTHING), *by_rule]


def _decided_by(side: JudgedPairs, row: int) -> list[tuple[str, str]]:
    """Return what a verdict comes from that needed neither rule nor model: equal texts, or symbols as they are."""
    if side.fired:
        return []
    batch, pairs = side.batch, side.pairs
    reference = batch.reference[pairs.reference[row]]
    if batch.candidate[pairs.example[row]] == reference:
        return [("decided by", "equal texts")]
    return [("decided by", "symbols, compared as written")] if _symbolic(batch)[reference] else []


def _symbolic(batch: Batch) -> Bools:
    """Return which texts are symbols alone."""
    return batch.memo(is_symbolic, lambda: np.array([is_symbolic(text) for text in batch.texts], bool))
