"""Rows of training data for the chunker: sentences with a label a word, and answers with the kind of their question."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.train.keyphrase_rows import Span
from qassay.train.row_files import read_rows


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


ChunkerRow = TaggedRow | KindRow
_decoder = msgspec.json.Decoder(ChunkerRow)


def read_chunker_rows(path: Path) -> Iterator[ChunkerRow]:
    """Read rows that `qassay build chunker` wrote, or stop with the place of the first bad one."""
    return read_rows(path, _decoder, "chunker")
