"""Question answering for metrics: a text raises questions, another answers them, and the answers are compared."""

from __future__ import annotations

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


class Inquiry(Protocol):
    """What a metric asks about an example."""

    @property
    def name(self) -> str:
        """The metric's."""

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


def unreadable(example: Example, inquiry: Inquiry, *, english: bool) -> str | None:
    """Return why a metric cannot read a summary or a text that it is compared with; None if it can."""
    beside = [(name, text[:_LOOKED_AT]) for name, text in inquiry.beside(example)]
    if not any(text for _, text in beside):
        return inquiry.nothing_beside
    for name, text in (("the summary", example.candidate or ""), *beside):
        if english and is_foreign(text):
            return f"{name} is in {_LANGUAGES[script(text)]}, and the embedded chunker and reader are English"
    return None


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
            _Task(i, inquiry.name, source)
            for i, example in enumerate(examples)
            for inquiry in inquiries
            if example.candidate is not None and not unreadable(example, inquiry, english=self._english)
            for source in inquiry.sources(example)
        ]
        if self._english:
            texts = {text[:_LOOKED_AT] for task in tasks for text in (task.source.raises, task.source.answers)}
            self._unread |= {text for text in texts - self._unread if language_notes([text])}
        raised = self._questioner.ask([task.source.raises for task in tasks])
        questions = [(task, each) for task, found in zip(tasks, raised, strict=True) for each in found]
        answers = self._answerer.answer([(each.question.text, task.source.answers) for task, each in questions])
        verdicts = self._verdicts(questions, answers)
        records: dict[tuple[int, str, str], list[QuestionRecord]] = {}
        for (task, each), answer, verdict in zip(questions, answers, verdicts, strict=True):
            found = records.setdefault((task.example, task.metric, task.source.name), [])
            found.append(self._question(each, answer, verdict))
        of_metric: dict[tuple[int, str], list[_Task]] = {}
        for task in tasks:
            of_metric.setdefault((task.example, task.metric), []).append(task)
        return [
            [self._record(example, inquiry, of_metric.get((i, inquiry.name), []), records) for inquiry in inquiries]
            for i, example in enumerate(examples)
        ]

    def _verdicts(
        self, questions: Sequence[tuple[_Task, RaisedQuestion]], answers: Sequence[Answer]
    ) -> list[dict[str, float]]:
        rows = [i for i, answer in enumerate(answers) if self._is_answered(answer)]
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

    def _is_answered(self, answer: Answer) -> bool:
        return bool(answer.text) and answer.none < self._answerer.threshold

    def _question(self, each: RaisedQuestion, answer: Answer, verdicts: dict[str, float]) -> QuestionRecord:
        return QuestionRecord(
            question=each.question.text,
            kind=each.question.kind,
            sentence=each.question.sentence,
            answer=each.question.answer,
            answer_span=each.span,
            prediction=answer.text,
            prediction_span=(answer.start, answer.end),
            none=round(answer.none, 6),
            answered=self._is_answered(answer),
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
        return SummaryRecord(example.id, example.system, inquiry.name, sources, reason)
