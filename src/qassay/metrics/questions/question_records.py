"""The questions about a summary, the answers, and how these compare: one line of the questions' file."""

import msgspec


class QuestionRecord(msgspec.Struct):
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
    questions: list[QuestionRecord]


class SummaryRecord(msgspec.Struct):
    """What one metric asked about one summary."""

    id: str
    system: str
    metric: str
    """`qaeval` or `feqa`, with the parameters that its questions depend on."""
    sources: list[SourceRecord]
    unscored: str | None = None
    """Why there is no score."""
