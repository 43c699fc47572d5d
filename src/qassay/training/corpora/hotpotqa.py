"""HotpotQA: questions with paragraphs, and the sentences of these that are needed to answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.errors import DataError
from qassay.training.coreference import Resolver
from qassay.training.files import read_json


class _Pairs(msgspec.Struct):
    question: str
    answer: str
    supporting_facts: list[tuple[str, int]]
    context: list[tuple[str, list[str]]]


class _Facts(msgspec.Struct):
    title: list[str]
    sent_id: list[int]


class _Paragraphs(msgspec.Struct):
    title: list[str]
    sentences: list[list[str]]


class _Columns(msgspec.Struct):
    question: str
    answer: str
    supporting_facts: _Facts
    context: _Paragraphs


class HotpotRow(NamedTuple):
    """A question with its answer, its paragraphs (title and sentences), and the numbers of the supporting sentences."""

    question: str
    answer: str
    paragraphs: list[tuple[str, list[str]]]
    facts: set[tuple[str, int]]

    def resolved(self, resolve: Resolver) -> "HotpotRow":
        """Return the row with mentions in the paragraphs that support the answer replaced by what they refer to."""
        needed = {title for title, _ in self.facts}
        return self._replace(
            paragraphs=[
                (title, resolve(title, sentences) if title in needed else sentences)
                for title, sentences in self.paragraphs
            ]
        )

    @property
    def supporting(self) -> str:
        """The supporting sentences, in the order of the paragraphs."""
        return " ".join(
            sentence.strip()
            for title, sentences in self.paragraphs
            for index, sentence in enumerate(sentences)
            if (title, index) in self.facts
        )


def read(path: Path) -> Iterator[HotpotRow]:
    """Yield the questions of a file in either of the published shapes."""
    for number, raw in enumerate(read_json(path, list[dict[str, msgspec.Raw]]), 1):
        try:
            yield _row(raw)
        except (msgspec.DecodeError, ValueError) as problem:
            raise DataError(f"question {number} is not in the expected format: {problem}", path) from problem


def _row(raw: dict[str, msgspec.Raw]) -> HotpotRow:
    text = msgspec.json.encode(raw)
    if bytes(raw.get("context", b"")).lstrip().startswith(b"{"):
        wide = msgspec.json.decode(text, type=_Columns)
        facts = set(zip(wide.supporting_facts.title, wide.supporting_facts.sent_id, strict=True))
        paragraphs = list(zip(wide.context.title, wide.context.sentences, strict=True))
        return HotpotRow(wide.question, wide.answer, paragraphs, facts)
    pairs = msgspec.json.decode(text, type=_Pairs)
    return HotpotRow(pairs.question, pairs.answer, pairs.context, set(pairs.supporting_facts))
