"""TREC-QA: questions with sentences from newspapers that answer them or do not, tagged by its authors' tools."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qassay.training.files import read_text


class TrecSentence(NamedTuple):
    """A sentence: rows of columns, one column per token."""

    right: bool
    rows: list[str]
    """Tokens, parts of speech, two rows of syntax, entities, and last the numbers of the answering tokens."""

    def columns(self, row: int) -> list[str]:
        """Return the cells of a row."""
        return self.rows[row].split("\t")


class TrecQuestion(NamedTuple):
    """A question with its sentences."""

    header: str
    """The line that begins it."""
    question: str
    sentences: list[TrecSentence]


def read(path: Path) -> Iterator[TrecQuestion]:
    """Yield the questions of a file."""
    header, question = "", ""
    block: list[str] = []
    sentences: list[TrecSentence] = []
    for line in read_text(path).splitlines():
        if line.startswith("<QApairs"):
            header = line
        elif line == "</question>":
            question = " ".join(block[0].split("\t"))
        elif line in {"</positive>", "</negative>"} and block:
            sentences.append(TrecSentence(line == "</positive>", block))
        elif line == "</QApairs>":
            yield TrecQuestion(header, question, sentences)
            sentences = []
        elif not line.startswith("<"):
            block.append(line)
            continue
        block = []
