"""Which of several references are judged, and in which order: those most like the answer first, until one is certain.

Lists of references hold much of the same (aliases in other cases, with articles), and where an answer is right, the
reference that it resembles most nearly always shows it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.fuzz import partial_ratio

from qassay.metrics.base import subset
from qassay.spec import Param

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.features.batch import Batch, Pairs

    Judge = Callable[[Batch, Pairs], Floats]

SCREEN = Param(
    "screen",
    "on",
    "with refs=max: the references that are most like the answer are judged first, and no more once one is certain "
    "(.9); or all are judged",
    choices=("on", "off"),
)
CERTAIN = 0.9
"""The probability from which on no other reference is judged."""
NOT_JUDGED = -np.inf
_GROWTH = 4
"""Each round judges so many times the references of the round before; the first one judges one."""
_LONGEST = 4000
"""Characters of each text that are compared for likeness."""
_TOK = "squad"


def screened_scores(batch: Batch, pairs: Pairs, scores: Floats, judge: Judge) -> Floats:
    """Return the pairs' scores, with `NOT_JUDGED` for those that are not needed to find each example's best.

    `scores` has what is decided without a judge, and NaN for the pairs that a judge may have to read. References are
    judged in rounds over all examples; which ones depends on nothing but the example.
    """
    found = np.where(np.isnan(scores), NOT_JUDGED, scores)
    open_ = np.isnan(scores)
    open_[np.isin(pairs.example, pairs.example[found >= CERTAIN])] = False
    waiting = likeliest_first(batch, pairs, np.flatnonzero(open_))
    if all(len(rows) == 1 for rows in waiting) and np.count_nonzero(open_) == len(waiting):
        found[open_] = judge(batch, subset(pairs, open_))
        return found
    size = 1
    while waiting:
        rows = sorted(row for order in waiting for row in order[:size])
        part = with_references(batch, pairs, rows)
        found[rows] = judge(part, part.pairs)
        batch.adopt_notes(part, _runs(pairs.example[rows]), pairs.reference[rows].tolist())
        waiting = [
            order[size:] for order in waiting if len(order) > size and not (found[order[:size]] >= CERTAIN).any()
        ]
        size *= _GROWTH
    return found


def likeliest_first(batch: Batch, pairs: Pairs, rows: Ints) -> list[list[int]]:
    """Return some rows of pairs, by example, the references that are most like the candidate first.

    Of references that are equal after normalisation, but for spaces, only the one that is most like the candidate,
    letter by letter, is there. The order in which references are given has no part in it.
    """
    normal = _NormalForms(batch)
    by_example = [list(each) for _, each in groupby(rows.tolist(), key=lambda row: int(pairs.example[row]))]
    return [_likeliest_first(batch, pairs, each, normal) if len(each) > 1 else each for each in by_example]


def _likeliest_first(batch: Batch, pairs: Pairs, rows: Sequence[int], normal: _NormalForms) -> list[int]:
    candidate = int(batch.candidate[pairs.example[rows[0]]])
    references = {row: int(batch.reference[pairs.reference[row]]) for row in rows}
    written, wanted = batch.texts[candidate][:_LONGEST], normal[candidate]

    def order(row: int) -> tuple[float, int, float, str]:
        text, form = batch.texts[references[row]], normal[references[row]]
        # The longest of those that stand in the candidate says most.
        return -partial_ratio(wanted, form), -len(form), -partial_ratio(written, text[:_LONGEST]), text

    first: dict[str, int] = {}
    for row in sorted(rows, key=order):
        first.setdefault(normal[references[row]].replace(" ", ""), row)
    return list(first.values())


class _NormalForms(dict[int, str]):
    """The texts of a batch as exact match compares them, made when asked for; of nothing but articles, as written."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._tokens = batch.resources.tokeniser(_TOK).tokens

    def __missing__(self, row: int) -> str:
        text = self._batch.texts[row][:_LONGEST]
        tokens = self._tokens(unicodedata.normalize("NFKC", text).casefold(), spaced=row in self._batch.spaced)
        self[row] = " ".join(tokens) or text
        return self[row]


def with_references(batch: Batch, pairs: Pairs, rows: Sequence[int]) -> Batch:
    """Return a batch whose examples have the references of some pairs alone, in ascending rows; made once for all."""
    key = (with_references, pairs.reference[rows].tobytes())
    return batch.memo(key, lambda: _with_references(batch, pairs, rows))


def _with_references(batch: Batch, pairs: Pairs, rows: Sequence[int]) -> Batch:
    given = [each for example in batch.examples for each in example.references]
    examples = pairs.example[rows].tolist()
    chosen: dict[int, list[int]] = {}
    for example, reference in zip(examples, pairs.reference[rows].tolist(), strict=True):
        chosen.setdefault(example, []).append(reference)
    made = [replace(batch.examples[i], references=tuple(given[k] for k in each)) for i, each in chosen.items()]
    return batch.part(made, list(chosen))


def _runs(examples: Ints) -> list[int]:
    return list(dict.fromkeys(examples.tolist()))
