"""What the candidates of training rows assert, as the answer reader finds it in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import ModelError, option
from qassay.features.assertions import assertions
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.home import below_home
from qassay.models.folder import read_description
from qassay.models.onnx.reader import ANSWER_READER, ReaderHead
from qassay.records import Example, Reference
from qassay.training.splits import QuestionFold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.training.judge.inputs import Asserted
    from qassay.training.judge.rows import JudgeRow

_AT_ONCE = 512


def in_fold_order(readers: Sequence[str]) -> tuple[str, ...]:
    """Return folders of answer readers in the order of the folds that they left out.

    Raise `ModelError` unless each of all folds was left out by one of them.
    """
    by_fold: dict[QuestionFold, str] = {}
    for reader in readers:
        fold = _left_out(reader)
        if fold in by_fold:
            raise ModelError(f"{by_fold[fold]} and {reader} both left out {fold}; name one reader for each fold")
        by_fold[fold] = reader
    for fold, reader in by_fold.items():
        for number in range(1, fold.folds + 1):
            other = QuestionFold(number, fold.folds)
            if other not in by_fold:
                raise ModelError(
                    f"{reader} left out {fold}, but no reader {other}; name one with {option('readers')}, or train it "
                    f"with `qassay train answer-reader --leave-out {other}`"
                )
        if len(by_fold) != fold.folds:
            raise ModelError(f"{reader} left out {fold}, but there are {len(by_fold)} readers; name {fold.folds}")
    return tuple(by_fold[fold] for fold in sorted(by_fold))


def _left_out(reader: str) -> QuestionFold:
    """Return the fold of the questions that a reader has not seen."""
    remedy = "give a folder that `qassay train answer-reader --leave-out` wrote"
    head = read_description(
        below_home(reader) / ANSWER_READER, ReaderHead, absent=f"{reader}: there is no answer reader; {remedy}"
    )
    if head.left_out is None:
        raise ModelError(f"{reader}: its answer reader left no questions out; {remedy}")
    return QuestionFold(*head.left_out)


def readings(questions: Sequence[str], readers: Sequence[str] = ()) -> Iterator[tuple[Ints, Resources]]:
    """Yield rows, by number, with what reads them: the embedded answer reader, or one of several.

    Of several readers, in the order of the folds that they were trained without, each reads its fold alone.
    """
    if not readers:
        yield np.arange(len(questions)), Resources()
    for number, reader in enumerate(readers, 1):
        unseen = QuestionFold(number, len(readers)).holds(questions)
        yield np.flatnonzero(unseen), Resources(reads_answers=reader)


def asserted_spans(rows: Sequence[JudgeRow], readers: Sequence[str] = ()) -> list[Asserted]:
    """Return where each row's candidate asserts something; nowhere where it declines.

    `readers` are folders of answer readers, as `in_fold_order` returns them.
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
