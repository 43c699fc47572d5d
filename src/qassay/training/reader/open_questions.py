"""Questions without marked answers: what a reader is asked in use, for it to learn what other readers say to them.

People's questions on the text they were asked about, and questions as `qassay summary` makes them: about one text and
asked of another on the same subject, or about a sentence and asked of its neighbours, with or without the sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.phrase_selection import select_answers
from qassay.training.answer_text import sentences_of
from qassay.training.reader.question_templates import generate
from qassay.training.reader.rows import ReaderRow
from qassay.training.reader.statement_questions import fits, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from qassay.models.syntax import Chunker
    from qassay.training.reader.texts import SentenceGroup

SOURCE_PREFIX = "open_"
_ASKED_OF_SENTENCE = 2
_SENTENCES = {"reports": 80, "passage": 6}
"""Of so many sentences of one group questions are made."""
_ASKED_OF_VERSION = 4
_FIRST_SENTENCES = 4
"""Sentences at the beginning of an answer that questions are made of; what follows strays."""
_BESIDE = 0.3
"""How often a text on another subject stands beside the one that is read."""
_STRAY = 400
"""Characters of it."""
_INCLUDED = {"reports": 0.15, "passage": 0.4}
"""How often the sentence asked about is read too: reports of one event repeat each other anyway."""
_THINNED = 0.4
"""How often parts of the sentence are left out of the question."""


def people_ask(group: SentenceGroup, rng: np.random.Generator) -> Iterator[ReaderRow]:
    """Ask what people asked: of a passage, or of a few of the sentences that were found for the question."""
    for question in group.questions:
        text = " ".join(group.sentences if group.kind == "passage" else _some(group.sentences, rng))
        if question.strip() and text:
            yield _row(question, text, group.source, group.group)


def of_neighbours(groups: Sequence[SentenceGroup], chunker: Chunker, rng: np.random.Generator) -> Iterator[ReaderRow]:
    """Ask about sentences, and read what stands around them or was found beside them."""
    chosen = [
        (group, place)
        for group in groups
        for place in rng.permutation(len(group.sentences)).tolist()[: _SENTENCES[group.kind]]
        if len(group.sentences) > 1 and fits(group.sentences[place])
    ]
    tagged = chunker.tag([group.sentences[place] for group, place in chosen])
    for (group, place), sentence in zip(chosen, tagged, strict=True):
        answers = select_answers(sentence)
        for i in rng.permutation(len(answers)).tolist()[:_ASKED_OF_SENTENCE]:
            asks_in_part = rng.random() < _THINNED
            question = (
                thinned(sentence, answers[i], rng) if asks_in_part else generate(sentence, answers[i], chunker.knows)
            )
            yield _row(question, _around(group, place, rng), group.source, group.group)


def _around(group: SentenceGroup, place: int, rng: np.random.Generator) -> str:
    """Put together what is read: neighbours in a passage, any others among reports."""
    with_it = rng.random() < _INCLUDED[group.kind]
    if group.kind == "reports":
        others = _some([*group.sentences[:place], *group.sentences[place + 1 :]], rng)
        if with_it:
            others.insert(int(rng.integers(len(others) + 1)), group.sentences[place])
        return " ".join(others)
    first = max(0, place - int(rng.integers(4)))
    last = min(len(group.sentences), place + 1 + int(rng.integers(4)))
    near = [group.sentences[i] for i in range(first, last) if with_it or i != place]
    return " ".join(near or [group.sentences[place - 1 if place else place + 1]])


def _some(sentences: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [sentences[i] for i in rng.permutation(len(sentences)).tolist()[: int(rng.integers(1, 5))]]


def of_versions(
    groups: Sequence[tuple[Sequence[str], str]], chunker: Chunker, source: str, rng: np.random.Generator
) -> Iterator[ReaderRow]:
    """Ask about one text and read another that tells the same (given in groups, each with its name)."""
    for texts, group in groups:
        tagged = [chunker.tag(sentences_of(text)[:_FIRST_SENTENCES]) for text in texts]
        for a, sentences in enumerate(tagged):
            asked = [(s, answer) for s in sentences if fits(s.text) for answer in select_answers(s)]
            for b, target in enumerate(texts):
                if a == b:
                    continue
                for i in rng.permutation(len(asked)).tolist()[:_ASKED_OF_VERSION]:
                    sentence, answer = asked[i]
                    question = generate(sentence, answer, chunker.knows)
                    yield _row(question, _beside(target, groups, rng), source, group)


def _beside(text: str, groups: Sequence[tuple[Sequence[str], str]], rng: np.random.Generator) -> str:
    if rng.random() >= _BESIDE:
        return text
    stray = groups[int(rng.integers(len(groups)))][0][0][:_STRAY]
    return f"{text} {stray}" if rng.random() < 0.5 else f"{stray} {text}"  # noqa: PLR2004 - either order


def _row(question: str, passage: str, source: str, group: str) -> ReaderRow:
    return ReaderRow(question, passage, (), SOURCE_PREFIX + source, group)
