"""Yes-no questions with their passages: BoolQ and PubMedQA."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.training.files import read_json, read_json_lines


class YesNoRow(NamedTuple):
    """A yes-no question."""

    question: str
    yes: bool | None
    """None for "maybe"."""
    passage: str
    """What the answer rests on: a paragraph, or the authors' conclusion."""
    text: str
    """The whole text that the question is about."""
    name: str
    """The article."""


class _BoolQ(msgspec.Struct):
    question: str
    answer: bool
    passage: str = ""
    title: str = ""


class _PubMedQA(msgspec.Struct):
    question: str = msgspec.field(name="QUESTION")
    long_answer: str = msgspec.field(name="LONG_ANSWER")
    final_decision: str
    contexts: list[str] = msgspec.field(name="CONTEXTS", default_factory=list)


def read_boolq(path: Path) -> Iterator[YesNoRow]:
    """Yield the questions of a BoolQ file."""
    for entry in read_json_lines(path, _BoolQ):
        yield YesNoRow(entry.question, entry.answer, entry.passage, entry.passage, entry.title)


def read_pubmedqa(path: Path) -> Iterator[YesNoRow]:
    """Yield the questions of a PubMedQA file."""
    for name, entry in read_json(path, dict[str, _PubMedQA]).items():
        yes = {"yes": True, "no": False}.get(entry.final_decision)
        yield YesNoRow(entry.question, yes, entry.long_answer, " ".join(entry.contexts), name)
