"""The questions with right and wrong answers that AVA's embedded models are trained on, from public sets.

Answer selection sets give sentences. Others are turned into the same: an accepted answer, a sentence that holds it and
a system's answer that people judged right are all right answers to one question; sentences beside it, answers judged
wrong and sentences with another answer in its place are wrong.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from qassay.io.readers.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.training.answer_text import (
    content_words,
    find_longest_phrase,
    question_key,
    sentence_around,
    sentences_of,
    words,
)
from qassay.training.ava.pairs import AvaRow, pair_up
from qassay.training.corpora import evouna as evouna_corpus
from qassay.training.corpora import judged_answers, qadialog, squad
from qassay.training.corpora import multirc as multirc_corpus
from qassay.training.corpora import qed as qed_corpus
from qassay.training.files import write_sides
from qassay.training.judge.composed import SwapPool
from qassay.training.keyphrase import sources as marked
from qassay.training.sources import DataSource, counts_by_source, licensed, nothing_left, read_recipe
from qassay.training.splits import DEV, TRAIN, hashes_below, held_back

RECIPE = "ava"
CAPS = {
    "trec": 200,
    "trec_short": 20,
    "wikiqa": 60,
    "evouna": 8,
    "evouna_sentences": 8,
    "qed": 10,
    "efficientqa": 3,
    "multirc": 3,
    "qa_to_sentence": 3,
    "squad": 4,
}
"""Right pairs of a question, and wrong ones, that a source may give; the development sets give all of theirs."""
NATURAL_QUESTIONS = frozenset({"evouna", "evouna_sentences", "qed", "efficientqa"})
ANSWER_SELECTION = frozenset({"trec", "trec_short", "wikiqa"})
"""Sources that have a development set of their own, so that all their questions are trained on."""
DEVELOPMENT = frozenset({"trec_dev", "wikiqa_dev"})
_DEV_SHARE = 0.1
_SENTENCE_WORDS = 5
_SHORT_WORDS = 12
_SIDE_SENTENCES = 3
_SWAPPED = 2

Selections = Iterator[QuestionSentences]


def _selection(path: Path, _rng: np.random.Generator) -> Selections:
    return read_selection(Source.at(path))


def trec_short(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield TREC-QA's questions with one more answer: the words that answer, as marked in the first right sentence."""
    short: dict[str, str] = {}
    for row in marked.trec(path, ""):
        short.setdefault(row.question, row.answer[slice(*row.spans[0])])
    for asked in read_selection(Source.at(path)):
        if asked.right and asked.question in short:
            yield QuestionSentences(asked.question, (short[asked.question], *asked.right), asked.wrong)


def _judged(row: evouna_corpus.EvounaRow) -> tuple[list[str], list[str]]:
    """Return the right answers, accepted ones first, and the wrong ones."""
    sides: tuple[list[str], list[str]] = ([*row.accepted], [])
    for answer in row.judged:
        sides[0 if answer.verdict else 1].append(answer.text)
    return sides


def evouna(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield questions with accepted answers and systems' answers as people judged them."""
    for row in evouna_corpus.read(path):
        yield QuestionSentences(row.question, *map(tuple, _judged(row)))


def evouna_sentences(path: Path, rng: np.random.Generator) -> Selections:
    """Yield the same without short answers; wrong ones are also right ones with another answer in its place."""
    spans = [row for row in marked.evouna(path, "") if row.spans]
    pool = SwapPool((row.question, row.answer[slice(*row.spans[0])]) for row in spans)
    swapped: dict[str, list[str]] = defaultdict(list)
    for row in spans:
        other = pool.draw(row.question, row.answer[slice(*row.spans[0])], rng)
        if other is None or len(words(row.answer)) < _SENTENCE_WORDS:
            continue
        text = row.answer
        for start, end in reversed(row.spans):
            text = text[:start] + other + text[end:]
        swapped[row.question].append(text)
    for asked in evouna_corpus.read(path):
        right, wrong = ([text for text in side if len(words(text)) >= _SENTENCE_WORDS] for side in _judged(asked))
        yield QuestionSentences(asked.question, tuple(right), (*wrong, *swapped[asked.question][:_SWAPPED]))


def qed(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield the sentence that explains an answer and what EVOUNA has of the question; the paragraph's others are wrong.

    EVOUNA's file is looked for beside it, as the public training sets lie.
    """
    beside = path.parent.parent / "evouna" / "NQ.json"
    known = {question_key(row.question): _judged(row) for row in evouna_corpus.read(beside)} if beside.is_file() else {}
    for row in qed_corpus.read(path):
        if not row.sentence:
            continue
        inside = [row.sentence[start:end] for start, end in row.sentence_spans if 0 <= start < end <= len(row.sentence)]
        found = [*(row.paragraph[start:end] for start, end in row.paragraph_spans), *inside]
        short = [text for text in dict.fromkeys(found) if text.strip() and len(words(text)) < _SHORT_WORDS]
        right, wrong = known.get(question_key(row.question), ([], []))
        others = _without(sentences_of(row.paragraph), row.sentence, [*short, *right])
        yield QuestionSentences(row.question, (row.sentence, *short[:2], *right), (*others, *wrong))


def efficientqa(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield questions with accepted answers and predictions that are certainly right or wrong."""
    by_question: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for row in judged_answers.read_efficientqa(path):
        right, wrong = by_question.setdefault(row.question, ({}, {}))
        right.update(dict.fromkeys(text for text in row.references if text.strip()))
        if row.answer.strip() and row.label in {0, 1}:
            (right if row.label else wrong)[row.answer] = None
    for question, (right, wrong) in by_question.items():
        yield QuestionSentences(question, tuple(right), tuple(wrong))


def multirc(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield MultiRC's questions with their right and wrong options."""
    for _, passage in multirc_corpus.read(path):
        for asked in passage.questions:
            right, wrong = (tuple(text for text in asked.texts(label) if text.strip()) for label in (1, 0))
            yield QuestionSentences(asked.question, right, wrong)


def qa_to_sentence(path: Path, rng: np.random.Generator) -> Selections:
    """Yield short answers with the sentences that people made of them, and with another answer in its place."""
    rows = list(qadialog.read(path))
    pool = SwapPool((row.question, row.answer) for row in rows)
    for row in rows:
        wrong = []
        for sentence in dict.fromkeys(row.sentences):
            other = pool.draw(row.question, row.answer, rng)
            if other is None:
                continue
            if spans := find_longest_phrase(sentence, [row.answer]):
                start, end = spans[0]
                wrong.append(sentence[:start] + other.lower() + sentence[end:])
            wrong.append(other.lower())
        yield QuestionSentences(row.question, (row.answer, *row.sentences), tuple(wrong))


def squad_sentences(path: Path, rng: np.random.Generator) -> Selections:
    """Yield the sentence around the answer, and annotators' answers; wrong are sentences beside it, and it changed."""
    rows = [row for row in squad.read(path) if row.answers and row.holds(row.commonest)]
    pool = SwapPool((row.question, row.commonest.text) for row in rows)
    for row in rows:
        found = sentence_around(row.context, row.commonest.span)
        if not found:
            continue
        sentence, (start, end) = found
        asked = content_words(row.question)
        others = _without(sentences_of(row.context), sentence, row.accepted)
        wrong = sorted(others, key=lambda text: -len(content_words(text) & asked))[:_SIDE_SENTENCES]
        if other := pool.draw(row.question, row.commonest.text, rng):
            wrong.append(sentence[:start] + other + sentence[end:])
        yield QuestionSentences(row.question, (sentence, *row.accepted[:2]), tuple(wrong))


def _without(sentences: Iterable[str], sentence: str, answers: Sequence[str]) -> list[str]:
    """Return the sentences other than one that hold none of the answers."""
    return [
        text
        for text in sentences
        if text.strip() not in sentence
        and sentence not in text
        and not any(answer.casefold() in text.casefold() for answer in answers)
    ]


READERS: dict[str, Callable[[Path, np.random.Generator], Selections]] = {
    "trec": _selection,
    "trec_short": trec_short,
    "wikiqa": _selection,
    "trec_dev": _selection,
    "wikiqa_dev": _selection,
    "evouna": evouna,
    "evouna_sentences": evouna_sentences,
    "qed": qed,
    "efficientqa": efficientqa,
    "multirc": multirc,
    "qa_to_sentence": qa_to_sentence,
    "squad": squad_sentences,
}


@dataclass(slots=True)
class AvaData:
    """Pairs by side of the split, with what they were made from and what was left out."""

    sources: list[DataSource]
    sides: dict[str, list[AvaRow]] = field(default_factory=lambda: {TRAIN: [], DEV: []})
    left_out: Counter[str] = field(default_factory=Counter)
    met: set[str] = field(default_factory=set)
    """The questions of evaluation sets that the sources have, as keys."""

    def counts(self) -> dict[str, dict[str, int]]:
        """Count pairs by source and side."""
        return counts_by_source(self.sides)

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl` and `sources.json` (files, checksums, licences, counts)."""
        files = [{"reader": source.format, **source.described()} for source in self.sources]
        write_sides(folder, self.sides, {"files": files, "rows": self.counts(), "left_out": dict(self.left_out)})


def build_recipe(
    folder: Path, *, rng: np.random.Generator, held_out: Iterable[str] = (), licensed_only: bool = False
) -> AvaData:
    """Make the pairs that AVA's embedded models are trained on, from the folder of public training sets.

    A question stands on one side in every source: those of the development sets of TREC-QA and WikiQA are for
    development, of the others' questions a tenth, by the hash of its text. Questions of evaluation sets are left out,
    and the Natural Questions that are held back.
    """
    left_out: Counter[str] = Counter()
    sources = read_recipe(RECIPE, folder)
    data = AvaData(licensed(sources, left_out) if licensed_only else sources, left_out=left_out)
    evaluated = {question_key(question) for question in held_out}
    development = {
        question_key(asked.question)
        for source in data.sources
        if source.format in DEVELOPMENT
        for asked in READERS[source.format](source.path, rng)
    }
    seen: dict[str, set[str]] = defaultdict(set)
    for source in data.sources:
        chosen: dict[str, list[QuestionSentences]] = {TRAIN: [], DEV: []}
        for asked in READERS[source.format](source.path, rng):
            key = question_key(asked.question)
            if not key or key in seen[source.format]:
                continue
            seen[source.format].add(key)
            if key in evaluated:
                data.met.add(key)
                left_out["question of an evaluation set"] += 1
            elif source.format in NATURAL_QUESTIONS and held_back(asked.question):
                left_out["question held back for the final test"] += 1
            elif key in development and source.format not in DEVELOPMENT:
                left_out["question of a development set"] += 1
            else:
                chosen[_side_of(source.format, key)].append(asked)
        for side, selections in chosen.items():
            rows, _ = pair_up(selections, rng=rng, cap=CAPS.get(source.format), source=source.format)
            data.sides[side] += rows
    if not all(data.sides.values()):
        raise nothing_left(left_out)
    return data


def _side_of(source: str, key: str) -> str:
    if source in DEVELOPMENT:
        return DEV
    return DEV if source not in ANSWER_SELECTION and hashes_below(key, _DEV_SHARE) else TRAIN
