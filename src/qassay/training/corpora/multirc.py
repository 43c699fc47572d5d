"""MultiRC: passages with questions, each with several answers that are right or wrong by themselves."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training.files import read_json_lines


class MultiRCOption(msgspec.Struct):
    """An answer: 1 for right, 0 for wrong, -1 where the file does not say."""

    text: str
    label: int = -1


class MultiRCQuestion(msgspec.Struct):
    """A question with its answers."""

    question: str
    answers: list[MultiRCOption]

    def texts(self, label: int) -> list[str]:
        """Return the answers with a label."""
        return [option.text for option in self.answers if option.label == label]


class MultiRCPassage(msgspec.Struct):
    """A passage with its questions."""

    questions: list[MultiRCQuestion]
    text: str = ""


class _Line(msgspec.Struct):
    passage: MultiRCPassage
    idx: int = 0


def read(path: Path) -> Iterator[tuple[int, MultiRCPassage]]:
    """Yield the passages of a file with their numbers."""
    for line in read_json_lines(path, _Line):
        yield line.idx, line.passage
