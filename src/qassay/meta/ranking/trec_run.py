"""The candidates to each question ranked by their scores, as a TREC run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from qassay.errors import DataError
from qassay.io.atomic_output import replacing
from qassay.records import Example

_UNSAFE = str.maketrans(dict.fromkeys(" \t\r\n", "_"))


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """An answer's rank among the answers to its question."""

    question: str
    """The question's name: its `question_id` where the data has one; else its id, where systems answer each question
    under one id; else `question-1`, `question-2` … in the order they appear."""
    answer: str
    """The answer's id, with its system in front where there are several systems."""
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """All answers in their order, question by question."""

    answers: tuple[RankedAnswer, ...]
    questions: int
    unscored: int
    """Answers without a score, which are not ranked."""


@dataclass(slots=True)
class _Question:
    name: str
    ids: set[str]
    answers: list[tuple[float, str, str]]


def rank_answers(scored: Iterable[tuple[Example, float | None]]) -> Ranking:
    """Order the answers to each question, the best first; equal scores keep their order.

    Answers belong to one question if they have the same `question_id`, or else the same question text (after Vu and
    Moschitti 2021, section 6.5, where the judge picks an answer).
    """
    questions: dict[str, _Question] = {}
    systems: set[str] = set()
    unscored = 0
    for example, score in scored:
        name = str(example.extra.get("question_id") or "")
        key = name or example.question.strip()
        if not key:
            raise DataError(
                f'the answer with id "{example.id}" has no question; answers are ranked within their question: '
                'give "question" or "question_id"'
            )
        systems.add(example.system)
        question = questions.setdefault(key, _Question(name, set(), []))
        question.ids.add(example.id)
        if score is None:
            unscored += 1
        else:
            question.answers.append((score, example.system, example.id))
    by_id = len(systems) > 1 and all(len(each.ids) == 1 for each in questions.values())
    ranked = [
        RankedAnswer(
            each.name or (next(iter(each.ids)) if by_id else f"question-{number}"),
            f"{system}/{id_}" if len(systems) > 1 else id_,
            rank,
            score,
        )
        for number, each in enumerate(questions.values(), 1)
        for rank, (score, system, id_) in enumerate(sorted(each.answers, key=lambda answer: -answer[0]), 1)
    ]
    return Ranking(tuple(ranked), len(questions), unscored)


def run_lines(ranked: Iterable[RankedAnswer], tag: str) -> Iterator[str]:
    """Write a run as TREC's tools read it: `question Q0 answer rank score tag`, spaces in names made underscores."""
    for each in ranked:
        names = (each.question, each.answer, tag)
        question, answer, run = (name.translate(_UNSAFE) for name in names)
        yield f"{question} Q0 {answer} {each.rank} {each.score:.6f} {run}"


def write_run(path: str | Path, ranking: Ranking, tag: str) -> None:
    """Write the run file atomically."""
    with replacing(Path(path)) as unfinished:
        unfinished.write_text("".join(f"{line}\n" for line in run_lines(ranking.answers, tag)), encoding="utf-8")
