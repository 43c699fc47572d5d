"""One row of the reader's training data: a question, a passage, and where the passage answers it, if it does."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.errors import DataError
from qassay.train.keyphrase_rows import Span


class ReaderRow(msgspec.Struct, frozen=True):
    """A question on a passage."""

    question: str
    passage: str
    spans: tuple[Span, ...]
    """The answers that people accept; none where the passage does not answer."""
    source: str
    group: str
    """Rows of one group never stand on both sides of a split."""


def read_reader_rows(path: Path) -> Iterator[ReaderRow]:
    """Read rows that `qassay build reader` wrote, or stop with the place of the first bad one."""
    if not path.is_file():
        raise DataError("there is no such file; make one with `qassay build reader`", path)
    decoder = msgspec.json.Decoder(ReaderRow)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not a reader row: {problem}", path, number) from problem
            if any(not 0 <= start < end <= len(row.passage) for start, end in row.spans):
                raise DataError('"spans" must hold character ranges inside "passage"', path, number)
            yield row
