"""Judge rows that people labelled: verdicts on systems' answers, ratings, marked student answers."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.io.reader import Reader
from qassay.io.readers.read_context import ReadOptions
from qassay.training import judged_pairs
from qassay.training.judge.rows import JudgeRow, group_of, token_f1
from qassay.training.judged_pairs import JudgedPair
from qassay.training.keyphrase.rows import words
from qassay.training.source_files import read_json, read_json_lines, read_text

ANSWERS = "answers"
"""The source of rows that a team has judged itself."""
PEOPLE = frozenset({ANSWERS, "evouna", "evouna_sentences", "efficientqa", "sas", "sas_squad"})
"""The sources of systems' answers that people judged."""
BLANK = "blank answer"
_SENTENCE_WORDS = 5
_PAIRS_A_QUESTION = 6

# How people rated pairs of answers by their token F1, as SAS (Risch et al. 2021) shows on SQuAD and NQ-open.
_F1 = (0.0, 0.2, 0.5, 0.7, 0.8, 0.9, 1.0)
_RATING = (0.1, 0.3, 0.52, 0.62, 0.76, 0.88, 1.0)


def _rows(pairs: Iterable[JudgedPair], context: str = "") -> Iterator[JudgeRow]:
    for pair in pairs:
        group = group_of(pair.question)
        yield JudgeRow(pair.question, pair.references, pair.candidate, pair.label, pair.source, group, context)


def answers(path: Path, _rng: np.random.Generator, left_out: Counter[str] | None = None) -> Iterator[JudgeRow]:
    """Answers of any format that `qassay score` reads, those with a judgement from 0 (wrong) to 1 (right).

    `left_out` counts the others.
    """
    left_out = Counter() if left_out is None else left_out
    for example in Reader([path], ReadOptions(can_skip=False)):
        if example.judgement is None:
            left_out["no judgement"] += 1
            continue
        if not (example.candidate or "").strip():
            left_out[BLANK] += 1
            continue
        if not 0 <= example.judgement <= 1:
            raise DataError(
                f'the judgement of "{example.id}" is {example.judgement:g}; a judge learns from 0 (wrong) to 1 (right)',
                path,
            )
        yield JudgeRow(
            example.question,
            tuple(each.text for each in example.references),
            example.candidate or "",
            example.judgement,
            ANSWERS,
            group_of(example.question or example.id),
            example.context or "",
        )


def evouna(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Five systems' answers against short references, judged by a person (EVOUNA)."""
    return _rows(judged_pairs.evouna(path))


def evouna_sentences(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Sentences of two systems: one judged right stands as the reference, the other keeps its verdict."""
    by_question: dict[str, list[JudgedPair]] = {}
    for pair in judged_pairs.evouna(path):
        if len(words(pair.candidate)) >= _SENTENCE_WORDS:
            by_question.setdefault(pair.question, []).append(pair)
    for question, answers in by_question.items():
        found = [(a, b) for a, b in permutations(answers, 2) if a.label == 1 and a.candidate != b.candidate]
        for index in sorted(rng.permutation(len(found))[:_PAIRS_A_QUESTION]):
            a, b = found[index]
            yield JudgeRow(question, (a.candidate,), b.candidate, b.label, "evouna_sentences", group_of(question))


def efficientqa(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Predictions that people judged definitely right (1), possibly right (.5) or wrong (0) (EfficientQA)."""
    return _rows(judged_pairs.efficientqa(path))


def sas(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Pairs of short answers rated 0, 1 or 2 for similarity, in both directions (SAS, NQ-open part)."""
    for row in _rows(judged_pairs.sas(path)):
        yield row
        yield msgspec.structs.replace(row, references=(row.candidate,), candidate=row.references[0])


def sas_squad(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """As `sas`, for the SQuAD part, which is published without its questions."""
    for entry in csv.DictReader(io.StringIO(read_text(path))):
        a, b = entry["answer1"].strip(), entry["answer2"].strip()
        if a and b:
            group = f"sas_squad:{min(a, b)}"
            yield JudgeRow("", (a,), b, float(entry["label"]) / 2, "sas_squad", group)
            yield JudgeRow("", (b,), a, float(entry["label"]) / 2, "sas_squad", group)


def beetle(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Students' answers about electric circuits, marked correct or not (SemEval-2013 task 7)."""
    return _rows(judged_pairs.student_answers(path, "beetle"))


def sci_ents_bank(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Pupils' answers in science, marked correct or not (SemEval-2013 task 7)."""
    return _rows(judged_pairs.student_answers(path, "sciEntsBank"))


class _SquadAnswer(msgspec.Struct):
    text: str


class _SquadQuestion(msgspec.Struct):
    id: str
    question: str
    answers: list[_SquadAnswer] = []


class _SquadParagraph(msgspec.Struct):
    context: str
    qas: list[_SquadQuestion]


class _SquadArticle(msgspec.Struct):
    paragraphs: list[_SquadParagraph]


class _Squad(msgspec.Struct):
    data: list[_SquadArticle]


def _squad_questions(path: Path) -> Iterator[tuple[_SquadQuestion, tuple[str, ...], str]]:
    for article in read_json(path, _Squad).data:
        for paragraph in article.paragraphs:
            for asked in paragraph.qas:
                if accepted := tuple(dict.fromkeys(answer.text for answer in asked.answers if answer.text.strip())):
                    yield asked, accepted, paragraph.context


def squad_predictions(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Real systems' SQuAD answers (the folder `predictions` beside the data), labelled by the best token F1.

    The label is how people rate pairs of answers with that F1; an empty answer to an answerable question is wrong.
    """
    version = "1.1" if "1.1" in path.name else "v2.0"
    answers: dict[str, list[str]] = {}
    for file in sorted((path.parent / "predictions").glob(f"{version}_*.json")):
        for name, text in read_json(file, dict[str, str]).items():
            answers.setdefault(name, []).append(text)
    for asked, accepted, context in _squad_questions(path):
        for text in dict.fromkeys(text for text in answers.get(asked.id, ()) if text.strip()):
            if text in accepted:
                continue
            overlap = max(token_f1(text, reference) for reference in accepted)
            label = float(np.interp(overlap, _F1, _RATING))
            yield JudgeRow(
                asked.question, accepted, text, round(label, 3), "squad_predictions", group_of(asked.question), context
            )


def squad_annotators(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Two annotators' answers to one SQuAD question, worded differently: both are right."""
    for asked, accepted, context in _squad_questions(path):
        if len(accepted) > 1:
            first, second = rng.permutation(len(accepted))[:2]
            yield JudgeRow(
                asked.question,
                (accepted[first],),
                accepted[second],
                1.0,
                "squad_annotators",
                group_of(asked.question),
                context,
            )


class _Option(msgspec.Struct):
    text: str
    label: int = -1


class _Question(msgspec.Struct):
    question: str
    answers: list[_Option]


class _Passage(msgspec.Struct):
    text: str
    questions: list[_Question]


class _MultiRC(msgspec.Struct):
    passage: _Passage


def multirc(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """MultiRC: a right option is the reference; up to two other right ones and two wrong ones are held against it."""
    for entry in read_json_lines(path, _MultiRC):
        for asked in entry.passage.questions:
            sides = [[option.text for option in asked.answers if option.label == label] for label in (1, 0)]
            right, wrong = ([text for text in dict.fromkeys(side) if text.strip()] for side in sides)
            if not right:
                continue
            reference = right.pop(int(rng.integers(len(right))))
            for label, texts in ((1.0, right), (0.0, wrong)):
                for index in sorted(rng.permutation(len(texts))[:2]):
                    yield JudgeRow(
                        asked.question,
                        (reference,),
                        texts[index],
                        label,
                        "multirc",
                        group_of(asked.question),
                        entry.passage.text,
                    )
