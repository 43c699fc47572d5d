"""Corpora of which one thing is read: DROP's contrast sets, NarrativeQA's references, CoNLL-2000's chunks."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.training.files import read_archive, read_json, read_json_lines


class NarrativeRow(msgspec.Struct):
    """The references of a question that the file does not hold (NarrativeQA)."""

    id: str
    references: list[str]


def read_narrativeqa(path: Path) -> Iterator[NarrativeRow]:
    """Yield the references of a file; neighbours come from one story."""
    return read_json_lines(path, NarrativeRow)


class _DropAnswer(msgspec.Struct):
    spans: list[str] = []


class _DropQuestion(msgspec.Struct):
    question: str
    answer: _DropAnswer


class _DropPassage(msgspec.Struct):
    passage: str
    qa_pairs: list[_DropQuestion]


class DropRow(NamedTuple):
    """A question on a passage with the phrases that answer it."""

    name: str
    passage: str
    question: str
    answers: list[str]


def read_drop(path: Path) -> Iterator[DropRow]:
    """Yield the questions of DROP's contrast sets."""
    for name, entry in read_json(path, dict[str, _DropPassage]).items():
        for asked in entry.qa_pairs:
            yield DropRow(name.rsplit("_", 1)[0], entry.passage, asked.question, asked.answer.spans)


class ConllSentence(NamedTuple):
    """A Wall Street Journal sentence with part-of-speech tags and chunks."""

    tokens: tuple[str, ...]
    parts: tuple[str, ...]
    chunks: tuple[str, ...]


def read_conll(path: Path, member: str) -> Iterator[ConllSentence]:
    """Yield the sentences of CoNLL-2000 (Tjong Kim Sang and Buchholz 2000), from NLTK's archive."""
    what = f"NLTK's conll2000.zip with {member} in it"
    (content,) = read_archive(path, lambda name: name == f"conll2000/{member}", what)
    for block in content.decode("utf-8").strip().split("\n\n"):
        yield ConllSentence(*zip(*(line.split(" ") for line in block.splitlines()), strict=True))
