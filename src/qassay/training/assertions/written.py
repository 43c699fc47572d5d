"""Answers written by hand for training: each with the words that it asserts marked by double brackets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from qassay.training.answer_text import group_of
from qassay.training.assertions.rows import AssertionRow, Said
from qassay.training.files import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MARK = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)


class WrittenItem(msgspec.Struct, frozen=True):
    """A question with references, and answers that are right and wrong for them."""

    category: str
    question: str
    references: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def read_marks(text: str) -> Said:
    """Take the double brackets out of a text, and return where they stood."""
    plain, spans, last = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[last : match.start()]
        spans.append((len(plain), len(plain) + len(match[1])))
        plain += match[1]
        last = match.end()
    return Said(plain + text[last:], tuple(spans))


def written_rows(path: Path, source: str = "written") -> Iterator[AssertionRow]:
    """Yield the rows of a file of written items, under the name of their source."""
    for item in read_rows(path, msgspec.json.Decoder(WrittenItem), "written", _fault):
        group = group_of(item.question)
        for label, texts in ((1.0, item.right), (0.0, item.wrong)):
            for text in texts:
                yield AssertionRow(item.question, item.references, read_marks(text), label, source, group)


def _fault(item: WrittenItem) -> str | None:
    if not item.references or not item.right or not item.wrong:
        return '"references", "right" and "wrong" must each hold a text'
    return None
