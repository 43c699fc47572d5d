"""EVOUNA: answers of five systems to Natural Questions, judged by people."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qassay.training.files import read_json

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


class SystemAnswer(NamedTuple):
    """What a system answered."""

    system: str
    text: str
    verdict: bool | None
    """A person's; none where nobody judged it."""


class EvounaRow(NamedTuple):
    """A question with the accepted answers and those of the systems."""

    question: str
    accepted: list[str]
    answers: list[SystemAnswer]

    @property
    def judged(self) -> list[SystemAnswer]:
        """The answers that a person judged."""
        return [answer for answer in self.answers if answer.verdict is not None]


def read(path: Path) -> Iterator[EvounaRow]:
    """Yield the questions of a file, those marked improper left out."""
    for entry in read_json(path, list[dict[str, object]]):
        if entry.get("improper"):
            continue
        answers = []
        for system in SYSTEMS:
            text, verdict = entry.get(f"answer_{system}"), entry.get(f"judge_{system}")
            if text and isinstance(text, str):
                answers.append(SystemAnswer(system, text, verdict if verdict is None else bool(verdict)))
        accepted = [part.strip() for part in str(entry.get("golden_answer", "")).split("/") if part.strip()]
        yield EvounaRow(str(entry["question"]), accepted, answers)
