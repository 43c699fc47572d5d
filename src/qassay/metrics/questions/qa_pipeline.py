"""Question answering for metrics: a text raises questions, another answers them, and the answers are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from qassay.metrics.questions.question_records import QuestionRecord, SourceRecord, SummaryRecord
from qassay.metrics.questions.verification import Pair
from qassay.models.base import is_foreign, language_notes
from qassay.text.language import script

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from qassay.metrics.questions.question_generation import Questioner, RaisedQuestion
    from qassay.metrics.questions.verification import Verifier
    from qassay.models.onnx.reader import Answer, Answerer
    from qassay.records import Example
    from qassay.text.sentences import Span

NO_SUMMARY = "no summary"
NOTHING_TO_ASK = "no noun phrase to ask about"
_LOOKED_AT = 10_000
"""How many characters of a document are read to find its language."""
_LANGUAGES = {"han": "Chinese", "kana": "Japanese", "hangul": "Korean", "other": "another script than Latin"}


class QuestionSource(NamedTuple):
    """A text that raises questions and the text that should answer them."""

    name: str
    raises: str
    answers: str


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """How questions are chosen, worded and answered."""

    every: bool = True
    """Whether phrases of which no plain question can be made are asked about too, by a gap in their sentence."""
    nested: bool = False
    """Whether phrases inside and around others are asked about too."""
    wordings: int = 1
    """In how many wordings a question is asked; the answer most agreed on counts."""
    roundtrip: bool = False
    """Whether questions are left out that the reader cannot answer from their own sentence."""
    abstain: bool = True
    """Whether the reader may leave a question unanswered."""


class Inquiry(Protocol):
    """What a metric asks about an example."""

    @property
    def label(self) -> str:
        """The metric's name with what its questions depend on."""

    @property
    def options(self) -> QuestionOptions:
        """How questions are chosen, worded and answered."""

    @property
    def nothing_beside(self) -> str:
        """Why there is no score where there is nothing to compare the candidate with."""

    def sources(self, example: Example) -> list[QuestionSource]:
        """Return the texts that raise questions, each with the one that answers them."""

    def beside(self, example: Example) -> list[tuple[str, str]]:
        """Return the texts that the candidate is compared with, each with its name."""


class _Task(NamedTuple):
    example: int
    metric: str
    source: QuestionSource
    options: QuestionOptions


def unreadable(example: Example, inquiry: Inquiry, *, english: bool) -> str | None:
    """Return why a metric cannot read a summary or a text that it is compared with; None if it can."""
    beside = [(name, text[:_LOOKED_AT]) for name, text in inquiry.beside(example)]
    if not any(text for _, text in beside):
        return inquiry.nothing_beside
    for name, text in (("the summary", example.candidate or ""), *beside):
        if english and is_foreign(text):
            return f"{name} is in {_LANGUAGES[script(text)]}, and the embedded chunker and reader are English"
    return None


def answers_with(answer: Answer, span: Span) -> bool:
    """Whether an answer and a span of the same text have a part in common."""
    return bool(answer.text) and answer.start < span[1] and span[0] < answer.end


def most_agreed(answers: Sequence[Answer]) -> Answer:
    """Return the answer that shares most with the others, likely ones counting more; probabilities are their mean.

    Of answers that agree equally, the likeliest is returned.
    """
    if len(answers) == 1:
        return answers[0]
    support = [sum(_shared(each, other) * (1 - other.none) for other in answers) for each in answers]
    best = max(range(len(answers)), key=lambda i: (support[i], -answers[i].none))
    return answers[best]._replace(none=sum(each.none for each in answers) / len(answers))


def _shared(a: Answer, b: Answer) -> float:
    """Return the F1 of two answers' characters in the text that both were found in."""
    both = max(0, min(a.end, b.end) - max(a.start, b.start))
    length = a.end - a.start + b.end - b.start
    return 2 * both / length if length else 0.0


class QAPipeline:
    """Asks, answers and verifies for many summaries at a time."""

    def __init__(self, questioner: Questioner, answerer: Answerer, verifier: Verifier, *, english: bool = True) -> None:
        self._questioner = questioner
        self._answerer = answerer
        self._verifier = verifier
        self._english = english
        """Whether the models read English only."""
        self._unread: set[str] = set()
        """Texts so far that such models can hardly read."""

    @property
    def fingerprint(self) -> str:
        """What identifies the models that ask and answer."""
        return f"{self._questioner.fingerprint}+{self._answerer.fingerprint}"

    def identity(self, method: str) -> dict[str, str]:
        """Return what scores depend on besides the texts: the models that ask, answer and verify."""
        verifying = {f"verify.{key}": value for key, value in self._verifier.identity(method).items()}
        return {"asks": self._questioner.fingerprint, "answers": self._answerer.fingerprint, **verifying}

    @property
    def notes(self) -> Counter[str]:
        """Notes on the texts that were read."""
        return (self._answerer.notes + self._verifier.notes) | language_notes(self._unread)

    def ask(self, examples: Sequence[Example], inquiries: Sequence[Inquiry]) -> list[list[SummaryRecord]]:
        """Return each example's records, one per inquiry; what cannot be read has the reason.

        The same question on the same text is answered once, whichever summaries ask it.
        """
        tasks = [
            _Task(i, inquiry.label, source, inquiry.options)
            for i, example in enumerate(examples)
            for inquiry in inquiries
            if example.candidate is not None and not unreadable(example, inquiry, english=self._english)
            for source in inquiry.sources(example)
        ]
        if self._english:
            texts = {text[:_LOOKED_AT] for task in tasks for text in (task.source.raises, task.source.answers)}
            self._unread |= {text for text in texts - self._unread if language_notes([text])}
        questions = self._answerable(self._raised(tasks))
        answers = self._answers(questions)
        verdicts = self._verdicts(questions, answers)
        records: dict[tuple[int, str, str], list[QuestionRecord]] = {}
        for (task, each), answer, verdict in zip(questions, answers, verdicts, strict=True):
            found = records.setdefault((task.example, task.metric, task.source.name), [])
            found.append(self._question(task, each, answer, verdict))
        of_metric: dict[tuple[int, str], list[_Task]] = {}
        for task in tasks:
            of_metric.setdefault((task.example, task.metric), []).append(task)
        return [
            [self._record(example, inquiry, of_metric.get((i, inquiry.label), []), records) for inquiry in inquiries]
            for i, example in enumerate(examples)
        ]

    def _raised(self, tasks: Sequence[_Task]) -> list[tuple[_Task, RaisedQuestion]]:
        """Return the questions of each task, in order."""
        found: dict[tuple[bool, bool, str], list[RaisedQuestion]] = {}
        for every, nested in dict.fromkeys((task.options.every, task.options.nested) for task in tasks):
            texts = [t.source.raises for t in tasks if (t.options.every, t.options.nested) == (every, nested)]
            raised = self._questioner.ask(texts, nested=nested, every=every)
            found |= {(every, nested, text): each for text, each in zip(texts, raised, strict=True)}
        return [
            (task, each)
            for task in tasks
            for each in found[task.options.every, task.options.nested, task.source.raises]
        ]

    def _answerable(self, questions: list[tuple[_Task, RaisedQuestion]]) -> list[tuple[_Task, RaisedQuestion]]:
        """Leave out the questions that are to be answered from their own sentence and are not."""
        checked = [each.question for task, each in questions if task.options.roundtrip]
        pairs = [(question.text, question.sentence) for question in checked]
        if not pairs:
            return questions
        answers = self._answerer.answer(pairs)
        kept = {
            (question.text, question.sentence, question.answer)
            for question, answer in zip(checked, answers, strict=True)
            if answers_with(answer, question.answer_span)
        }
        return [
            (task, each)
            for task, each in questions
            if not task.options.roundtrip or (each.question.text, each.question.sentence, each.question.answer) in kept
        ]

    def _answers(self, questions: Sequence[tuple[_Task, RaisedQuestion]]) -> list[Answer]:
        """Answer each question, in one wording or several."""
        wordings = [(each.question.text, *each.wordings)[: task.options.wordings] for task, each in questions]
        pairs = [
            (text, task.source.answers) for (task, _), texts in zip(questions, wordings, strict=True) for text in texts
        ]
        answers = iter(self._answerer.answer(pairs))
        return [most_agreed([next(answers) for _ in texts]) for texts in wordings]

    def _verdicts(
        self, questions: Sequence[tuple[_Task, RaisedQuestion]], answers: Sequence[Answer]
    ) -> list[dict[str, float]]:
        rows = [i for i, answer in enumerate(answers) if self._is_answered(questions[i][0], answer)]
        pairs = [
            Pair(
                questions[i][1].question.text,
                questions[i][1].question.answer,
                answers[i].text,
                questions[i][0].source.raises,
                questions[i][0].source.answers,
                questions[i][1].span,
                (answers[i].start, answers[i].end),
            )
            for i in rows
        ]
        scores = self._verifier.verify(pairs)
        found: list[dict[str, float]] = [{} for _ in answers]
        for position, i in enumerate(rows):
            found[i] = {method: float(values[position]) for method, values in scores.items()}
        return found

    def _is_answered(self, task: _Task, answer: Answer) -> bool:
        return bool(answer.text) and (not task.options.abstain or answer.none < self._answerer.threshold)

    def _question(
        self, task: _Task, each: RaisedQuestion, answer: Answer, verdicts: dict[str, float]
    ) -> QuestionRecord:
        return QuestionRecord(
            question=each.question.text,
            kind=each.question.kind,
            sentence=each.question.sentence,
            answer=each.question.answer,
            answer_span=each.span,
            prediction=answer.text,
            prediction_span=(answer.start, answer.end),
            none=round(answer.none, 6),
            answered=self._is_answered(task, answer),
            verdicts=verdicts,
        )

    def _record(
        self,
        example: Example,
        inquiry: Inquiry,
        tasks: Sequence[_Task],
        found: dict[tuple[int, str, str], list[QuestionRecord]],
    ) -> SummaryRecord:
        sources = [
            SourceRecord(task.source.name, found.get((task.example, task.metric, task.source.name), []))
            for task in tasks
        ]
        reason = None
        if example.candidate is None:
            reason = NO_SUMMARY
        elif not any(source.questions for source in sources):
            reason = unreadable(example, inquiry, english=self._english) or NOTHING_TO_ASK
        return SummaryRecord(example.id, example.system, inquiry.label, sources, reason)
