"""Pairs of a batch as they are judged: as they are written, or put into the same terms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.features.batch import Batch
from qassay.metrics.base import subset

if TYPE_CHECKING:
    from qassay.arrays import Ints
    from qassay.features.batch import Pairs


class Side(NamedTuple):
    """Some pairs, in the batch that has their texts."""

    rows: Ints
    """Which of the given pairs they are."""
    batch: Batch
    pairs: Pairs


def as_written(batch: Batch, pairs: Pairs) -> list[Side]:
    """Take all pairs as they are."""
    return [Side(np.arange(len(pairs.example)), batch, pairs)]


def canonical_pairs(batch: Batch, pairs: Pairs) -> list[Side]:
    """Take the pairs as they are, and behind them those whose candidates are put into their reference's terms.

    The latter are a batch of their own, one example per pair, made once for all judges.
    """
    return batch.memo((canonical_pairs, pairs.reference.tobytes()), lambda: _split(batch, pairs))


def _split(batch: Batch, pairs: Pairs) -> list[Side]:
    from qassay.equivalence.canonicalise import restated  # noqa: PLC0415 - patterns take time to compile

    rows, examples = [], []
    for row, (i, k) in enumerate(zip(*(side.tolist() for side in pairs), strict=True)):
        example = batch.examples[i]
        candidate, reference = batch.texts[batch.candidate[i]], batch.texts[batch.reference[k]]
        if candidate != reference and (found := restated(example.question, reference, candidate)):
            held = replace(example.references[0], text=found.reference)
            rows.append(row)
            examples.append(replace(example, candidate=found.candidate, references=(held,)))
    if not rows:
        return as_written(batch, pairs)
    kept = np.ones(len(pairs.example), bool)
    kept[rows] = False
    rewritten = Batch(examples, batch.resources)
    return [
        Side(np.flatnonzero(kept), batch, subset(pairs, kept)),
        Side(np.array(rows), rewritten, rewritten.pairs),
    ]
