"""Examples with a text that is too long for a model: the run ends there, or goes on without their scores."""

from __future__ import annotations

from dataclasses import replace
from operator import add
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from qassay.errors import DataError, TextTooLongError, option
from qassay.features.batch import Batch
from qassay.scoring.needed_fields import shown

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from qassay.features.batch import PlacedNote
    from qassay.scoring.scorer import OnError

_Found = TypeVar("_Found")


class TooLongGuard:
    """A batch that models read. Examples too long for one are left out, if errors are skipped."""

    def __init__(self, batch: Batch, on_error: OnError) -> None:
        self.batch = batch
        self._on_error = on_error
        self._rest = batch
        self._left_out: dict[int, str] = {}

    def run(self, work: Callable[[Batch], _Found]) -> tuple[_Found, dict[int, str]]:
        """Return the work's result on the batch without examples that are too long, and these with the reasons."""
        batch = self.batch
        while True:
            try:
                return work(batch), {} if batch is self.batch else self._left_out
            except TextTooLongError as problem:
                if batch is self._rest:
                    self._leave_out(problem)
                batch = self._rest

    @property
    def notes(self) -> Counter[str]:
        """The notes on the texts; each text counts once, also where both batches were begun."""
        return self.batch.notes | self._rest.notes

    def notes_by_example(self) -> list[list[PlacedNote]]:
        """Return the notes on each example, also where both batches were begun."""
        found = self.batch.notes_by_example()
        if self._rest is self.batch:
            return found
        return [list(dict.fromkeys(both)) for both in map(add, found, self._rest.notes_by_example())]

    def _leave_out(self, problem: TextTooLongError) -> None:
        batch, examples = self._rest, list(self._rest.examples)
        beyond = [row for row, text in enumerate(batch.texts) if text in problem.texts]
        owners = np.repeat(np.arange(len(batch)), [len(example.references) for example in examples])
        concerned = {
            *np.flatnonzero(np.isin(batch.candidate, beyond)).tolist(),
            *owners[np.isin(batch.reference, beyond)].tolist(),
        }
        if not concerned:
            raise problem
        if self._on_error == "stop":
            named = shown(examples[min(concerned)])
            raise DataError(f"{named}: {problem.message}, or {option('on_error', 'skip')}") from problem
        for i in concerned:
            self._left_out[i] = too_long_reason(problem)
            # Without texts it has nothing to be read, and keeps its place in the batch.
            blank = tuple(replace(each, text="") for each in examples[i].references)
            examples[i] = replace(examples[i], candidate=None, references=blank)
        self._rest = Batch(examples, batch.resources)


def too_long_reason(problem: TextTooLongError) -> str:
    """Return why an answer that is too long for a model has no score."""
    return f"longer than {problem.most:,} word pieces, more than a model can hold in memory"
