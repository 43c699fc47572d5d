"""BLEU-n for answers and corpora (Papineni et al. 2002), with bonuses for yes-no opinions and entities."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from qassay.features.token_views import token_view
from qassay.features.weightings import WEIGHTINGS
from qassay.metrics.base import Metric, divide, subset, without_pairs
from qassay.metrics.breakdown import Ingredient, ScoreBreakdown, show
from qassay.metrics.lexical.bonuses import agreeing, entity_tokens
from qassay.metrics.lexical.ngram_overlap import SharedGrams
from qassay.metrics.lexical.ngrams import gram_totals, overlap, shared_grams
from qassay.metrics.parameters import ENTITY, YESNO, tok
from qassay.spec import Param

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.batch import Batch, Pairs
    from qassay.features.token_views import View


_COCO_ABOVE, _COCO_BELOW = 1e-15, 1e-9
_FLOOR, _ADDED = 0.1, 1.0


class Bleu(Metric):
    """`BP · (∏ P_i)^(1/n)` with clipped counts and the closest reference length.

    Orders for which the candidate is too short are left out, so that identical texts score 1. Statistics are the
    hits and totals of each order, the candidate's and the reference's length; their sums give the corpus score.
    Several references: counts are clipped over all of them (`refs=all`), or the best-scoring one counts
    (`refs=max`), which is the rule with weights, when hits and totals are sums of weights (Lee et al. 2021).
    """

    name = "bleu"
    summary = "geometric mean of clipped n-gram precisions times the brevity penalty"
    source = "Papineni et al. 2002; Yang et al. 2018 for the bonuses"
    params = (
        Param("n", 4, "highest n-gram order", low=1, high=9),
        tok("word"),
        Param("smooth", "coco", "what an order without hits counts", choices=("coco", "none", "exp", "floor", "add-k")),
        Param(
            "refs",
            "all",
            "several references: clip over all of them, or the best score (always, with weights)",
            choices=("all", "max"),
            weighted_default="max",
        ),
        YESNO,
        ENTITY,
    )
    weightings = WEIGHTINGS

    @property
    def reads(self) -> frozenset[str]:
        """Add the entities, where they earn a bonus."""
        return super().reads | ({"entities"} if self.number("entity") else frozenset())

    @property
    def orders(self) -> int:
        """The highest n."""
        return int(self.settings["n"])

    def stats(self, batch: Batch) -> Floats:
        """Return [hits 1..n, totals 1..n, candidate length, reference length]."""
        view, pairs = token_view(batch, self.tok, self.spec.weights), self._usable(batch)
        one_by_one = self.text("refs") == "max" or view.weights is not None
        columns = (self._best_reference if one_by_one else self._all_references)(batch, view, pairs)
        without = np.ones(len(batch), bool)
        without[pairs.example] = False
        columns[without] = 0
        return columns

    def finish(self, stats: Floats) -> Floats:
        """Smooth the precisions, take their geometric mean and apply the brevity penalty."""
        n = self.orders
        hits, totals = stats[..., :n], stats[..., n : 2 * n]
        length, wanted = stats[..., 2 * n], stats[..., 2 * n + 1]
        precisions, present = _smooth(hits, totals, self.text("smooth"))
        with np.errstate(divide="ignore"):
            logs = np.where(present, np.log(precisions), 0.0).sum(-1)
        mean = np.exp(divide(logs, present.sum(-1).astype(float)))
        penalty = np.exp(np.minimum(0.0, 1.0 - divide(wanted, length)))
        scores = np.where((length > 0) & (hits[..., 0] > 0), mean * penalty, 0.0)
        return np.where(wanted > 0, scores, np.nan)

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the examples without any usable reference."""
        return {**without_pairs(batch, self._usable(batch)), **super().unscored(batch)}

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Return the hits of each order, the lengths and the brevity penalty."""
        return [self._breakdown(row) for row in self.stats(batch).tolist()]

    def _breakdown(self, stats: list[float]) -> ScoreBreakdown:
        n = self.orders
        length, wanted = stats[2 * n], stats[2 * n + 1]
        orders = [
            Ingredient(f"{order}-grams", f"{show(stats[order - 1])} of {show(stats[n + order - 1])}")
            for order in range(1, n + 1)
            if stats[n + order - 1]
        ]
        penalty = float(np.exp(min(0.0, 1.0 - wanted / length))) if length else 0.0
        lengths = Ingredient("length", f"{show(length)} for {show(wanted)}")
        return ScoreBreakdown((*orders, lengths, Ingredient("brevity penalty", show(penalty))))

    def _usable(self, batch: Batch) -> Pairs:
        view = token_view(batch, self.tok, self.spec.weights)
        return subset(batch.pairs, view.tokens.lengths[view.right(batch.pairs)] > 0)

    def _all_references(self, batch: Batch, view: View, pairs: Pairs) -> Floats:
        n, lengths = self.orders, view.tokens.lengths
        columns = np.zeros((len(batch), 2 * n + 2))
        right = view.right(pairs)
        if (pairs.example[1:] > pairs.example[:-1]).all():
            shared, rows = shared_grams(batch, view, pairs), pairs.example
        else:
            shared, rows = SharedGrams(view.tokens, view.candidate, right, pairs.example), np.arange(len(batch))
        for order in range(1, n + 1):
            columns[rows, order - 1] = shared.hits(order)
            columns[:, n + order - 1] = gram_totals(lengths[view.candidate], order)
        columns[:, 2 * n] = lengths[view.candidate]
        columns[:, 2 * n + 1] = _closest(columns[:, 2 * n], lengths[right], pairs.example)
        self._add_bonuses(columns, self._bonuses(batch, view, pairs))
        return columns

    def _best_reference(self, batch: Batch, view: View, pairs: Pairs) -> Floats:
        n, lengths = self.orders, view.tokens.lengths
        rows = np.zeros((len(pairs.example), 2 * n + 2))
        bonuses = np.zeros((n, len(pairs.example)))
        for order in range(1, n + 1):
            shared = overlap(batch, view, pairs, order)
            rows[:, order - 1], rows[:, n + order - 1] = shared.left_hits, shared.left_total
            if self.number("yesno"):
                bonuses[order - 1] = self.number("yesno") * np.where(agreeing(batch, pairs), shared.left_hits, 0.0)
        rows[:, 2 * n], rows[:, 2 * n + 1] = lengths[view.left(pairs)], lengths[view.right(pairs)]
        if self.number("entity"):
            # A token of an entity weighs what the candidate's weigh on average: 1 where there are no weights.
            counted = np.stack([gram_totals(lengths[view.left(pairs)], order) for order in range(1, n + 1)])
            mean = divide(rows[:, n : 2 * n].T, counted)
            bonuses += self.number("entity") * mean * self._entity_hits(batch)[:, pairs.example]
        self._add_bonuses(rows, bonuses)
        columns = np.zeros((len(batch), 2 * n + 2))
        # Ascending scores: of an example's pairs the best is written last.
        ascending = np.argsort(self.finish(rows), kind="stable")
        columns[pairs.example[ascending]] = rows[ascending]
        return columns

    def _add_bonuses(self, columns: Floats, bonuses: Floats) -> None:
        n = self.orders
        columns[:, :n] += bonuses.T
        columns[:, n : 2 * n] += bonuses.T

    def _bonuses(self, batch: Batch, view: View, pairs: Pairs) -> Floats:
        """Return, for each order and example, what Yang et al. (2018) add to hits and totals (equations 4, 5)."""
        yesno, entity = self.number("yesno"), self.number("entity")
        bonuses = np.zeros((self.orders, len(batch)))
        if yesno:
            agreed = subset(pairs, agreeing(batch, pairs))
            shared = SharedGrams(view.tokens, view.candidate, view.right(agreed), agreed.example)
            for order in range(1, self.orders + 1):
                bonuses[order - 1] += yesno * shared.hits(order)
        if entity:
            bonuses += entity * self._entity_hits(batch)
        return bonuses

    def _entity_hits(self, batch: Batch) -> Floats:
        """Count the candidate's n-grams clipped to the gold entities, n-grams inside one entity only."""
        view = token_view(batch, self.tok)
        hits = np.zeros((self.orders, len(batch)))
        for i, entities in enumerate(entity_tokens(batch, self.tok)):
            if entities and not batch.missing[i]:
                tokens = view.tokens.row(int(view.candidate[i]))
                for order in range(1, self.orders + 1):
                    ceiling: Counter[tuple[str, ...]] = Counter()
                    for entity in entities:
                        ceiling |= _count(entity, order)
                    hits[order - 1, i] = (_count(tokens, order) & ceiling).total()
        return hits


def _count(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def _closest(length: Floats, lengths: Ints, example: Ints) -> Floats:
    """Pick for each example the reference length closest to the candidate's, the shorter on a tie."""
    chosen = np.zeros(len(length))
    if len(example):
        distance = np.abs(lengths - length[example])
        firsts = np.flatnonzero(np.diff(example, prepend=-1))
        # One key orders by distance first and by length second.
        scale = float(lengths.max()) + 1
        chosen[example[firsts]] = np.minimum.reduceat(distance * scale + lengths, firsts) % scale
    return chosen


def _smooth(hits: Floats, totals: Floats, method: str) -> tuple[Floats, Bools]:
    """Return the precision of each order, and which orders count.

    `none`, `floor`, `add-k` (orders above 1) and `exp` (halving for each order without hits) are those of Chen and
    Cherry (2014) as sacrebleu has them; `coco` adds a tiny constant to the hits and a small one to the totals.
    """
    if method == "add-k":
        higher = np.arange(hits.shape[-1]) > 0
        hits, totals = hits + _ADDED * higher, totals + _ADDED * higher
    present = totals > 0
    if method == "coco":
        smoothed = (hits + _COCO_ABOVE) / (totals + _COCO_BELOW)
        return np.where(hits == totals, 1.0, smoothed), present
    precisions = divide(hits, totals)
    bare = present & (hits <= 0)
    if method == "floor":
        precisions = np.where(bare, divide(np.full(totals.shape, _FLOOR), totals), precisions)
    elif method == "exp":
        halvings = 2.0 ** np.cumsum(bare, axis=-1)
        precisions = np.where(bare, divide(np.ones(totals.shape), halvings * totals), precisions)
    return precisions, present
