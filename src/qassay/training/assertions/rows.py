"""One row of what answers assert: question, references, an answer, the words that it asserts, whether it is right.

The judge learns the verdict from it, the answer reader the asserted words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.training.answer_text import group_of
from qassay.training.judge.rows import JudgeRow
from qassay.training.reader.rows import ReaderRow

if TYPE_CHECKING:
    from qassay.training.answer_text import Span


class Said(NamedTuple):
    """An answer's text, and where it asserts something."""

    text: str
    spans: tuple[Span, ...]
    """None where it asserts nothing."""


class AssertionRow(NamedTuple):
    """An answer with what it asserts."""

    question: str
    references: tuple[str, ...]
    said: Said
    label: float
    source: str
    group: str

    @classmethod
    def of(cls, question: str, reference: str, said: Said, label: float, source: str) -> AssertionRow:
        """Return a row with one reference that is grouped by its question."""
        return cls(question, (reference,), said, label, source, group_of(question))

    def judged(self) -> JudgeRow:
        """Return what the judge learns from it."""
        return JudgeRow(self.question, self.references, self.said.text, self.label, self.source, self.group)

    def read(self) -> ReaderRow:
        """Return what the answer reader learns from it."""
        return ReaderRow(self.question, self.said.text, self.said.spans, self.source, self.group)
