"""Rows of the consistency head's training data: a document with claims about it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training.answer_text import Span
from qassay.training.files import read_rows


class ClaimRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim about a document."""

    text: str
    consistent: bool
    kind: str
    """What was done to make it."""
    wrong: tuple[Span, ...] = ()
    """The characters of the claim that are wrong; none where it is consistent, or where that cannot be told."""
    support: tuple[Span, ...] = ()
    """The characters of the document that say it, or that it was made of; none where there are none."""


class DocumentRow(msgspec.Struct, frozen=True):
    """A document with claims about it."""

    document: str
    claims: list[ClaimRow]
    source: str
    group: str
    """The article or story that it is from; all documents of one are on one side of the split."""


_decoder = msgspec.json.Decoder(DocumentRow)


def read_documents(path: Path) -> Iterator[DocumentRow]:
    """Yield the rows that `qassay build consistency` wrote; raise an error with the place of the first bad one."""
    return read_rows(path, _decoder, "consistency", _fault)


def _fault(row: DocumentRow) -> str | None:
    """Return what is wrong with the spans of a row, if anything."""
    for claim in row.claims:
        for name, spans, text in (("wrong", claim.wrong, claim.text), ("support", claim.support, row.document)):
            if any(not 0 <= start < end <= len(text) for start, end in spans):
                return f'"{name}" must hold character ranges inside the {"claim" if name == "wrong" else "document"}'
    return None
