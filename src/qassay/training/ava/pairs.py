"""Building AVA's training pairs from answer selection data (Vu and Moschitti 2021, section 4.2).

Of the questions with at least two correct answers, every ordered pair of different correct answers is a positive, the
first as reference and the second as candidate, and every correct answer with every wrong one a negative.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions, sniff
from qassay.io.readers.datasets.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.models.onnx.judge import JudgeInput
from qassay.records import Example
from qassay.training import files
from qassay.training.answer_text import question_key
from qassay.training.splits import DEV, TRAIN, hashes_below, held_back

_SELECTION = frozenset({"as2", "trec"})
_NATURAL_QUESTIONS = frozenset({"evouna"})
_RIGHT = 0.5
_ENOUGH = 2


class AvaRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question, a correct answer as reference, a candidate, and whether the candidate is correct."""

    question: str
    reference: str
    candidate: str
    label: int
    source: str = ""
    short: str = ""
    """A short answer, where one is known; only the linear model reads it."""

    @property
    def judged(self) -> JudgeInput:
        """The texts that a judge reads."""
        return JudgeInput(self.question, self.reference, self.candidate)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What Table 2 of the paper says of a data set: all questions, those that give pairs, and the pairs."""

    questions: int
    right: int
    wrong: int
    multiple_questions: int
    """Questions with at least two correct answers."""
    multiple_right: int
    multiple_wrong: int
    positives: int
    """Pairs there are, before any cap."""
    negatives: int
    kept_positives: int
    kept_negatives: int

    @property
    def total(self) -> int:
        """All pairs, before any cap."""
        return self.positives + self.negatives


def gather(examples: Iterable[Example]) -> Iterator[QuestionSentences]:
    """Collect judged answers by question: references and answers judged right against those judged wrong.

    Unjudged answers and empty ones are left out; an answer judged both ways counts as right.
    """
    by_question: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for example in examples:
        wrong, right = by_question.setdefault(example.question, ({}, {}))
        right.update(dict.fromkeys(each.text for each in example.references if each.text.strip()))
        if example.judgement is not None and example.candidate and example.candidate.strip():
            if not 0 <= example.judgement <= 1:
                raise DataError(
                    f'the judgement of "{example.id}" is {example.judgement:g}; AVA pairs need right (1) or wrong (0)'
                )
            (right if example.judgement >= _RIGHT else wrong)[example.candidate] = None
    for question, (wrong, right) in by_question.items():
        yield QuestionSentences(question, tuple(right), tuple(text for text in wrong if text not in right))


def pair_up(
    selections: Iterable[QuestionSentences], *, rng: np.random.Generator, cap: int | None = None, source: str = ""
) -> tuple[list[AvaRow], Statistics]:
    """Make the pairs, at most `cap` positives and as many negatives per question, and count what there is.

    Without a cap these are exactly the paper's; with one, no question with many answers outweighs the others.
    """
    rows: list[AvaRow] = []
    counts = dict.fromkeys(Statistics.__dataclass_fields__, 0)
    for selection in selections:
        right = tuple(dict.fromkeys(selection.right))
        wrong = tuple(text for text in dict.fromkeys(selection.wrong) if text not in right)
        counts["questions"] += 1
        counts["right"] += len(right)
        counts["wrong"] += len(wrong)
        if len(right) < _ENOUGH:
            continue
        counts["multiple_questions"] += 1
        counts["multiple_right"] += len(right)
        counts["multiple_wrong"] += len(wrong)
        sides = (("positives", list(permutations(right, 2))), ("negatives", list(product(right, wrong))))
        for name, pairs in sides:
            kept = _drawn(pairs, cap, rng)
            counts[name] += len(pairs)
            counts[f"kept_{name}"] += len(kept)
            label = int(name == "positives")
            rows += [
                AvaRow(selection.question, reference, text, label, source, _short(right, text))
                for reference, text in kept
            ]
    return rows, Statistics(**counts)


def _short(right: Sequence[str], candidate: str) -> str:
    """Take the shortest right answer other than the candidate for the short answer that the linear model reads."""
    return min((text for text in right if text != candidate), key=len)


def _drawn(pairs: Sequence[tuple[str, str]], cap: int | None, rng: np.random.Generator) -> Sequence[tuple[str, str]]:
    if cap is None or len(pairs) <= cap:
        return pairs
    return [pairs[index] for index in np.sort(rng.permutation(len(pairs))[:cap])]


_decoder = msgspec.json.Decoder(AvaRow)


def read_rows(path: Path) -> Iterator[AvaRow]:
    """Yield the rows that `qassay build ava` wrote; raise an error with the place of the first bad one."""
    return files.read_rows(path, _decoder, "ava", _fault)


def _fault(row: AvaRow) -> str | None:
    return None if row.label in {0, 1} else f'"label" is {row.label}; it is 1 (correct) or 0 (wrong)'


def read_selections(
    inputs: Sequence[str],
    reading: ReadOptions,
    left_out: Counter[str],
    held_out: Iterable[str] = (),
    met: set[str] | None = None,
) -> Iterator[QuestionSentences]:
    """Yield questions with right and wrong answers, from answer selection tables or judged answers of any format.

    Left out, and counted, are questions of evaluation sets, whose keys are added to `met`, and EVOUNA's that are held
    back for the final test.
    """
    met = set() if met is None else met
    evaluated = {question_key(question) for question in held_out}
    for names, format_ in _grouped(inputs, reading):
        for selection in _selections(names, format_, reading):
            if (key := question_key(selection.question)) in evaluated:
                left_out["question of an evaluation set"] += 1
                met.add(key)
            elif format_ in _NATURAL_QUESTIONS and held_back(selection.question):
                left_out["question held back for the final test"] += 1
            else:
                yield selection


def _selections(names: Sequence[str], format_: str, reading: ReadOptions) -> Iterator[QuestionSentences]:
    if format_ in _SELECTION:
        return (each for name in names for each in read_selection(Source.at(name)))
    return gather(Reader(names, replace(reading, format=format_)))


def _grouped(inputs: Sequence[str], reading: ReadOptions) -> Iterator[tuple[list[str], str]]:
    """Yield the files of one kind together, for one question's answers may stand in several."""
    if reading.format != "auto":
        yield list(inputs), reading.format
        return
    by_format: dict[str, list[str]] = {}
    for name in inputs:
        by_format.setdefault("auto" if name == "-" else sniff(name), []).append(name)
    for format_, names in by_format.items():
        yield names, format_


def build_pairs(
    selections: Iterable[QuestionSentences],
    folder: Path,
    *,
    rng: np.random.Generator,
    cap: int | None = None,
    dev_share: float = 0.1,
) -> dict[str, Statistics]:
    """Split by question, pair up each side, write `train.jsonl` and `dev.jsonl`, and return each side's statistics.

    On which side a question stands follows from its text alone, so that no question stands on both.
    """
    sides: dict[str, list[QuestionSentences]] = {TRAIN: [], DEV: []}
    for selection in selections:
        sides[DEV if hashes_below(question_key(selection.question), dev_share) else TRAIN].append(selection)
    paired = {side: pair_up(chosen, rng=rng, cap=cap) for side, chosen in sides.items()}
    for side, (rows, _) in paired.items():
        if not rows:
            raise DataError(f"no question of the {side} side has two correct answers; give more data")
    folder.mkdir(parents=True, exist_ok=True)
    for side, (rows, _) in paired.items():
        files.write_rows(folder / f"{side}.jsonl", rows)
    return {side: statistics for side, (_, statistics) in paired.items()}
