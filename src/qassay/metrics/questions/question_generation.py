"""From a text to the questions that it raises."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qassay.metrics.questions.sentences.parsed_sentence import parse
from qassay.metrics.questions.sentences.phrase_selection import select_answers, select_nested
from qassay.metrics.questions.wording.clause_questions import ask_in_clause
from qassay.metrics.questions.wording.gap_questions import ask_for_gap
from qassay.metrics.questions.wording.question_words import ask_for
from qassay.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import Chunker, TaggedSentence
    from qassay.text.sentences import Span

_ENTRY = re.compile(r"(?:[-*\u2022]\s+)?(?:\(?\d{1,3}[.)](?:\s+|$))?", re.ASCII)
"""What may open an entry of a list: "4. Freedom of assembly", "- (2) Pears"."""
_KEPT = 20_000
"""How many texts' questions are kept, so that a reference raises them once for all systems."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with where it comes from."""

    text: str
    answer: str
    sentence: str
    answer_span: Span
    """Character positions of the answer in the sentence."""
    kind: str


@dataclass(frozen=True, slots=True)
class RaisedQuestion:
    """A question with the span of its answer in the text that raised it."""

    question: Question
    span: Span
    wordings: tuple[str, ...] = ()
    """The question in other words, where it can be put so."""


class QuestionWriter(Protocol):
    """Writes questions with a model of its own, one for each answer phrase."""

    @property
    def fingerprint(self) -> str:
        """What identifies the model."""

    def write(self, phrases: Sequence[tuple[TaggedSentence, Phrase]]) -> list[str]:
        """Return a question for each phrase of a sentence."""


class Questioner:
    """Raises questions about texts: one for each noun phrase and name of each sentence.

    A writer words a question for every phrase. By rule a phrase of which no plain question can be made is asked for by
    a gap in its sentence, or not at all.
    """

    def __init__(self, chunker: Chunker, writer: QuestionWriter | None = None) -> None:
        self._chunker = chunker
        self._writer = writer
        self._recent: OrderedDict[tuple[str, bool, bool], list[RaisedQuestion]] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """What identifies the models: the chunker chooses what is asked about, also where a writer words it."""
        own = self._chunker.fingerprint
        return f"{own}+{self._writer.fingerprint}" if self._writer else own

    def ask(self, texts: Sequence[str], *, nested: bool = False, every: bool = True) -> list[list[RaisedQuestion]]:
        """Return every text's questions, in its order; the same question is asked once per text and answer.

        `nested` asks about the phrases inside and around others too; without `every`, only those are asked about of
        which a plain question can be made.
        """
        keys = [(text, nested, every) for text in texts]
        new = [key for key in dict.fromkeys(keys) if key not in self._recent]
        for key, raised in zip(new, self._raise([key[0] for key in new], nested=nested, every=every), strict=True):
            self._recent[key] = raised
        found = [self._recent[key] for key in keys]
        for key in keys:
            self._recent.move_to_end(key)
        while len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        return found

    def _raise(self, texts: Sequence[str], *, nested: bool, every: bool) -> list[list[RaisedQuestion]]:
        sentences = [(i, span) for i, text in enumerate(texts) for span in _statements(text)]
        tagged = self._chunker.tag([texts[i][slice(*span)] for i, span in sentences])
        select = select_nested if nested else select_answers
        phrases = [
            (i, start, sentence, phrase)
            for (i, (start, _)), sentence in zip(sentences, tagged, strict=True)
            for phrase in select(sentence)
        ]
        worded = self._worded([(sentence, phrase) for _, _, sentence, phrase in phrases], every=every)
        found: list[dict[tuple[str, str], RaisedQuestion]] = [{} for _ in texts]
        for (i, start, sentence, phrase), wordings in zip(phrases, worded, strict=True):
            if not wordings:
                continue
            low, high = phrase.characters(sentence)
            kind = ask_for(sentence, phrase).kind
            question = Question(wordings[0], phrase.text(sentence), sentence.text, (low, high), kind)
            raised = RaisedQuestion(question, (start + low, start + high), wordings[1:])
            found[i].setdefault((question.text, question.answer), raised)
        return [list(each.values()) for each in found]

    def _worded(self, phrases: Sequence[tuple[TaggedSentence, Phrase]], *, every: bool) -> list[tuple[str, ...]]:
        if self._writer:
            return [(text,) for text in self._writer.write(phrases)]
        parsed = {id(sentence): parse(sentence) for sentence in {id(each): each for each, _ in phrases}.values()}
        knows = self._chunker.knows
        plain = [ask_in_clause(parsed[id(sentence)], phrase, knows) for sentence, phrase in phrases]
        if not every:
            return plain
        return [
            texts or _in_tuple(ask_for_gap(parsed[id(sentence)].sentence, phrase))
            for (sentence, phrase), texts in zip(phrases, plain, strict=True)
        ]


def _in_tuple(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _statements(text: str) -> list[Span]:
    """Return a text's sentences without the numbers that open a list's entries; a text that is a number stays."""
    spans = sentence_spans(text)
    opened = [(start + len(_ENTRY.match(text, start, end)[0]), end) for start, end in spans]  # type: ignore[index]
    return [span for span in opened if span[0] < span[1]] or spans
