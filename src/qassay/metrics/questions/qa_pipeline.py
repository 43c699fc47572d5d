"""QAEval and FEQA: a text raises questions, another answers them, and the answers are compared.

QAEval (Deutsch et al. 2021) asks what a reference summary holds and reads the candidate summary; FEQA (Durmus et al.
2020) asks what the candidate holds and reads the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.metrics.questions.records import AskedQuestion, SourceRecord, SummaryRecord
from qassay.metrics.questions.verification import Pair
from qassay.models.base import is_foreign, language_notes
from qassay.text.language import script

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    from qassay.metrics.questions.question_generation import Questioner, Raised
    from qassay.metrics.questions.verification import Verifier
    from qassay.models.onnx.reader import Answer, Answerer
    from qassay.records import Example

QAEVAL, FEQA = "qaeval", "feqa"
NO_SUMMARY = "no summary"
NOTHING_TO_ASK = "no noun phrase to ask about"
_LOOKED_AT = 10_000
"""Characters of a document that tell its language."""
_LANGUAGES = {"han": "Chinese", "kana": "Japanese", "hangul": "Korean", "other": "another script than Latin"}


class Task(NamedTuple):
    """A text that raises questions and the one that is to answer them."""

    example: int
    metric: str
    source: str
    raises: str
    answers: str


class Interrogator:
    """Asks, answers and verifies for many summaries at a time."""

    def __init__(self, questioner: Questioner, answerer: Answerer, verifier: Verifier, *, english: bool = True) -> None:
        self._questioner = questioner
        self._answerer = answerer
        self._verifier = verifier
        self._english = english
        """Whether the models read English alone."""
        self._unread: set[str] = set()
        """Texts so far that such models hardly read."""

    @property
    def fingerprint(self) -> str:
        """What identifies the models that ask and answer."""
        return f"{self._questioner.fingerprint}+{self._answerer.fingerprint}"

    def identity(self, method: str) -> dict[str, str]:
        """Return what scores depend on besides the texts: the models that ask, answer and verify."""
        verifying = {f"verify.{key}": value for key, value in self._verifier.identity.get(method, {}).items()}
        return {"asks": self._questioner.fingerprint, "answers": self._answerer.fingerprint, **verifying}

    @property
    def notes(self) -> Counter[str]:
        """What there is to say of the texts that were read."""
        return (self._answerer.notes + self._verifier.notes) | language_notes(self._unread)

    def interrogate(self, examples: Sequence[Example], metrics: Iterable[str]) -> list[SummaryRecord]:
        """Return one record for each example and metric, example by example; what cannot be read has the reason.

        The same question on the same text is answered once, whichever summaries ask it.
        """
        wanted = tuple(metrics)
        tasks = [task for i, example in enumerate(examples) for task in self._tasks(i, example, wanted)]
        if self._english:
            texts = {text[:_LOOKED_AT] for task in tasks for text in (task.raises, task.answers)}
            self._unread |= {text for text in texts - self._unread if language_notes([text])}
        raised = self._questioner.ask([task.raises for task in tasks])
        asked = [(task, each) for task, questions in zip(tasks, raised, strict=True) for each in questions]
        answers = self._answerer.answer([(each.question.text, task.answers) for task, each in asked])
        verdicts = self._verdicts(asked, answers)
        records: dict[tuple[int, str, str], list[AskedQuestion]] = {}
        for (task, each), answer, verdict in zip(asked, answers, verdicts, strict=True):
            found = records.setdefault((task.example, task.metric, task.source), [])
            found.append(self._question(each, answer, verdict))
        return [
            self._record(
                example, metric, [task for task in tasks if task.example == i and task.metric == metric], records
            )
            for i, example in enumerate(examples)
            for metric in wanted
        ]

    def _tasks(self, i: int, example: Example, metrics: Iterable[str]) -> Iterable[Task]:
        summary = example.candidate
        if summary is None:
            return
        for metric in metrics:
            if self.unreadable(example, metric):
                continue
            if metric == QAEVAL:
                for number, reference in enumerate(example.references, 1):
                    yield Task(i, metric, f"reference {number}", reference.text, summary)
            else:
                yield Task(i, metric, "summary", summary, example.context or "")

    def unreadable(self, example: Example, metric: str) -> str | None:
        """Return why a metric cannot read a summary or what it is held against; None where it can."""
        if metric == QAEVAL:
            beside = [("a reference", reference.text) for reference in example.references]
        else:
            beside = [("the document", (example.context or "")[:_LOOKED_AT])]
        if not any(text for _, text in beside):
            return "no references" if metric == QAEVAL else "no document"
        for name, text in (("the summary", example.candidate or ""), *beside):
            if self._english and is_foreign(text):
                return f"{name} is in {_LANGUAGES[script(text)]}, and the embedded chunker and reader are English"
        return None

    def _verdicts(self, asked: Sequence[tuple[Task, Raised]], answers: Sequence[Answer]) -> list[dict[str, float]]:
        rows = [i for i, answer in enumerate(answers) if self._is_answered(answer)]
        pairs = [
            Pair(
                asked[i][1].question.text,
                asked[i][1].question.answer,
                answers[i].text,
                asked[i][0].raises,
                asked[i][0].answers,
                asked[i][1].span,
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

    def _question(self, each: Raised, answer: Answer, verdicts: dict[str, float]) -> AskedQuestion:
        return AskedQuestion(
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
        metric: str,
        tasks: Sequence[Task],
        found: dict[tuple[int, str, str], list[AskedQuestion]],
    ) -> SummaryRecord:
        sources = [SourceRecord(task.source, found.get((task.example, metric, task.source), [])) for task in tasks]
        reason = None
        if example.candidate is None:
            reason = NO_SUMMARY
        elif not any(source.questions for source in sources):
            reason = self.unreadable(example, metric) or NOTHING_TO_ASK
        return SummaryRecord(example.id, example.system, metric, sources, reason)
