"""The questions with right and wrong answers that AVA's embedded models are trained on, from public sets.

Answer selection sets give sentences. Others are turned into the same: an accepted answer, a sentence that holds it and
a system's answer that people judged right are all right answers to one question; sentences beside it and answers judged
wrong are wrong. No wrong answer is made of a right one by exchanging a word: such rows teach that sentences in other
words are wrong, and the models then miss most right sentences of TREC-QA.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from qassay.io.readers.datasets.answer_selection import QuestionSentences, read_selection
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
from qassay.training.corpora import judged_answers, squad
from qassay.training.corpora import multirc as multirc_corpus
from qassay.training.corpora import qed as qed_corpus
from qassay.training.files import write_sides
from qassay.training.keyphrase import sources as marked
from qassay.training.sources import DataSource, counts_by_source, licensed, nothing_left, read_recipe
from qassay.training.splits import DEV, TRAIN, hashes_below, held_back

RECIPE = "ava"
CAPS = {
    "trec": 100,
    "trec_short": 20,
    "wikiqa": 60,
    "evouna": 8,
    "evouna_sentences": 8,
    "qed": 10,
    "efficientqa": 3,
    "multirc": 3,
    "squad": 2,
    "squad_elsewhere": 5,
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
_SHARED_WORDS = 2
_SHARED_PART = 0.4
_FAR_RIGHT = 2
_FAR_WRONG = 5

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


def evouna_sentences(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield the same without short answers."""
    for row in evouna_corpus.read(path):
        right, wrong = (tuple(text for text in side if len(words(text)) >= _SENTENCE_WORDS) for side in _judged(row))
        yield QuestionSentences(row.question, right, wrong)


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


def squad_sentences(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield the sentence around the answer, and annotators' answers; sentences beside it are wrong."""
    for row, sentence in _answered(path):
        asked = content_words(row.question)
        others = _without(sentences_of(row.context), sentence, row.accepted)
        wrong = sorted(others, key=partial(_distance, asked))[:_SIDE_SENTENCES]
        yield QuestionSentences(row.question, (sentence, *row.accepted[:2]), tuple(wrong))


def squad_elsewhere(path: Path, _rng: np.random.Generator) -> Selections:
    """Yield the sentence around the answer, and sentences elsewhere in the article that seem to answer too.

    Those hold the answer and much of the question. Sentences with much of the question and none of the answer's words
    are wrong. As in TREC-QA, what two right sentences have in common is often the answer alone.
    """
    rows = list(_answered(path))
    articles: dict[int, dict[str, set[str]]] = defaultdict(dict)
    for context, article in {row.context: row.article for row, _ in rows}.items():
        articles[article] |= {text.strip(): content_words(text) for text in sentences_of(context)}
    for row, sentence in rows:
        asked = content_words(row.question)
        answer = content_words(row.commonest.text) - asked
        if not answer or len(asked) < _SHARED_WORDS:
            continue
        right, wrong = [], []
        for text, known in articles[row.article].items():
            shared = len(asked & known)
            if shared < _SHARED_WORDS or text in sentence or sentence.strip() in text:
                continue
            if not answer & known:
                wrong.append(text)
            elif shared >= _SHARED_PART * len(asked) and find_longest_phrase(text, [row.commonest.text]):
                right.append(text)
        if right:
            near = partial(_distance, asked)
            right, wrong = sorted(right, key=near)[:_FAR_RIGHT], sorted(wrong, key=near)[:_FAR_WRONG]
            yield QuestionSentences(row.question, (sentence.strip(), *right), tuple(wrong))


def _answered(path: Path) -> Iterator[tuple[squad.SquadRow, str]]:
    """Yield SQuAD's answered questions with the sentence around the answer that most annotators gave."""
    for row in squad.read(path):
        if row.answers and row.holds(row.commonest) and (found := sentence_around(row.context, row.commonest.span)):
            yield row, found[0]


def _distance(asked: set[str], text: str) -> int:
    """Return how little a text has of the words that are asked about; for sorting."""
    return -len(content_words(text) & asked)


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
    "squad": squad_sentences,
    "squad_elsewhere": squad_elsewhere,
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
