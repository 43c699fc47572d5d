"""What the candidates of training rows assert, as the answer reader finds it in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.features.assertions import assertions
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.records import Example, Reference
from qassay.training.splits import folds_of_questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.training.judge.inputs import Asserted
    from qassay.training.judge.rows import JudgeRow

_AT_ONCE = 512


def readings(questions: Sequence[str], readers: Sequence[str] = ()) -> Iterator[tuple[Ints, Resources]]:
    """Yield rows, by number, with what reads them: the embedded answer reader, or one of several.

    Of several readers each was trained without a fold of the questions, in the folds' order, and reads that fold alone.
    """
    if not readers:
        yield np.arange(len(questions)), Resources()
        return
    fold = folds_of_questions(questions, len(readers))
    for number, reader in enumerate(readers):
        yield np.flatnonzero(fold == number), Resources(reads_answers=reader)


def asserted_spans(rows: Sequence[JudgeRow], readers: Sequence[str] = ()) -> list[Asserted]:
    """Return where each row's candidate asserts something; nowhere where it declines.

    `readers` are folders of answer readers that each have not seen a fold of the questions.
    """
    found: list[Asserted] = [None] * len(rows)
    for numbers, resources in readings([row.question for row in rows], readers):
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE].tolist()
            examples = [
                Example(str(i), rows[i].question, (Reference(rows[i].references[0]),), rows[i].candidate) for i in some
            ]
            read = assertions(Batch(examples, resources))
            for i, each in zip(some, read, strict=True):
                found[i] = ((each.start, each.end),) if each.attempted else ()
    return found
