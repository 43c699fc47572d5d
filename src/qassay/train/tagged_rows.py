"""Rows of training data for the chunker: sentences with a label a word, and answers with the kind of their question."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from qassay.errors import DataError
from qassay.train.keyphrase_rows import Span


class TaggedRow(msgspec.Struct, frozen=True, tag="tagged"):
    """A sentence whose words carry labels; a layer that its source does not have is empty."""

    text: str
    words: tuple[Span, ...]
    source: str
    group: str
    """Rows of one group never stand on both sides of a split."""
    parts: tuple[str, ...] = ()
    """Parts of speech, as in the Penn Treebank."""
    chunks: tuple[str, ...] = ()
    """`B-NP`, `I-NP`, `B-VP` … or `O`."""
    entities: tuple[str, ...] = ()
    """`B-person`, `I-person` … or `O`."""


class KindRow(msgspec.Struct, frozen=True, tag="kind"):
    """A sentence, a span of it that answers some question, and what kind of question that is."""

    text: str
    span: Span
    kind: str
    source: str
    group: str


Row = TypeVar("Row", bound=msgspec.Struct)
ChunkerRow = TaggedRow | KindRow


def write_structs(path: Path, rows: Iterable[msgspec.Struct]) -> int:
    """Write rows as JSON lines and give their number."""
    encoder = msgspec.json.Encoder()
    count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
            count += 1
    return count


def read_chunker_rows(path: Path) -> Iterator[ChunkerRow]:
    """Read rows that `qassay build chunker` wrote, or stop with the place of the first bad one."""
    if not path.is_file():
        raise DataError("there is no such file; make one with `qassay build chunker`", path)
    decoder = msgspec.json.Decoder(ChunkerRow)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not a chunker row: {problem}", path, number) from problem
