"""ROUGE-N, ROUGE-SU and ROUGE-L (Lin 2004), with bonuses for yes-no opinions and entities (Yang et al. 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.arrays import summed
from qassay.features.token_views import OWN, token_view
from qassay.features.weightings import WEIGHTINGS
from qassay.metrics.base import OverlapMetric, best, divide, f_measure, subset
from qassay.metrics.breakdown import Ingredient, ScoreBreakdown, best_pairs, show
from qassay.metrics.lexical.bonuses import agreeing, entity_tokens
from qassay.metrics.lexical.heaviest_subsequence import heaviest_subsequence
from qassay.metrics.lexical.ngrams import Overlap, identical, overlap, table_overlap
from qassay.metrics.parameters import ENTITY, YESNO, tok, weighted_tok
from qassay.spec import Param
from qassay.text.porter import stem

if TYPE_CHECKING:
    from qassay.arrays import Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.token_views import View
    from qassay.text.tokenisers.tokens import Tokens


def _params(beta: float, cut: Param) -> tuple[Param, ...]:
    return (
        cut,
        Param("stat", "f", "F, precision or recall", choices=("f", "p", "r")),
        Param("beta", beta, "weight of recall in F", low=0, high=1e3),
        Param(
            "refs",
            "pr",
            "several references: best precision and best recall, or the best score",
            choices=("pr", "max"),
            weighted_default="max",
        ),
        Param("stem", default=False, meaning="compare Porter stems"),
    )


class Rouge(OverlapMetric):
    """Precision, recall or F of something shared between candidate and reference.

    Several references: `refs=pr` picks the highest precision and the highest recall separately (COCO's and
    DuReader's scorers), `refs=max` the highest score.
    """

    source = "Lin 2004"
    params = _params(1.0, tok("word"))
    weightings = WEIGHTINGS

    def precision_recall(self, batch: Batch, view: View, pairs: Pairs) -> tuple[Floats, Floats]:
        """Return both for each pair."""
        raise NotImplementedError

    def values(self, batch: Batch) -> Floats:
        """Combine the pairs of an example as `refs` says."""
        view, pairs = self.view(batch), self.usable(batch)
        precision, recall = self.precision_recall(batch, view, pairs)
        if self.text("refs") == "max":
            return best(self._score(precision, recall), pairs.example, len(batch))
        return self._score(best(precision, pairs.example, len(batch)), best(recall, pairs.example, len(batch)))

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Return precision and recall."""
        pairs = self.usable(batch)
        precision, recall = self.precision_recall(batch, self.view(batch), pairs)
        rows = best_pairs(self._score(precision, recall), pairs.example, len(batch))
        return [
            ScoreBreakdown((Ingredient("precision", show(precision[row])), Ingredient("recall", show(recall[row]))))
            if row >= 0
            else ScoreBreakdown()
            for row in rows.tolist()
        ]

    def view(self, batch: Batch) -> View:
        """Return the tokens, stemmed if wanted."""
        view = token_view(batch, self.tok, self.spec.weights)
        return view._replace(tokens=_stemmed(view.tokens)) if self.settings["stem"] else view

    def _score(self, precision: Floats, recall: Floats) -> Floats:
        stat = self.text("stat")
        if stat == "f":
            return f_measure(precision, recall, self.number("beta"))
        return precision if stat == "p" else recall


class RougeN(Rouge):
    """Clipped n-gram overlap. Texts too short for any n-gram match when they are identical."""

    order = 1

    def shared(self, batch: Batch, view: View, pairs: Pairs) -> Overlap:
        """Count the shared n-grams."""
        return overlap(batch, view, pairs, self.order)

    def precision_recall(self, batch: Batch, view: View, pairs: Pairs) -> tuple[Floats, Floats]:
        """Share of the candidate's and of the reference's n-grams."""
        shared = self.shared(batch, view, pairs)
        if not shared.bare.any():
            return shared.precision, shared.recall
        equal = identical(view, pairs).astype(float)
        return np.where(shared.bare, equal, shared.precision), np.where(shared.bare, equal, shared.recall)


class Rouge1(RougeN):
    """Unigrams."""

    name = "rouge_1"
    summary = "unigram overlap"


class Rouge2(RougeN):
    """Bigrams."""

    name = "rouge_2"
    summary = "bigram overlap"
    order = 2


class RougeSU4(RougeN):
    """Unigrams and pairs of words in order with at most four words between them."""

    name = "rouge_su4"
    summary = "unigrams and skip-bigrams with a gap of at most four"

    def shared(self, batch: Batch, view: View, pairs: Pairs) -> Overlap:  # noqa: ARG002 - the others share a batch's
        """Count the shared unigrams and skip-bigrams."""
        return table_overlap(view, pairs, view.tokens.skip_grams(4))


_MOST_CELLS = 1e11
"""Candidate length times reference length up to which a longest common subsequence is computed: some seconds."""
_MOST_WEIGHTED_CELLS = 4e9
"""The same where its tokens must be known, not its length alone: half a gigabyte."""
TOO_LONG = "too long for a longest common subsequence"


class RougeL(Rouge):
    """Longest common subsequence, with the bonuses of Yang et al. (2018), section 3.2.

    With weights, the heaviest of the longest ones, on the tokens that the weighting itself cuts, where it does.
    """

    name = "rouge_l"
    summary = "longest common subsequence"
    source = "Lin 2004; Yang et al. 2018 for the bonuses"
    params = (*_params(1.2, weighted_tok("word")), YESNO, ENTITY)

    @property
    def reads(self) -> frozenset[str]:
        """Add the entities, where they earn a bonus."""
        return super().reads | ({"entities"} if self.number("entity") else frozenset())

    def usable(self, batch: Batch) -> Pairs:
        """Leave out the pairs that are too long; an example with none left is unscored."""
        pairs, view = super().usable(batch), token_view(batch, self.tok, self.spec.weights)
        lengths = view.tokens.lengths.astype(np.float64)
        cells = lengths[view.left(pairs)] * lengths[view.right(pairs)]
        return subset(pairs, cells <= (_MOST_CELLS if view.weights is None else _MOST_WEIGHTED_CELLS))

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Return which examples are too long."""
        found = super().unscored(batch)
        if not found:
            return found
        short = super().usable(batch).example
        too_long = set(short.tolist()) & found.keys()
        return found | dict.fromkeys(too_long, TOO_LONG)

    def precision_recall(self, batch: Batch, view: View, pairs: Pairs) -> tuple[Floats, Floats]:
        """LCS over candidate and over reference; bonuses go to numerators and denominators."""
        left, right = view.left(pairs), view.right(pairs)
        if view.weights is None:
            shared = view.tokens.lcs(left, right).astype(np.float64)
            left_hits = right_hits = shared
            left_total, right_total = (view.tokens.lengths[side].astype(float) for side in (left, right))
        else:
            left_hits, right_hits = heaviest_subsequence(view.tokens, left, right, view.weights)
            totals = summed(view.tokens.text_of, view.weights, len(view.tokens))
            left_total, right_total = totals[left], totals[right]
        yesno, entity = self.number("yesno"), self.number("entity")
        if yesno:
            agree = agreeing(batch, pairs)
            bonuses = [yesno * np.where(agree, hits, 0.0) for hits in (left_hits, right_hits)]
        else:
            bonuses = [np.zeros(len(left)), np.zeros(len(left))]
        if entity:
            # A token of an entity weighs what a text's tokens weigh on average: 1 where there are no weights.
            found = entity * self._entity_lengths(batch)[pairs.example]
            bonuses[0] += found * divide(left_total, view.tokens.lengths[left].astype(float))
            bonuses[1] += found * divide(right_total, view.tokens.lengths[right].astype(float))
        return (
            divide(left_hits + bonuses[0], left_total + bonuses[0]),
            divide(right_hits + bonuses[1], right_total + bonuses[1]),
        )

    def _entity_lengths(self, batch: Batch) -> Floats:
        """Sum the lengths of the gold entities that appear in each candidate."""
        cut = "word" if self.tok == OWN else self.tok
        view = token_view(batch, cut)
        lengths = np.zeros(len(batch))
        for i, entities in enumerate(entity_tokens(batch, cut)):
            if entities and not batch.missing[i]:
                tokens = view.tokens.row(int(view.candidate[i]))
                lengths[i] = sum(len(entity) for entity in entities if _stands_in(entity, tokens))
        return lengths


def _stands_in(entity: list[str], tokens: list[str]) -> bool:
    size = len(entity)
    return size > 0 and any(tokens[i : i + size] == entity for i in range(len(tokens) - size + 1))


def _stemmed(tokens: Tokens) -> Tokens:
    """Merge tokens with the same Porter stem; words of three letters or fewer stay, as in rouge-score."""
    stems = [stem(word) if len(word) > 3 else word for word in tokens.words]  # noqa: PLR2004 - named above
    words = list(dict.fromkeys(stems))
    number = {word: i for i, word in enumerate(words)}
    renumber = np.array([number[each] for each in stems], np.int64)
    return type(tokens)(renumber[tokens.ids], tokens.starts, words)
