"""WikiQA: questions with the sentences of a page's opening, each judged to answer or not."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qassay.training.files import read_csv


class WikiqaRow(NamedTuple):
    """A question with the sentences of a page and whether each answers."""

    question: str
    sentences: list[str]
    right: list[bool]


def read(path: Path) -> Iterator[WikiqaRow]:
    """Yield the questions of a file."""
    found: dict[str, WikiqaRow] = {}
    for row in read_csv(path, "\t"):
        page = found.setdefault(row["Question"], WikiqaRow(row["Question"], [], []))
        page.sentences.append(row["Sentence"])
        page.right.append(row["Label"] != "0")
    yield from found.values()
