"""Short answers that people turned into sentences (QA-to-sentence)."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.training.files import read_json_lines


class _Sentence(msgspec.Struct):
    sentence: str


class _Line(msgspec.Struct):
    question: str
    answer: str
    sentences: list[_Sentence]


class QadialogRow(NamedTuple):
    """A question with its short answer and the sentences around it."""

    question: str
    answer: str
    sentences: list[str]


def read(path: Path) -> Iterator[QadialogRow]:
    """Yield the questions of a file."""
    for line in read_json_lines(path, _Line):
        yield QadialogRow(line.question, line.answer, [each.sentence for each in line.sentences])
