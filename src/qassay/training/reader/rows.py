"""One row of the reader's training data: a question, a passage, and where the passage answers it, if it does."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training.answer_text import Span, span_fault
from qassay.training.files import read_rows


class ReaderRow(msgspec.Struct, frozen=True):
    """A question on a passage."""

    question: str
    passage: str
    spans: tuple[Span, ...]
    """The answers that people accept; none where the passage does not answer."""
    source: str
    group: str
    """Rows of one group never stand on both sides of a split."""


_decoder = msgspec.json.Decoder(ReaderRow)


def read_reader_rows(path: Path) -> Iterator[ReaderRow]:
    """Yield the rows that `qassay build reader` wrote; raise an error with the place of the first bad one."""
    return read_rows(path, _decoder, "reader", lambda row: span_fault(row.spans, row.passage, "passage"))
