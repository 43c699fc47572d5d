"""The SQuAD family: exact match, token F1, token recall, containment. Several references: the best one counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.features.token_views import token_view
from qassay.features.weightings import WEIGHTINGS
from qassay.metrics.base import MeanMetric, best, f_measure
from qassay.metrics.breakdown import Ingredient, ScoreBreakdown, best_pairs, shortened, show
from qassay.metrics.lexical.ngrams import Overlap, identical, overlap
from qassay.metrics.parameters import tok

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.token_views import View


class PairMetric(MeanMetric):
    """A score for each pair, of which the best counts. A blank answer matches a blank reference (SQuAD 2.0)."""

    source = "Rajpurkar et al. 2016"
    params = (tok("squad"),)

    def pair_values(self, batch: Batch, view: View) -> Floats:
        """Score each candidate-reference pair."""
        raise NotImplementedError

    def values(self, batch: Batch) -> Floats:
        """Take the best reference."""
        return best(self._scores(batch), batch.pairs.example, len(batch))

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Return what was compared or counted, for the best reference."""
        view = token_view(batch, self.tok, self.spec.weights)
        rows = best_pairs(self._scores(batch), batch.pairs.example, len(batch)).tolist()
        ingredients = iter(self.ingredients(batch, view, [row for row in rows if row >= 0]))
        return [ScoreBreakdown(next(ingredients) if row >= 0 else ()) for row in rows]

    def ingredients(self, batch: Batch, view: View, pairs: Sequence[int]) -> list[tuple[Ingredient, ...]]:
        """Return both sides of some pairs as the metric sees them, after normalisation."""
        left, right = (
            [shortened(" ".join(view.tokens.row(row))) for row in side[list(pairs)].tolist()]
            for side in (view.left(batch.pairs), view.right(batch.pairs))
        )
        return [(Ingredient("candidate", a), Ingredient("reference", b)) for a, b in zip(left, right, strict=True)]

    def _scores(self, batch: Batch) -> Floats:
        view = token_view(batch, self.tok, self.spec.weights)
        lengths = view.tokens.lengths
        left, right = lengths[view.left(batch.pairs)], lengths[view.right(batch.pairs)]
        blank = (left == 0) | (right == 0)
        return np.where(blank, (left == right).astype(float), self.pair_values(batch, view))


class ExactMatch(PairMetric):
    """1 when candidate and reference are equal after normalisation, else 0 (Rajpurkar et al. 2016)."""

    name = "exact_match"
    summary = "1 if candidate and reference are equal after normalisation"

    def pair_values(self, batch: Batch, view: View) -> Floats:
        """Compare the tokens in order."""
        return identical(view, batch.pairs).astype(np.float64)


class TokenF1(PairMetric):
    """Harmonic mean of token precision and recall, repeats counted (Rajpurkar et al. 2016)."""

    name = "token_f1"
    summary = "harmonic mean of token precision and recall"
    weightings = WEIGHTINGS

    def pair_values(self, batch: Batch, view: View) -> Floats:
        """Return F1 of the clipped unigram overlap."""
        shared = self.shared(batch, view)
        return f_measure(shared.precision, shared.recall, beta=1)

    def ingredients(self, batch: Batch, view: View, pairs: Sequence[int]) -> list[tuple[Ingredient, ...]]:
        """Return what precision and recall are shares of."""
        shared = self.shared(batch, view)
        return [
            (
                Ingredient("precision", f"{show(shared.left_hits[pair])} of {show(shared.left_total[pair])}"),
                Ingredient("recall", f"{show(shared.right_hits[pair])} of {show(shared.right_total[pair])}"),
            )
            for pair in pairs
        ]

    @staticmethod
    def shared(batch: Batch, view: View) -> Overlap:
        """Count the shared tokens."""
        return overlap(batch, view, batch.pairs, order=1)


class TokenRecall(TokenF1):
    """Share of the reference's tokens that the candidate has: kind to long answers that hold a short reference."""

    name = "token_recall"
    summary = "share of the reference's tokens found in the candidate"
    source = "Breck et al. 2000"

    def pair_values(self, batch: Batch, view: View) -> Floats:
        """Return the recall of the clipped unigram overlap."""
        return self.shared(batch, view).recall


class IsAnswered(MeanMetric):
    """1 when there is an answer at all, whatever it says, else 0 (Deutsch and Roth 2022)."""

    name = "is_answered"
    summary = "1 if the answer is not empty"
    source = "Deutsch and Roth 2022"
    reference_free = True

    def values(self, batch: Batch) -> Floats:
        """Look for anything but blanks."""
        given = [np.nan if each.candidate is None else float(bool(each.candidate.strip())) for each in batch.examples]
        return np.array(given, np.float64)


class Contains(PairMetric):
    """1 when the reference's tokens stand in the candidate, in a row, else 0."""

    name = "contains"
    summary = "1 if the candidate contains the reference"
    source = "open-domain QA practice"

    def pair_values(self, batch: Batch, view: View) -> Floats:
        """Look for the reference inside the candidate."""
        coded = view.tokens.as_strings
        left, right = view.left(batch.pairs).tolist(), view.right(batch.pairs).tolist()
        return np.array([coded[b] in coded[a] for a, b in zip(left, right, strict=True)], float)
