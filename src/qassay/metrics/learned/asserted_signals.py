"""The judge's signals of what an answer asserts: its words held against the reference, and whether there are any.

Where an answer is short, or asserts all of itself, they equal those of the whole answer and cost nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.features.assertions import assertions
from qassay.features.batch import Batch
from qassay.features.text_traits import texts_that
from qassay.io.example_columns import ExampleColumns
from qassay.metrics.base import subset
from qassay.metrics.learned.signals import LEXICAL, MEANING, Signals, lexical_signals, meaning_signals
from qassay.text.refusal import NOT_TOLD, says_not_told

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.batch import Pairs

PREFIX = "asserted: "
"""What the names of the signals of asserted words begin with."""
COMPARED = (
    "found",
    "token F1",
    "same tokens",
    "numbers missing",
    "numbers close",
    "dates differ",
    "surname missing",
    "longer",
    *MEANING,
)
"""The signals that are computed for the asserted words too."""
ABSTAINING = ("asserts nothing", "declines as the reference", "answers what is not told", "asserts several")
"""The signals of answers and references that decline."""


def asserted_signals(batch: Batch, pairs: Pairs, whole: Signals) -> Signals:
    """Return the signals of what answers assert; `whole` are those of the answers in full."""
    columns = [whole.names.index(name) for name in COMPARED]
    values = whole.values[:, columns].copy()
    partial = _asserts_part(batch)
    rows = partial[pairs.example]
    if rows.any():
        part, some = _asserted_batch(batch), _pairs_among(subset(pairs, rows), partial, batch.reference_counts)
        signals = [
            lexical_signals(part, some, [name for name in COMPARED if name in LEXICAL]),
            meaning_signals(part, some),
        ]
        known = [name for each in signals for name in each.names]
        found = np.column_stack([each.values for each in signals])
        values[rows] = found[:, [known.index(name) for name in COMPARED]]
    names = tuple(f"{PREFIX}{name}" for name in COMPARED)
    return Signals((*names, *ABSTAINING), np.column_stack([values, _abstaining(batch, pairs)]))


def _abstaining(batch: Batch, pairs: Pairs) -> Floats:
    """Return whether answers and references decline, and whether an answer asserts more than one thing."""
    found = assertions(batch)
    none = np.array([each.none for each in found])[pairs.example]
    several = np.array([bool(each.others) and each.attempted for each in found], np.float64)[pairs.example]
    untold = _untold(batch)[batch.reference[pairs.reference]]
    declining = np.maximum(none, _untold(batch)[batch.candidate[pairs.example]])
    return np.column_stack([none * ~untold, declining * untold, (1 - declining) * untold, several])


def _untold(batch: Batch) -> Bools:
    """Return which texts say that what was asked is not told."""
    return batch.memo((says_not_told,), lambda: texts_that(batch, says_not_told, NOT_TOLD))


def _asserts_part(batch: Batch) -> Bools:
    """Return which examples' candidates assert less than all of themselves."""
    return batch.memo((_asserts_part,), lambda: _differ_from_assertions(batch))


def _differ_from_assertions(batch: Batch) -> Bools:
    return np.array(
        [
            each.attempted and each.text.strip() != candidate.strip()
            for candidate, each in zip(batch.candidates, assertions(batch), strict=True)
        ],
        bool,
    )


def _pairs_among(pairs: Pairs, chosen: Bools, reference_counts: Ints) -> Pairs:
    """Return pairs of chosen examples as they are counted in a batch of nothing but these."""
    references = np.repeat(chosen, reference_counts)
    return type(pairs)((np.cumsum(chosen) - 1)[pairs.example], (np.cumsum(references) - 1)[pairs.reference])


def _asserted_batch(batch: Batch) -> Batch:
    """Return a batch of the examples whose candidates assert a part of themselves, with that part as the candidate."""
    return batch.memo((_asserted_batch,), lambda: _made(batch))


def _made(batch: Batch) -> Batch:
    rows = np.flatnonzero(_asserts_part(batch)).tolist()
    examples, found = batch.examples, assertions(batch)
    candidates = [found[i].text if found[i].text.strip() else batch.candidates[i] for i in rows]
    if isinstance(examples, ExampleColumns):
        return Batch(examples.take(rows).with_candidates(candidates), batch.resources)
    both = zip(rows, candidates, strict=True)
    return Batch([replace(examples[i], candidate=candidate) for i, candidate in both], batch.resources)
