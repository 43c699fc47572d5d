"""QED: Natural Questions with the paragraph that answers them and the sentence that explains the answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.training.answer_text import Span
from qassay.training.files import read_json_lines


class _Span(msgspec.Struct):
    start: int
    end: int


class _Answer(msgspec.Struct):
    paragraph_reference: _Span


class _Sentence(msgspec.Struct):
    start: int
    string: str


class _Annotation(msgspec.Struct):
    answer: list[_Answer] = []
    selected_sentence: _Sentence | None = None


class _Line(msgspec.Struct):
    question_text: str
    annotation: _Annotation
    paragraph_text: str = ""
    original_nq_answers: list[list[_Span]] = []


class QedRow(NamedTuple):
    """A question."""

    question: str
    paragraph: str
    paragraph_spans: tuple[Span, ...]
    """The answers of one piece, as places in the paragraph."""
    sentence: str
    """The selected sentence; empty where annotators selected none."""
    sentence_spans: tuple[Span, ...]


def read(path: Path) -> Iterator[QedRow]:
    """Yield the questions of a file."""
    for line in read_json_lines(path, _Line):
        whole = (answer[0] for answer in line.original_nq_answers if len(answer) == 1)
        spans = tuple(dict.fromkeys((place.start, place.end) for place in whole))
        sentence = line.annotation.selected_sentence
        start, text = (sentence.start, sentence.string.rstrip()) if sentence else (0, "")
        places = [answer.paragraph_reference for answer in line.annotation.answer]
        inside = tuple((place.start - start, place.end - start) for place in places)
        yield QedRow(line.question_text, line.paragraph_text, spans, text, inside)
