"""One row of the reader's training data: a question, a passage, and where the passage answers it, if it does."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training.files import read_rows
from qassay.training.keyphrase.rows import Span


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
    """Read rows that `qassay build reader` wrote, or stop with the place of the first bad one."""
    return read_rows(path, _decoder, "reader", _fault)


def _fault(row: ReaderRow) -> str | None:
    if any(not 0 <= start < end <= len(row.passage) for start, end in row.spans):
        return '"spans" must hold character ranges inside "passage"'
    return None
