"""The breakdown of a score: its numbers, its parts, and the weights of the tokens."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats, Ints
    from qassay.features.batch import Batch
    from qassay.models.base import TokenWeights

_LONGEST = 80
"""How many characters of a text are worth showing."""
_SUPPORTED = 0.5
"""The probability from which on a sentence counts as supported."""
NOTHING = "(nothing)"
"""What is shown instead of an empty text."""


class Ingredient(NamedTuple):
    """One named number or text of a breakdown."""

    name: str
    value: str


def ingredients_text(ingredients: Sequence[Ingredient]) -> str:
    """Return ingredients in one line."""
    return " \u00b7 ".join(f"{name} {value or NOTHING}" for name, value in ingredients)


class Part(NamedTuple):
    """What one signal adds to a judge's verdict on an answer, relative to a typical answer."""

    signal: str
    value: float
    """The signal itself; 1 for the bias."""
    part: float
    """What it adds to the logit of being right. The parts of all signals add up to the logit."""
    topic: str = ""
    """What the signal is about. Signals of one topic are read together: they were fitted together, and one may take
    back what another adds too much."""
    label: str = ""
    """The signal in plain words."""
    description: str = ""


class Topic(NamedTuple):
    """Signals that are about the same, and what they add together."""

    name: str
    part: float
    parts: tuple[Part, ...]

    @property
    def description(self) -> str:
        """The signals' descriptions, one after the other."""
        return "; ".join(part.description for part in self.parts if part.description)


class CheckedClaim(NamedTuple):
    """A sentence of an answer that was checked against what it rests on."""

    start: int
    end: int
    """Characters of the answer."""
    consistent: float
    """How likely it is that the sentence is supported."""
    wrong: tuple[int, int] | None
    """The characters of the answer that are wrong, where that can be told."""
    support: str
    """The passage that comes nearest to it; empty where there is none."""

    @property
    def supported(self) -> bool:
        """Whether it is rather supported than not."""
        return self.consistent >= _SUPPORTED


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """The breakdown of one answer's score."""

    ingredients: tuple[Ingredient, ...] = ()
    """Numbers and texts with their names, for the reference that fits best."""
    parts: tuple[Part, ...] = ()
    """Signals with what they add to the verdict, the largest first, for the reference that fits best."""
    claims: tuple[CheckedClaim, ...] = ()
    """The answer's sentences with the verdict on each, in order."""


class AnswerWeights(NamedTuple):
    """The weights of the tokens of an answer and of its references."""

    candidate: TokenWeights
    references: tuple[TokenWeights, ...]


def answer_weights(batch: Batch, rows: Sequence[TokenWeights], candidate: Ints, reference: Ints) -> list[AnswerWeights]:
    """Sort rows of weights by example, given the row of each candidate and of each reference."""
    ends = np.cumsum([0, *(len(example.references) for example in batch.examples)]).tolist()
    return [
        AnswerWeights(rows[candidate[i]], tuple(rows[row] for row in reference[start:end].tolist()))
        for i, (start, end) in enumerate(pairwise(ends))
    ]


def topics(parts: Sequence[Part]) -> list[Topic]:
    """Put the parts of one topic together, the largest sum first."""
    grouped: dict[str, list[Part]] = {}
    for part in parts:
        grouped.setdefault(part.topic or part.signal, []).append(part)
    found = [Topic(name, sum(part.part for part in each), tuple(each)) for name, each in grouped.items()]
    return sorted(found, key=lambda topic: -abs(topic.part))


def best_pairs(scores: Floats, example: Ints, examples: int) -> Ints:
    """Return the row of each example's best pair, -1 for an example without pairs."""
    rows = np.full(examples, -1)
    # Ascending, and of equal ones the first last: it is what stays written.
    ascending = np.argsort(scores[::-1], kind="stable")
    ascending = len(scores) - 1 - ascending
    rows[example[ascending]] = ascending
    return rows


def show(number: float) -> str:
    """Write a count in full and anything else with three decimals."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.3f}"


def shortened(text: str) -> str:
    """Cut a text to what is worth showing."""
    return shorten(text, _LONGEST, placeholder=" …")
