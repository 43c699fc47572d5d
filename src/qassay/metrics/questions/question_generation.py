"""From a text to the questions that it raises."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qassay.metrics.questions.phrase_selection import select_answers
from qassay.metrics.questions.question_templates import generate
from qassay.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.phrase_selection import Phrase
    from qassay.metrics.questions.question_templates import Question
    from qassay.models.syntax import Chunker, TaggedSentence
    from qassay.text.sentences import Span

_ENTRY = re.compile(r"(?:[-*\u2022]\s+)?(?:\(?\d{1,3}[.)](?:\s+|$))?", re.ASCII)
"""What may open an entry of a list: "4. Freedom of assembly", "- (2) Pears"."""
_KEPT = 20_000
"""How many texts' questions are kept, so that a reference raises them once for all systems."""


@dataclass(frozen=True, slots=True)
class RaisedQuestion:
    """A question with the span of its answer in the text that raised it."""

    question: Question
    span: Span


class QuestionWriter(Protocol):
    """Writes questions with a model of its own, one for each answer phrase."""

    @property
    def fingerprint(self) -> str:
        """What identifies the model."""

    def write(self, phrases: Sequence[tuple[TaggedSentence, Phrase]]) -> list[str]:
        """Return a question for each phrase of a sentence."""


class Questioner:
    """Raises questions about texts: one for each noun phrase and name of each sentence."""

    def __init__(self, chunker: Chunker, writer: QuestionWriter | None = None) -> None:
        self._chunker = chunker
        self._writer = writer
        self._recent: OrderedDict[str, list[RaisedQuestion]] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """What identifies the models: the chunker chooses what is asked about, also where a writer words it."""
        own = self._chunker.fingerprint
        return f"{own}+{self._writer.fingerprint}" if self._writer else own

    def ask(self, texts: Sequence[str]) -> list[list[RaisedQuestion]]:
        """Return every text's questions, in its order; the same question is asked once per text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._recent]
        for text, raised in zip(new, self._raise(new), strict=True):
            self._recent[text] = raised
        found = [self._recent[text] for text in texts]
        for text in texts:
            self._recent.move_to_end(text)
        while len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        return found

    def _raise(self, texts: Sequence[str]) -> list[list[RaisedQuestion]]:
        sentences = [(i, span) for i, text in enumerate(texts) for span in _statements(text)]
        tagged = self._chunker.tag([texts[i][slice(*span)] for i, span in sentences])
        phrases = [
            (i, start, sentence, phrase)
            for (i, (start, _)), sentence in zip(sentences, tagged, strict=True)
            for phrase in select_answers(sentence)
        ]
        questions = [generate(sentence, phrase, self._chunker.knows) for _, _, sentence, phrase in phrases]
        if self._writer:
            written = self._writer.write([(sentence, phrase) for _, _, sentence, phrase in phrases])
            questions = [question.worded(text) for question, text in zip(questions, written, strict=True)]
        found: list[dict[tuple[str, str], RaisedQuestion]] = [{} for _ in texts]
        for (i, start, _, _), question in zip(phrases, questions, strict=True):
            low, high = question.answer_span
            found[i].setdefault((question.text, question.answer), RaisedQuestion(question, (start + low, start + high)))
        return [list(each.values()) for each in found]


def _statements(text: str) -> list[Span]:
    """Return a text's sentences without the numbers that open a list's entries; a text that is a number stays."""
    spans = sentence_spans(text)
    opened = [(start + len(_ENTRY.match(text, start, end)[0]), end) for start, end in spans]  # type: ignore[index]
    return [span for span in opened if span[0] < span[1]] or spans
