"""One row of keyphrase training data: an answer, its question, and where in the answer the key words stand."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training import files
from qassay.training.answer_text import Span, group_of, question_key, span_fault


class KeyphraseRow(msgspec.Struct, frozen=True):
    """An answer to a question with the character spans of its key words, and where the row comes from."""

    question: str
    answer: str
    spans: tuple[Span, ...]
    source: str
    group: str = ""
    """Rows of one group (an article, a question) never stand on both sides of a split."""

    @classmethod
    def of(cls, question: str, answer: str, spans: tuple[Span, ...], source: str) -> "KeyphraseRow":
        """Return a row that is grouped by its question."""
        return cls(question, answer, spans, source, group_of(question))


class JudgedPair(msgspec.Struct, frozen=True):
    """A candidate answer, what it is held against, and how right it is, from 0 to 1."""

    question: str
    references: tuple[str, ...]
    candidate: str
    label: float
    source: str

    @property
    def group(self) -> str:
        """Return the key that keeps all answers to one question together."""
        return question_key(self.question)


_decoder = msgspec.json.Decoder(KeyphraseRow)


def read_rows(path: Path) -> Iterator[KeyphraseRow]:
    """Yield the rows that `qassay build keyphrase` wrote; raise an error with the place of the first bad one."""
    return files.read_rows(path, _decoder, "keyphrase", _fault)


def _fault(row: KeyphraseRow) -> str | None:
    return span_fault(row.spans or ((-1, 0),), row.answer, "answer")
