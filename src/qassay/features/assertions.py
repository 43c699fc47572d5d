"""What each candidate of a batch asserts in answer to its question, as the reader finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.models.base import is_foreign
from qassay.text.refusal import is_no_answer, is_refusal

if TYPE_CHECKING:
    from qassay.features.batch import Batch
    from qassay.records import Example

SHORT = 3
"""Candidates of up to so many words are taken as they are, unless they decline to answer."""
_CERTAIN = 0.5


class Assertion(NamedTuple):
    """What a candidate says in answer to its question, which may be less than everything that it mentions."""

    text: str
    """The asserted words; where `attempted` is false, the likeliest ones if there are any."""
    start: int
    end: int
    """Character positions in the candidate."""
    none: float
    """Probability that the candidate asserts nothing: it refuses, says something else, or repeats the question."""
    others: tuple[tuple[int, int], ...] = ()
    """Further spans of the candidate that it asserts beside the first, the likeliest first: items of a list, or
    another answer. No two overlap."""
    threshold: float = _CERTAIN
    """The probability of nothing from which on the candidate counts as no attempt."""

    @property
    def attempted(self) -> bool:
        """Whether the candidate answers at all."""
        return self.none < self.threshold


NOTHING_ASSERTED = Assertion("", 0, 0, 1.0)


def assertions(batch: Batch) -> tuple[Assertion, ...]:
    """Return what each candidate asserts, one per example; each distinct pair of question and candidate is read once.

    A candidate without a question asserts all of itself, and so do a short one that declines nothing and one in a
    script that the reader does not know. A blank or missing one asserts nothing.
    """
    return batch.memo((assertions,), lambda: _read(batch))


def _read(batch: Batch) -> tuple[Assertion, ...]:
    decided = [_without_reading(example) for example in batch.examples]
    pairs = [
        (example.question, example.candidate or "")
        for example, known in zip(batch.examples, decided, strict=True)
        if known is None
    ]
    if not pairs:
        return tuple(known for known in decided if known is not None)
    reader = batch.resources.answer_reader()
    found = iter(reader.answer(pairs, further=True))
    return tuple(known or Assertion(*next(found), reader.threshold) for known in decided)


def _without_reading(example: Example) -> Assertion | None:
    """Return what a candidate asserts where no model need read it, otherwise None."""
    candidate = example.candidate or ""
    if not candidate.strip():
        return NOTHING_ASSERTED
    everything = Assertion(candidate, 0, len(candidate), 0.0)
    if not example.question.strip() or is_foreign(candidate):
        return everything
    if len(candidate.split()) > SHORT:
        return None
    return NOTHING_ASSERTED if is_no_answer(candidate) or is_refusal(candidate) else everything
