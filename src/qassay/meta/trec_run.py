"""Choosing among answers: the candidates to each question in the order of their scores, as a TREC run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qassay.errors import DataError
from qassay.meta.panel import finite_or_missing
from qassay.records import Example

_UNSAFE = str.maketrans(dict.fromkeys(" \t\r\n", "_"))


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """An answer's place among the answers to its question."""

    question: str
    """The question's name: its `question_id` where the data has one, else `q1`, `q2` … in the order they appear."""
    answer: str
    """The answer's id, with its system in front where there are several systems."""
    rank: int
    score: float


def rank_answers(examples: Sequence[Example], scores: ArrayLike) -> tuple[list[RankedAnswer], int]:
    """Order the answers to each question, the best first; equal scores keep their order.

    Answers to one question have the same question text (after Vu and Moschitti 2021, section 6.5, where the judge picks
    an answer). Unscored answers are left out, and counted in the second value.
    """
    values = finite_or_missing(scores, "scores")
    if len(values) != len(examples):
        raise DataError(f"{len(examples)} answers and {len(values)} scores; give one score an answer")
    groups: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        groups.setdefault(example.question, []).append(place)
    several = len({example.system for example in examples}) > 1
    ranked = []
    for number, places in enumerate(groups.values(), 1):
        scored = [place for place in places if not np.isnan(values[place])]
        name = str(examples[places[0]].extra.get("question_id") or f"q{number}")
        for rank, place in enumerate(sorted(scored, key=lambda place: -values[place]), 1):
            example = examples[place]
            answer = f"{example.system}/{example.id}" if several else example.id
            ranked.append(RankedAnswer(name, answer, rank, float(values[place])))
    return ranked, int(np.isnan(values).sum())


def run_lines(ranked: Iterable[RankedAnswer], tag: str) -> Iterator[str]:
    """Write a run as TREC's tools read it: `question Q0 answer rank score tag`, spaces in names made underscores."""
    for each in ranked:
        names = (each.question, each.answer, tag)
        question, answer, run = (name.translate(_UNSAFE) for name in names)
        yield f"{question} Q0 {answer} {each.rank} {each.score:.6f} {run}"
