"""Pairs of a batch as they are judged: as they are written, or put into the same terms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.features import Batch, Pairs
from qassay.metrics.base import subset

if TYPE_CHECKING:
    from qassay.arrays import Ints


class Side(NamedTuple):
    """Some pairs, in the batch that has their texts."""

    rows: Ints
    """Which of the given pairs they are."""
    batch: Batch
    pairs: Pairs


def as_written(batch: Batch, pairs: Pairs) -> list[Side]:
    """Take all pairs as they are."""
    return [Side(np.arange(len(pairs.example)), batch, pairs)]


def in_same_terms(batch: Batch, pairs: Pairs) -> list[Side]:
    """Put candidates that say something in other terms than their reference into its terms, in a batch of their own."""
    from qassay.text.restating import restated  # noqa: PLC0415 - patterns take time to compile

    texts = batch.texts
    rows, examples = [], []
    for row, (i, k) in enumerate(zip(*(side.tolist() for side in pairs), strict=True)):
        candidate, reference = texts[batch.candidate[i]], texts[batch.reference[k]]
        example = batch.examples[i]
        if candidate != reference and (found := restated(example.question, reference, candidate)):
            held = replace(example.references[0], text=found.reference)
            rows.append(row)
            examples.append(replace(example, candidate=found.candidate, references=(held,)))
    if not rows:
        return as_written(batch, pairs)
    other = Batch(examples, batch.resources)
    kept = np.ones(len(pairs.example), bool)
    kept[rows] = False
    return [Side(np.flatnonzero(kept), batch, subset(pairs, kept)), Side(np.array(rows), other, other.pairs)]
