"""What goes in: one answer with its question and references."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from typing import Any

ANSWER_CONTEXT = "answer_context"
"""The field that holds the text a reference was taken from; the candidate's own is the example's context."""


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


@dataclass(frozen=True, slots=True)
class AnswerNotes:
    """What a metric notes of one answer besides its score: the words that it takes for the answer."""

    asserted: str | None
    """What the answer asserts, in its own words; several parts are joined by `; `. None where it asserts nothing."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where these words stand in the candidate, in characters and in order; empty where that is not known."""

    @property
    def attempted(self) -> bool:
        """Whether the answer attempts the question at all."""
        return self.asserted is not None


def attempted(notes: Mapping[str, AnswerNotes]) -> bool | None:
    """Whether some metric finds that an answer attempts the question; None where no metric says."""
    return any(each.attempted for each in notes.values()) if notes else None


def read_field(example: Example, name: str) -> object:
    """Return a field of an example, whether it is among its own or came with it; None where it is missing."""
    return getattr(example, name) if name in Example.__slots__ else example.extra.get(name)


def references_hash(example: Example) -> str:
    """Return a short hash of what an answer is compared with: its references, or the context where it has none."""
    parts = [f"{each.text}\x1f{each.opinion or ''}" for each in example.references] or [example.context or ""]
    return _short_hash(parts)


def hash_of_references(texts: Iterable[str]) -> str:
    """Return the same hash of references that are texts alone."""
    return _short_hash([f"{text}\x1f" for text in texts])


def _short_hash(parts: Iterable[str]) -> str:
    return blake2b("\x1e".join(parts).encode(errors="surrogatepass"), digest_size=6).hexdigest()


def without_fields(example: Example, names: frozenset[str]) -> Example:
    """Return an example without some of the fields that came with it."""
    if names.isdisjoint(example.extra):
        return example
    return replace(example, extra={name: value for name, value in example.extra.items() if name not in names})
