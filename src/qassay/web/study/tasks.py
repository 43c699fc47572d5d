"""What annotators are asked: the scales, their words, and the instructions that a new study begins with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any

import msgspec


class Task(StrEnum):
    """A kind of judgement."""

    LIKERT5 = "likert5"
    BINARY = "binary"
    PAIR = "pair"


class Grade(msgspec.Struct, frozen=True):
    """One value that can be chosen."""

    value: float
    key: str
    label: str
    short: str


SCALES: dict[Task, tuple[Grade, ...]] = {
    # KPQA's instructions to annotators (Lee et al. 2021, appendix).
    Task.LIKERT5: (
        Grade(1, "1", "completely wrong", "wrong"),
        Grade(2, "2", "wrong, with a vital error", "vital error"),
        Grade(3, "3", "ambiguous: hard to say whether right or wrong", "ambiguous"),
        Grade(4, "4", "right, with a minor error", "minor error"),
        Grade(5, "5", "completely correct", "correct"),
    ),
    Task.BINARY: (Grade(0, "n", "wrong", "wrong"), Grade(1, "y", "right", "right")),
    Task.PAIR: (
        Grade(1, "1", "the first answer is better", "first"),
        Grade(2, "2", "the second answer is better", "second"),
        Grade(0, "0", "they are equally good or bad", "equal"),
    ),
}
CUTS: dict[Task, float | None] = {Task.LIKERT5: 4.0, Task.BINARY: None, Task.PAIR: None}
"""From which mean rating on an answer counts as right; None where ratings are verdicts."""
FIRST, SECOND, EQUAL = 1.0, -1.0, 0.0
"""How comparisons of two answers are stored: the first one of the file is better, the second, or neither."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A text in a small part of Markdown, and judged examples."""

    text: str
    examples: tuple[dict[str, Any], ...]
    practice: tuple[dict[str, Any], ...]
    """Answers to practise on, with the expected `judgement` and `why`."""


def is_on_scale(task: Task, value: float | None) -> bool:
    """Whether a value can be chosen."""
    return any(grade.value == value for grade in SCALES[task])


def instructions(task: Task) -> Instructions:
    """Return the packaged instructions of a task."""
    content = files("qassay.web") / "study" / "instructions" / f"{task}.json"
    held = msgspec.json.decode(content.read_bytes())
    return Instructions("\n".join(held["text"]), tuple(held["examples"]), tuple(held["practice"]))
