"""Sentences with places for what is asserted and what is only named, from `recipes/frames.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from qassay.training.assertions.rows import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from qassay.training.answer_text import Span

_FRAMES = Path(__file__).parents[1] / "recipes" / "frames.toml"
_PLACE = re.compile(r"\{(\w)\}")
ASSERTED = "a"
"""The place of what a frame asserts."""


class VerbFrame(msgspec.Struct, frozen=True):
    """A verb with its converse: who acts is asked for, and every form says the same."""

    asks: str
    forms: list[str]


class Direction(msgspec.Struct, frozen=True):
    """A comparison of two things, said of the one that has more and of the one that has less."""

    asks: list[str]
    more: list[str]
    less: list[str]


class Around(msgspec.Struct, frozen=True):
    """What stands before and after an answer without being part of it."""

    before: list[str]
    after: list[str]


class OpinionFrame(msgspec.Struct, frozen=True):
    """Ways to say yes and no."""

    yes: list[str]
    no: list[str]


class Abstention(msgspec.Struct, frozen=True):
    """Ways to say that there is no answer, for references and for candidates."""

    reference: list[str]
    candidate: list[str]


class Frames(msgspec.Struct, frozen=True):
    """All frames by what they are for."""

    contrast: list[str]
    denial: list[str]
    hedge: list[str]
    options: list[str]
    chosen: list[str]
    plain: list[str]
    mention: dict[str, list[str]]
    """By the kind of answer."""
    around: Around
    opinion: OpinionFrame
    abstention: Abstention
    relation: list[VerbFrame]
    direction: list[Direction]
    verbs: str
    comparatives: str
    opposites: str
    subjects: list[str]
    affirmed: list[str]
    list_questions: list[str]
    list_frames: list[str]

    def table(self, name: str) -> list[list[str]]:
        """Return one of the tables of words, a list per entry; an underscore stands for a space."""
        entries = getattr(self, name).replace("\n", ";").split(";")
        return [[word.replace("_", " ") for word in each.split()] for each in entries if each.split()]


@lru_cache(maxsize=1)
def frames() -> Frames:
    """Return the frames."""
    return msgspec.convert(tomllib.loads(_FRAMES.read_text(encoding="utf-8")), Frames)


def fill(frame: str, asserted: str = ASSERTED, /, **texts: str) -> Said:
    """Put texts into a frame; the places of `asserted`, one letter each, are where it asserts something.

    A text at the frame's beginning is capitalised where it is no name already.
    """
    made, spans, last = "", [], 0
    for match in _PLACE.finditer(frame):
        made += frame[last : match.start()]
        text = texts[match[1]]
        text = text[:1].upper() + text[1:] if not made and len(frame) > len(match[0]) else text
        if match[1] in asserted:
            spans.append((len(made), len(made) + len(text)))
        made += text
        last = match.end()
    return Said(made + frame[last:], tuple(spans))


def wrap(said: Said, rng: np.random.Generator, share: float = 0.35) -> Said:
    """Put something before or after an answer, or both, in a share of all cases each."""
    before, after = (
        drawn(texts, rng) if rng.random() < share else "" for texts in (frames().around.before, frames().around.after)
    )
    return said if not said.text else Said(before + said.text + after, moved(said.spans, len(before)))


def join(*parts: Said) -> Said:
    """Put texts one after the other, with spaces between them."""
    text = ""
    spans: list[Span] = []
    for part in parts:
        text += " " if text and part.text else ""
        spans += moved(part.spans, len(text))
        text += part.text
    return Said(text, tuple(spans))


def moved(spans: Sequence[Span], by: int) -> tuple[Span, ...]:
    """Return spans of a text before which something was put."""
    return tuple((start + by, end + by) for start, end in spans)


def drawn(texts: Sequence[str], rng: np.random.Generator) -> str:
    """Draw one of some texts."""
    return texts[int(rng.integers(len(texts)))]
