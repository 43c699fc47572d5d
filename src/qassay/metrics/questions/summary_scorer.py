"""Scoring summaries: all questions are asked in a first pass, and the metrics then read what came of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.errors import DataError, TextTooLongError, option
from qassay.metrics.base import MeanMetric
from qassay.metrics.questions.pair_scorer import IS_ANSWERED
from qassay.metrics.questions.qa_pipeline import FEQA, NO_SUMMARY, NOTHING_TO_ASK, QAEVAL
from qassay.metrics.questions.question_log import by_example, check_same
from qassay.metrics.questions.records import SummaryRecord
from qassay.metrics.questions.verification import BERT_SCORE, METHODS, bounds, rescaled
from qassay.metrics.registry import parse_spec
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import Scorer
from qassay.spec import Declaration, MetricSpec, Param, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.metrics.questions.qa_pipeline import Interrogator
    from qassay.metrics.questions.question_log import Keeping
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.scoring.aggregation import Tally
    from qassay.scoring.scorer import OnError

AT_ONCE = 16
"""Summaries interrogated at a time."""
CHARACTERS_AT_ONCE = 400_000
"""Of their texts, unless one alone is longer."""
_VERIFY = Param(
    "verify", "lerc", "how the answers are compared", choices=("lerc", "em", "token_f1", BERT_SCORE, IS_ANSWERED)
)


class _Declared(NamedTuple):
    declaration: Declaration


DECLARATIONS = {
    QAEVAL: Declaration(
        QAEVAL,
        "share of the references' content that the summary holds, by questions: each is raised by a reference "
        "and answered on the summary",
        "Deutsch, Bedrax-Weiss and Roth (2021); verification: Deutsch and Roth (2022)",
        params=(_VERIFY,),
        needs=frozenset({"references"}),
    ),
    FEQA: Declaration(
        FEQA,
        "faithfulness of the summary to its document, by questions: each is raised by the summary and answered on "
        "the document",
        "Durmus, He and Diab (2020); verification: Deutsch and Roth (2022)",
        params=(_VERIFY,),
        needs=frozenset({"context"}),
    ),
}

_DECLARED = {name: _Declared(declaration) for name, declaration in DECLARATIONS.items()}
Key = tuple[str, str]
Place = tuple[str | None, int | None]
"""The input and the line of a summary, as far as they are known."""


def is_summary_metric(spec: str | MetricSpec) -> bool:
    """Tell the specs that ask questions from those of the catalogue."""
    return str(spec).split(",")[0].strip() in DECLARATIONS


def parse_summary_spec(spec: str | MetricSpec) -> MetricSpec:
    """Read and check a spec such as `qaeval,verify=token_f1`, or one of the catalogue's."""
    return parse(str(spec), _DECLARED) if is_summary_metric(spec) else parse_spec(spec)


@dataclass(slots=True)
class Verdicts:
    """What all questions of a run came to: for each summary and metric the verdicts, text by text that raised them."""

    found: dict[tuple[str, Key], tuple[Floats, ...]] = field(default_factory=dict)
    """(questions, 1 + methods) for each text: whether answered, then each method's score, NaN where not."""
    reasons: dict[tuple[str, Key], str] = field(default_factory=dict)
    methods: tuple[str, ...] = METHODS
    _bounds: tuple[float, float] | None = None

    def finish(self, record: SummaryRecord) -> SummaryRecord:
        """Return a record with its verdicts as they count: BERTScores rescaled over the run."""
        if BERT_SCORE not in self.methods:
            return record
        for source in record.sources:
            for question in source.questions:
                if BERT_SCORE in question.verdicts:
                    raw = np.array([question.verdicts[BERT_SCORE]])
                    question.verdicts[BERT_SCORE] = float(rescaled(raw, *self.bert_score_bounds())[0])
        return record

    def add(self, record: SummaryRecord) -> None:
        """Take in what was asked about a summary."""
        place = (record.metric, (record.system, record.id))
        if record.unscored:
            self.reasons[place] = record.unscored
        self.found[place] = tuple(
            np.array(
                [[each.answered, *(each.verdicts.get(method, np.nan) for method in self.methods)] for each in asked]
            )
            for source in record.sources
            if (asked := source.questions)
        )
        self._bounds = None

    def bert_score_bounds(self) -> tuple[float, float]:
        """Return the run's BERTScores that count as 0 and as 1."""
        if self._bounds is None:
            column = 1 + self.methods.index(BERT_SCORE)
            scores = [text[:, column] for texts in self.found.values() for text in texts]
            self._bounds = bounds(np.concatenate([np.empty(0), *scores]))
        return self._bounds

    def value(self, metric: str, key: Key, method: str) -> float:
        """Return a summary's score: the mean over the questions of each text that raised any, then over those texts.

        A question without an answer counts as 0. NaN where nothing was asked.
        """
        texts = self.found.get((metric, key), ())
        if not texts:
            return float("nan")
        return float(np.mean([self._verdicts(text, method).mean() for text in texts]))

    def _verdicts(self, text: Floats, method: str) -> Floats:
        if method == IS_ANSWERED:
            return text[:, 0]
        scores = text[:, 1 + self.methods.index(method)]
        if method == BERT_SCORE:
            scores = rescaled(scores, *self.bert_score_bounds())
        return np.where(text[:, 0] > 0, scores, 0.0)


def _nowhere(_: Example) -> Place:
    return None, None


class QuestionMetric(MeanMetric):
    """QAEval or FEQA with one method of verification, read off the verdicts of the run."""

    precedence = 2

    def __init__(self, spec: MetricSpec, verdicts: Verdicts, identity: Callable[[], Mapping[str, str]]) -> None:
        super().__init__(spec, DECLARATIONS[spec.name])
        self._verdicts = verdicts
        self._identity = identity

    def identity(self, resources: Resources) -> dict[str, str]:  # noqa: ARG002 - the run's models are the questions'
        """Return the models' fingerprints."""
        return dict(self._identity())

    @property
    def needed_fields(self) -> frozenset[str]:
        """Nothing when it scores: what a summary lacks was noticed when it was to be questioned."""
        return frozenset()

    @property
    def method(self) -> str:
        """How the answers are compared."""
        return self.text("verify")

    def values(self, batch: Batch) -> Floats:
        """Look up each summary's score."""
        keys = [(example.system, example.id) for example in batch.examples]
        return np.array([self._verdicts.value(self.spec.name, key, self.method) for key in keys])

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Return why a summary has no score."""
        places = [(self.spec.name, (example.system, example.id)) for example in batch.examples]
        reasons = self._verdicts.reasons
        return {i: reasons[place] for i, place in enumerate(places) if place in reasons}


class QAEval(QuestionMetric):
    """Mean verification over the questions that a reference raises, answered on the summary; then over the references.

    A question that the summary does not answer counts as 0; a reference that raises none is left out.
    """


class Feqa(QuestionMetric):
    """Mean verification over the questions that the summary raises, answered on the document.

    A question that the document does not answer counts as 0; a summary that raises none is unscored.
    """


QUESTION_METRICS: dict[str, type[QuestionMetric]] = {QAEVAL: QAEval, FEQA: Feqa}


class SummaryScorer(Scorer):
    """QAEval and FEQA beside any metrics of the catalogue; every variant in one pass over the questions.

    `open_interrogator` is told by which methods answers are to be compared, and called when the first question is to
    be asked. `kept` holds what was asked, and what an earlier run had asked already.
    """

    prelude = "asking"

    def __init__(
        self,
        specs: Iterable[str | MetricSpec],
        open_interrogator: Callable[[Sequence[str]], Interrogator],
        *,
        language: str = "auto",
        model: str = EMBEDDED,
        device: Device = "auto",
        on_error: OnError = "stop",
    ) -> None:
        wanted = list(dict.fromkeys(parse_summary_spec(spec) for spec in specs))
        others = [spec for spec in wanted if not is_summary_metric(spec)]
        super().__init__(others, language=language, model=model, device=device, on_error=on_error)
        asking = [spec for spec in wanted if is_summary_metric(spec)]
        methods = tuple(dict.fromkeys(map(_method, asking)))
        self.verdicts = Verdicts(methods=tuple(method for method in methods if method != IS_ANSWERED))
        self.kept: Keeping | None = None
        self._open = open_interrogator
        asked = [
            QUESTION_METRICS[spec.name](spec, self.verdicts, partial(self._identity, _method(spec))) for spec in asking
        ]
        made = dict(zip(others, self.metrics, strict=True)) | dict(zip(asking, asked, strict=True))
        self.metrics = [made[spec] for spec in wanted]
        self._questions = tuple(dict.fromkeys(spec.name for spec in asking))

    @cached_property
    def interrogator(self) -> Interrogator:
        """The models that ask, answer and verify."""
        return self._open(self.verdicts.methods)

    def _identity(self, method: str) -> Mapping[str, str]:
        return self.interrogator.identity(method)

    @property
    def choices(self) -> str:
        """Add the models that ask and answer."""
        if not self._questions:
            return super().choices
        return f"{super().choices} questions={self.interrogator.fingerprint}"

    @property
    def counts_first(self) -> bool:
        """The questions are asked before the first score."""
        return True

    def check(self, examples: Iterable[Example], place_of: Callable[[Example], Place] = _nowhere) -> None:
        """Make sure that every summary has what the metrics need and is in a language that the models read.

        With `on_error="skip"` all may pass: a summary goes without the scores that it cannot have.
        """
        for example in examples if self.on_error == "stop" else ():
            if problem := self._problem(example):
                raise DataError(problem, *place_of(example))

    @property
    def left_out(self) -> dict[Key, str]:
        """The summaries of which nothing could be asked because they, or texts beside them, could not be read."""
        reasons = {key: reason for (_, key), reason in self.verdicts.reasons.items()}
        return {key: reason for key, reason in reasons.items() if reason not in {NO_SUMMARY, NOTHING_TO_ASK}}

    def count(self, examples: Iterable[Example]) -> None:
        """Ask all questions; count what other metrics need on the way."""
        stream = self._asked(examples)
        super().count(stream)
        deque(stream, maxlen=0)

    def tally(self) -> Tally:
        """Begin totals, with what there is to note of the questions."""
        tally = super().tally()
        if self._questions:
            tally.notes.update(self.interrogator.notes)
        return tally

    def _problem(self, example: Example) -> str | None:
        """Return what is wrong with a summary, and what to do; None where nothing is."""
        for metric in self.metrics:
            asks = isinstance(metric, QuestionMetric)
            for need in sorted(metric.declaration.needs if asks else metric.needed_fields | {"references"}):
                if not getattr(example, need):
                    return (
                        f'{metric.spec} needs "{_named(need)}", and {_shown(example)} has none; '
                        f"give it, leave this metric out, or {option('on_error', 'skip')}"
                    )
            reason = self.interrogator.unreadable(example, metric.spec.name) if asks else None
            if reason:
                return (
                    f"{_shown(example)} cannot be questioned: {reason}; name models that read it with "
                    f"{option('chunker')} and {option('reader')}, leave it out, or {option('on_error', 'skip')}"
                )
        return None

    def _check_fields(self, examples: Sequence[Example]) -> None:
        self.check(examples)

    def _asked(self, examples: Iterable[Example]) -> Iterator[Example]:
        known = self.kept.known() if self.kept else iter(())
        for chunk in _chunks(examples):
            self._check_fields(chunk)
            new = []
            for example in chunk:
                if (kept := next(known, None)) is None:
                    new.append(example)
                    continue
                check_same(example, kept)
                for record in kept.records:
                    self.verdicts.add(record)
            if new and self._questions:
                self._ask(new)
            yield from chunk

    def _ask(self, examples: Sequence[Example]) -> None:
        try:
            records = self.interrogator.interrogate(examples, self._questions)
        except TextTooLongError as problem:
            if len(examples) > 1:
                for example in examples:
                    self._ask([example])
                return
            records = self._too_long(examples[0], problem)
        for record in records:
            self.verdicts.add(record)
        if self.kept:
            self.kept.add(examples, by_example(examples, records))

    def _too_long(self, example: Example, problem: TextTooLongError) -> list[SummaryRecord]:
        if self.on_error == "stop":
            raise DataError(f"{_shown(example)}: {problem.message}, or {option('on_error', 'skip')}") from problem
        reason = f"longer than {problem.most:,} word pieces, more than a model can hold in memory"
        return [SummaryRecord(example.id, example.system, metric, [], reason) for metric in self._questions]


def default_summary_metrics(first: Example) -> tuple[str, ...]:
    """Choose the metrics where none is named: QAEval if there are references, FEQA if there is a document."""
    return tuple(name for name, held in ((QAEVAL, first.references), (FEQA, first.context)) if held)


def _chunks(examples: Iterable[Example]) -> Iterator[list[Example]]:
    """Cut a stream into few enough summaries, and few enough long texts, to be asked about at once."""
    chunk: list[Example] = []
    size = 0
    for example in examples:
        length = sum(map(len, (example.candidate or "", example.context or "")))
        length += sum(len(reference.text) for reference in example.references)
        if chunk and (len(chunk) == AT_ONCE or size + length > CHARACTERS_AT_ONCE):
            yield chunk
            chunk, size = [], 0
        chunk.append(example)
        size += length
    if chunk:
        yield chunk


def _shown(example: Example) -> str:
    of = f' of system "{example.system}"' if example.system else ""
    return f'the summary with id "{example.id}"{of}'


def _named(field_name: str) -> str:
    """Name a field as the input of summaries does."""
    return "document" if field_name == "context" else field_name


def _method(spec: MetricSpec) -> str:
    return str(spec.resolve(DECLARATIONS[spec.name])["verify"])
