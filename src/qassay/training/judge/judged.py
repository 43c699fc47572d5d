"""Judge rows that people labelled: verdicts on systems' answers, ratings, marked student answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from pathlib import Path

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.io.input_stream import Reader
from qassay.io.parsing.read_context import ReadOptions
from qassay.records import Example
from qassay.training.answer_text import group_of, token_f1, words
from qassay.training.corpora import judged_answers, squad
from qassay.training.corpora import multirc as multirc_corpus
from qassay.training.judge.rows import JudgeRow
from qassay.training.keyphrase import judged as judged_pairs
from qassay.training.keyphrase.judged import pairs_of
from qassay.training.keyphrase.rows import JudgedPair

ANSWERS = "answers"
"""The source of rows that a team has judged itself."""
PEOPLE = frozenset({ANSWERS, "evouna", "evouna_sentences", "efficientqa", "sas", "sas_squad"})
"""The sources of systems' answers that people judged."""
BLANK = "blank answer"
_LOWEST, _HIGHEST = 1.0, 5.0
"""MOCHA's ratings."""
_SENTENCE_WORDS = 5
_PAIRS_PER_QUESTION = 6

# How people rated pairs of answers by their token F1, as SAS (Risch et al. 2021) shows on SQuAD and NQ-open.
_F1 = (0.0, 0.2, 0.5, 0.7, 0.8, 0.9, 1.0)
_RATING = (0.1, 0.3, 0.52, 0.62, 0.76, 0.88, 1.0)


def _rows(pairs: Iterable[JudgedPair]) -> Iterator[JudgeRow]:
    for pair in pairs:
        yield JudgeRow(pair.question, pair.references, pair.candidate, pair.label, pair.source, group_of(pair.question))


def _from_pairs(read: Callable[[Path], Iterable[JudgedPair]]) -> Callable[..., Iterator[JudgeRow]]:
    def rows(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
        return _rows(read(path))

    return rows


evouna = _from_pairs(judged_pairs.evouna)
"""Five systems' answers against short references, judged by a person (EVOUNA)."""
efficientqa = _from_pairs(lambda path: pairs_of(judged_answers.read_efficientqa(path), "efficientqa"))
"""Predictions that people judged definitely right (1), possibly right (.5) or wrong (0) (EfficientQA)."""
beetle = _from_pairs(lambda path: pairs_of(judged_answers.read_semeval(path, "beetle"), "beetle"))
"""Students' answers about electric circuits, marked correct or not (SemEval-2013 task 7)."""
sci_ents_bank = _from_pairs(lambda path: pairs_of(judged_answers.read_semeval(path, "sciEntsBank"), "sciEntsBank"))
"""Pupils' answers in science, marked correct or not (SemEval-2013 task 7)."""


def answers(path: Path, _rng: np.random.Generator, left_out: Counter[str] | None = None) -> Iterator[JudgeRow]:
    """Yield answers of any format that `qassay score` reads, those with a judgement from 0 (wrong) to 1 (right).

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


def mocha(path: Path, _rng: np.random.Generator | None = None) -> Iterator[JudgeRow]:
    """Yield answers about passages that people rated from 1 to 5 (MOCHA), one source per data set, as labels 0 to 1."""
    for example in Reader([path], ReadOptions("mocha", can_skip=False)):
        if example.judgement is not None and (example.candidate or "").strip():
            yield JudgeRow.of(
                example.question,
                example.references[0].text,
                example.candidate or "",
                _label(example, path),
                f"mocha_{example.question_type}",
                example.context or "",
            )


def _label(example: Example, path: Path) -> float:
    rating = example.judgement or 0.0
    if not _LOWEST <= rating <= _HIGHEST:
        raise DataError(
            f'the score of "{example.id}" is {rating:g}; MOCHA\'s go from {_LOWEST:g} to {_HIGHEST:g}', path
        )
    return (rating - _LOWEST) / (_HIGHEST - _LOWEST)


def evouna_sentences(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield sentences of two systems: one judged right stands as the reference, the other keeps its verdict."""
    by_question: dict[str, list[JudgedPair]] = {}
    for pair in judged_pairs.evouna(path):
        if len(words(pair.candidate)) >= _SENTENCE_WORDS:
            by_question.setdefault(pair.question, []).append(pair)
    for question, pairs in by_question.items():
        found = [(a, b) for a, b in permutations(pairs, 2) if a.label == 1 and a.candidate != b.candidate]
        for index in sorted(rng.permutation(len(found))[:_PAIRS_PER_QUESTION]):
            a, b = found[index]
            yield JudgeRow.of(question, a.candidate, b.candidate, b.label, "evouna_sentences")


def sas(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield pairs of short answers rated 0, 1 or 2 for similarity, in both directions (SAS, NQ-open part)."""
    for row in _rows(pair for pair in pairs_of(judged_answers.read_sas(path), "sas") if pair.question):
        yield row
        yield msgspec.structs.replace(row, references=(row.candidate,), candidate=row.references[0])


def sas_squad(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield the same of the SQuAD part, which is published without its questions."""
    for pair in judged_answers.read_sas(path):
        a, b = pair.references[0].strip(), pair.answer.strip()
        if a and b:
            group = f"sas_squad:{min(a, b)}"
            yield JudgeRow("", (a,), b, pair.label, "sas_squad", group)
            yield JudgeRow("", (b,), a, pair.label, "sas_squad", group)


def squad_predictions(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield real systems' SQuAD answers (the folder `predictions` beside the data), labelled by the best token F1.

    The label is how people rate pairs of answers with that F1; an empty answer to an answerable question is wrong.
    """
    predicted = squad.read_predictions(path)
    for row in squad.read(path):
        accepted = row.accepted
        for text in dict.fromkeys(text for text in predicted.get(row.id, ()) if text.strip() and accepted):
            if text in accepted:
                continue
            overlap = max(token_f1(text, reference) for reference in accepted)
            label = round(float(np.interp(overlap, _F1, _RATING)), 3)
            group = group_of(row.question)
            yield JudgeRow(row.question, accepted, text, label, "squad_predictions", group, row.context)


def squad_annotators(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield two annotators' answers to one SQuAD question, worded differently: both are right."""
    for row in squad.read(path):
        accepted = row.accepted
        if len(accepted) > 1:
            first, second = rng.permutation(len(accepted))[:2]
            pair = (accepted[first], accepted[second])
            yield JudgeRow.of(row.question, *pair, 1.0, "squad_annotators", row.context)


def multirc(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield MultiRC's options: a right one is the reference of up to two other right ones and two wrong ones."""
    for _, passage in multirc_corpus.read(path):
        for asked in passage.questions:
            right, wrong = ([text for text in dict.fromkeys(asked.texts(side)) if text.strip()] for side in (1, 0))
            if not right:
                continue
            reference = right.pop(int(rng.integers(len(right))))
            for label, texts in ((1.0, right), (0.0, wrong)):
                for index in sorted(rng.permutation(len(texts))[:2]):
                    yield JudgeRow.of(asked.question, reference, texts[index], label, "multirc", passage.text)
