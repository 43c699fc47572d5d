"""What was asked about a summary, what was answered, and how the answers compare: one line of the questions' file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from qassay.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class AskedQuestion(msgspec.Struct):
    """A question that one text raises, answered on another."""

    question: str
    kind: str
    """What is asked for: person, place, time, thing …"""
    sentence: str
    answer: str
    answer_span: tuple[int, int]
    """Characters of the text that raised the question."""
    prediction: str
    prediction_span: tuple[int, int]
    """Characters of the text that was read."""
    none: float
    """The reader's probability that the text does not answer."""
    answered: bool
    verdicts: dict[str, float] = {}
    """By method of verification; none where the question was not answered, which counts as 0."""


class SourceRecord(msgspec.Struct):
    """All questions that one text raised."""

    source: str
    """`reference 1`, `reference 2` … or `summary`."""
    questions: list[AskedQuestion]


class SummaryRecord(msgspec.Struct):
    """What one metric asked about one summary."""

    id: str
    system: str
    metric: str
    """`qaeval` or `feqa`."""
    sources: list[SourceRecord]
    unscored: str | None = None
    """Why there is no score."""


def encode_records(records: list[SummaryRecord]) -> bytes:
    """Write records as JSON lines."""
    encoder = msgspec.json.Encoder()
    return b"".join(encoder.encode(record) + b"\n" for record in records)


def read_records(path: Path) -> Iterator[SummaryRecord]:
    """Read the lines of a questions' file."""
    decoder = msgspec.json.Decoder(SummaryRecord)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not a record of questions: {problem}", path, number) from problem
