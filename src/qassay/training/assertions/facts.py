"""Questions with their short answer and the sentence that gives it, from all sets that mark one."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from qassay.training.answer_text import find_phrase, first_word, question_key, sentence_around, sentences_of, words
from qassay.training.corpora import squad
from qassay.training.keyphrase import sources as marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import numpy as np

    from qassay.training.answer_text import Span
    from qassay.training.keyphrase.rows import KeyphraseRow

_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_NUMBER = re.compile(r"\d")
_LONGEST_GOLD = 8
_LONGEST_SENTENCE = 60
_DRAWS = 8
_KINDS = {"who": "person", "whose": "person", "whom": "person", "where": "place", "when": "date"}


class Fact(NamedTuple):
    """A question, its short answer, and the sentence that gives it."""

    question: str
    gold: str
    sentence: str
    span: Span
    """Where the sentence holds the answer."""
    source: str
    group: str
    mentions: tuple[str, ...] = ()
    """Other sentences of the same text that name the answer without giving it."""
    others: tuple[str, ...] = ()
    """Other sentences of the same text that do not name it."""

    @property
    def kind(self) -> str:
        """What the answer is: person, place, date, number or thing."""
        return kind_of(self.question, self.gold)


def kind_of(question: str, answer: str) -> str:
    """Return what kind of answer a question has: person, place, date, number or thing."""
    asked = _KINDS.get(first_word(question))
    if asked in {"person", "place"} and answer[:1].isupper():
        return asked
    if _YEAR.search(answer) or (asked == "date" and _NUMBER.search(answer)):
        return "date"
    return "number" if _NUMBER.search(answer) else "thing"


class Rivals:
    """Short answers by kind, from which plausible wrong ones are drawn: of questions that begin alike, if possible."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._pool: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for fact in facts:
            for key in self._keys(fact):
                self._pool[key].append(fact.gold)

    @staticmethod
    def _keys(fact: Fact) -> tuple[tuple[str, ...], ...]:
        """Return under which keys an answer is found, the closest first."""
        capital = "name" if fact.gold[:1].isupper() else "phrase"
        begin = [word for word, _ in words(fact.question)[:2]]
        return ((fact.kind, capital, *begin), (fact.kind, capital))

    def draw(self, fact: Fact, rng: np.random.Generator, *, but: Iterable[str] = ()) -> str | None:
        """Draw another answer of the same kind that shares no word with the fact's and none with those in `but`."""
        close, broad = (self._pool[key] for key in self._keys(fact))
        options = close if len(close) > _DRAWS else broad
        taken = {word for text in (fact.gold, fact.question, *but) for word, _ in words(text)}
        places: list[int] = rng.integers(len(options), size=_DRAWS).tolist() if options else []
        for index in places:
            if not taken & {word for word, _ in words(options[index])}:
                return options[index]
        return None

    def two(self, fact: Fact, rng: np.random.Generator) -> tuple[str, str] | None:
        """Draw two different rivals, if there are any."""
        first = self.draw(fact, rng)
        second = self.draw(fact, rng, but=[first]) if first else None
        return (first, second) if first and second else None


def squad_facts(path: Path) -> Iterator[Fact]:
    """Yield SQuAD's questions with the sentence of the commonest answer and the rest of the paragraph."""
    for row in squad.read(path):
        if (
            not row.answers
            or not row.holds(chosen := row.commonest)
            or not (found := _around(row.context, chosen.span))
        ):
            continue
        sentence, span = found
        rest = [each for each in sentences_of(row.context) if each not in sentence and _fits(each)]
        mentions = tuple(each for each in rest if find_phrase(each, chosen.text))
        others = tuple(each for each in rest if each not in mentions)
        question = row.question.strip()
        if _is_short(chosen.text):
            yield Fact(question, chosen.text, sentence, span, "squad", f"squad:{row.title}", mentions, others)


def _around(text: str, span: Span) -> tuple[str, Span] | None:
    found = sentence_around(text, span)
    return found if found and _fits(found[0]) else None


def _fits(sentence: str) -> bool:
    return 0 < len(sentence.split()) <= _LONGEST_SENTENCE


def _is_short(gold: str) -> bool:
    return 0 < len(words(gold)) <= _LONGEST_GOLD


def _from_marked(
    reader: Callable[[Path, str], Iterator[KeyphraseRow]], source: str
) -> Callable[[Path], Iterator[Fact]]:
    def read(path: Path) -> Iterator[Fact]:
        for row in reader(path, source):
            gold = row.answer[slice(*row.spans[0])] if row.spans else ""
            if len(row.spans) == 1 and _is_short(gold) and question_key(gold) != question_key(row.answer):
                yield Fact(row.question, gold, row.answer, row.spans[0], source, row.group)

    return read


FACTS: dict[str, Callable[[Path], Iterator[Fact]]] = {
    "squad": squad_facts,
    "evouna": _from_marked(marked.evouna, "evouna"),
    "qed": _from_marked(marked.qed, "qed"),
    "trecqa": _from_marked(marked.trec, "trecqa"),
    "sentences": _from_marked(marked.answer_sentences, "qadialog"),
    "qamr": _from_marked(marked.qamr, "qamr"),
}
"""Readers of facts, by format."""
