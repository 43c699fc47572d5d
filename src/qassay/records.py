"""What goes in: one answer with its question and references."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Opinion(StrEnum):
    """The stance of a yes-no answer, as DuReader labels it."""

    YES = "yes"
    NO = "no"
    DEPENDS = "depends"


@dataclass(frozen=True, slots=True)
class Reference:
    """One accepted answer. An empty text means that the right answer is to give none (SQuAD 2.0)."""

    text: str
    opinion: Opinion | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One answer to be scored."""

    id: str
    question: str
    references: tuple[Reference, ...]
    candidate: str | None
    """What the system answered; `None` when it is missing, which leaves the example unscored."""
    system: str = ""
    opinion: Opinion | None = None
    """The candidate's own stance, where the system states one."""
    entities: tuple[str, ...] = ()
    """The entities that a right answer lists."""
    context: str | None = None
    question_type: str | None = None
    judgement: float | None = None
    """A person's score, if known."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the input that Qassay does not use: kept and written back."""
