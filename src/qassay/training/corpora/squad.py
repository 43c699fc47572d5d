"""SQuAD and everything in its format: questions on paragraphs of articles, with the answers that annotators marked."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from qassay.training.answer_text import Span
from qassay.training.files import read_json


class SquadAnswer(msgspec.Struct):
    """An annotator's answer and where the paragraph holds it."""

    text: str
    answer_start: int

    @property
    def span(self) -> Span:
        """Where it stands in the paragraph."""
        return self.answer_start, self.answer_start + len(self.text)


class _Question(msgspec.Struct):
    question: str
    id: str = ""
    answers: list[SquadAnswer] = []
    original_id: str = ""


class _Paragraph(msgspec.Struct):
    qas: list[_Question]
    context: str = ""


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str = ""


class _Squad(msgspec.Struct):
    data: list[_Article]


class SquadRow(NamedTuple):
    """A question on a paragraph."""

    id: str
    question: str
    answers: list[SquadAnswer]
    """None where the paragraph does not answer (SQuAD 2.0)."""
    context: str
    title: str
    article: int
    """The number of the article in its file."""
    original_id: str
    """In contrast sets, the question that this one is a change of."""

    @property
    def accepted(self) -> tuple[str, ...]:
        """The distinct answers."""
        return tuple(dict.fromkeys(answer.text for answer in self.answers if answer.text.strip()))

    @property
    def spans(self) -> tuple[Span, ...]:
        """The distinct spans of the paragraph that are what the answer says."""
        return tuple(dict.fromkeys(each.span for each in self.answers if each.text and self.holds(each)))

    @property
    def commonest(self) -> SquadAnswer:
        """The answer that most annotators gave."""
        texts = Counter(answer.text for answer in self.answers)
        return max(self.answers, key=lambda answer: texts[answer.text])

    def holds(self, answer: SquadAnswer) -> bool:
        """Whether the answer stands where it is said to."""
        return self.context[slice(*answer.span)] == answer.text


def read(path: Path) -> Iterator[SquadRow]:
    """Yield the questions of a file."""
    for number, article in enumerate(read_json(path, _Squad).data):
        for paragraph in article.paragraphs:
            for each in paragraph.qas:
                where = (paragraph.context, article.title, number)
                yield SquadRow(each.id, each.question, each.answers, *where, each.original_id)


def read_predictions(path: Path) -> dict[str, list[str]]:
    """Return systems' answers by question, from the folder `predictions` beside a file."""
    version = "1.1" if "1.1" in path.name else "v2.0"
    answers: dict[str, list[str]] = {}
    for file in sorted((path.parent / "predictions").glob(f"{version}_*.json")):
        for name, text in read_json(file, dict[str, str]).items():
            answers.setdefault(name, []).append(text)
    return answers
