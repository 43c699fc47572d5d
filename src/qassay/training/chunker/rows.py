"""Rows of training data for the chunker: sentences with one label per word, and answers of a known kind."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from qassay.models.syntax import CHUNKS, ENTITIES, KINDS, PARTS
from qassay.training.answer_text import Span
from qassay.training.files import read_rows

_RARE_CHUNKS = tuple(f"{place}-{phrase}" for phrase in ("INTJ", "LST", "UCP") for place in "BI")
"""CoNLL-2000 has them, and the chunker takes them for no chunk."""


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
    """Yield the rows that `qassay build chunker` wrote; raise an error with the place of the first bad one."""
    return read_rows(path, _decoder, "chunker", _fault)


def _fault(row: ChunkerRow) -> str | None:
    if isinstance(row, KindRow):
        if not _inside(row.span, row.text):
            return '"span" must be a range of characters inside "text"'
        return _unknown("kind", [row.kind], KINDS)
    if not all(_inside(word, row.text) for word in row.words):
        return '"words" must hold ranges of characters inside "text"'
    layers = (
        ("parts", row.parts, PARTS),
        ("chunks", row.chunks, (*CHUNKS, *_RARE_CHUNKS)),
        ("entities", row.entities, ENTITIES),
    )
    for name, labels, known in layers:
        if labels and len(labels) != len(row.words):
            return f'"{name}" has {len(labels)} labels for {len(row.words)} words; give one per word, or none'
        if found := _unknown(name, labels, known):
            return found
    return None


def _inside(span: Span, text: str) -> bool:
    return 0 <= span[0] < span[1] <= len(text)


def _unknown(name: str, labels: Sequence[str], known: Sequence[str]) -> str | None:
    found = next((label for label in labels if label not in known), None)
    return None if found is None else f'"{name}" has "{found}"; there are {" ".join(known)}'
