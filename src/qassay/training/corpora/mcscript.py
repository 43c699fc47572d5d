"""MCScript: stories of everyday life with questions, each with a right and a wrong answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qassay.training.files import read_xml


class McscriptQuestion(NamedTuple):
    """A question with its answers, by whether they are right ("True", "False")."""

    text: str
    answers: list[tuple[str | None, str]]


class McscriptStory(NamedTuple):
    """A story with its questions."""

    id: str | None
    text: str
    questions: list[McscriptQuestion]


def read(path: Path) -> Iterator[McscriptStory]:
    """Yield the stories of a file."""
    for story in read_xml(path).iter("instance"):
        questions = [
            McscriptQuestion(
                question.get("text", ""),
                [(answer.get("correct"), answer.get("text", "")) for answer in question.iter("answer")],
            )
            for question in story.iter("question")
        ]
        yield McscriptStory(story.get("id"), story.findtext("text", ""), questions)
