"""The numbers that a metric puts together into one answer's score."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.features.tokens import token_view
from qassay.metrics.learned.judges import LearnedMetric
from qassay.metrics.lexical.bleu import Bleu
from qassay.metrics.lexical.exact import PairMetric, TokenF1
from qassay.metrics.lexical.rouge import Rouge

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.features.batch import Batch
    from qassay.metrics.base import Metric

_LONGEST = 80
"""How many characters of a normalised text are worth showing."""
_NOTHING = "(nothing)"


class Ingredient(NamedTuple):
    """One named number or text behind a score."""

    name: str
    value: str


def ingredients(metric: Metric, batch: Batch, i: int) -> list[Ingredient]:
    """Return what stands behind the score of the batch's example `i`, which has one reference.

    A metric that is not taken apart here gives nothing, and neither does an unscored example.
    """
    if batch.missing[i] or i in metric.unscored(batch):
        return []
    for kind, take_apart in _KINDS:
        if isinstance(metric, kind):
            return take_apart(metric, batch, i)
    return []


def _of_bleu(metric: Bleu, batch: Batch, i: int) -> list[Ingredient]:
    stats = metric.stats(batch)[i].tolist()
    n = metric.orders
    length, wanted = stats[2 * n], stats[2 * n + 1]
    orders = [
        Ingredient(f"{order}-grams", f"{_show(stats[order - 1])} of {_show(stats[n + order - 1])}")
        for order in range(1, n + 1)
        if stats[n + order - 1]
    ]
    penalty = float(np.exp(min(0.0, 1.0 - wanted / length))) if length else 0.0
    lengths = Ingredient("length", f"{_show(length)} for {_show(wanted)}")
    return [*orders, lengths, Ingredient("brevity penalty", _show(penalty))]


def _of_rouge(metric: Rouge, batch: Batch, i: int) -> list[Ingredient]:
    pairs = metric.usable(batch)
    precision, recall = metric.precision_recall(batch, metric.view(batch), pairs)
    pair = int(np.flatnonzero(pairs.example == i)[0])
    return [Ingredient("precision", _show(precision[pair])), Ingredient("recall", _show(recall[pair]))]


def _of_token_f1(metric: TokenF1, batch: Batch, i: int) -> list[Ingredient]:
    shared = metric.shared(batch, token_view(batch, metric.tok, metric.spec.weights))
    pair = int(np.flatnonzero(batch.pairs.example == i)[0])
    precision = f"{_show(shared.left_hits[pair])} of {_show(shared.left_total[pair])}"
    recall = f"{_show(shared.right_hits[pair])} of {_show(shared.right_total[pair])}"
    return [Ingredient("precision", precision), Ingredient("recall", recall)]


def _rules(metric: LearnedMetric, batch: Batch, i: int) -> list[Ingredient]:
    """Show an answer as it was judged, where a rule changed it, and which one did."""
    pair = int(np.flatnonzero(batch.pairs.example == i)[0])
    fired = metric.fired_rules(batch, pair)
    if not fired:
        return []
    changed = next(part for part in metric.judged_pairs(batch, batch.pairs)[1:] if pair in part.rows)
    example = changed.batch.examples[int(np.flatnonzero(changed.rows == pair)[0])]
    changes = [(f"rule {rule.name}", f"{rule.before} \u2192 {rule.after or _NOTHING}") for rule in fired]
    shown = [("judged as", example.candidate or _NOTHING), *changes]
    return [Ingredient(name, shorten(text, _LONGEST, placeholder=" \u2026")) for name, text in shown]


def _compared(metric: PairMetric, batch: Batch, i: int) -> list[Ingredient]:
    """Show both sides as the metric sees them, after normalisation."""
    view = token_view(batch, metric.tok, metric.spec.weights)
    pair = int(np.flatnonzero(batch.pairs.example == i)[0])
    rows = (view.candidate[i], view.reference[batch.pairs.reference[pair]])
    left, right = (shorten(" ".join(view.tokens.row(int(row))), _LONGEST, placeholder=" …") for row in rows)
    return [Ingredient("candidate", left), Ingredient("reference", right)]


def _show(number: float) -> str:
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.3f}"


_KINDS: tuple[tuple[type[Metric], Callable[[Any, Batch, int], list[Ingredient]]], ...] = (
    (Bleu, _of_bleu),
    (Rouge, _of_rouge),
    (TokenF1, _of_token_f1),
    (PairMetric, _compared),
    (LearnedMetric, _rules),
)
