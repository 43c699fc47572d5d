"""The first pass of metrics that ask: all questions of a run, their answers, and how these compare."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from qassay.features.first_pass import each_readable
from qassay.io.atomic_output import replacing
from qassay.metrics.embedding.score_range import bounds, rescaled
from qassay.metrics.questions.open_pipeline import open_pipeline
from qassay.metrics.questions.qa_pipeline import NO_SUMMARY, NOTHING_TO_ASK
from qassay.metrics.questions.question_records import SummaryRecord
from qassay.metrics.questions.verification import BERT_SCORE, IS_ANSWERED, METHODS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Floats
    from qassay.errors import TextTooLongError
    from qassay.features.first_pass import FirstPass, PassContext
    from qassay.features.resources import Resources
    from qassay.metrics.questions.qa_pipeline import Inquiry, QAPipeline
    from qassay.models.question_model_names import Models
    from qassay.records import Example

AT_ONCE = 16
"""Summaries asked about at a time."""
CHARACTERS_AT_ONCE = 400_000
"""Of their texts, unless one alone is longer."""
_RECORDS = msgspec.json.Decoder(list[SummaryRecord])


def decode_records(found: bytes) -> list[SummaryRecord]:
    """Decode a log's record of one summary."""
    return _RECORDS.decode(found)


def example_key(example: Example) -> bytes:
    """Return a hash of a summary's texts; summaries with the same texts have the same verdicts."""
    texts = (example.candidate, [each.text for each in example.references], example.context)
    return blake2b(repr(texts).encode(errors="surrogatepass"), digest_size=16).digest()


@dataclass(slots=True)
class Verdicts:
    """The verdicts on all questions of a run, by summary, metric and the text that raised them."""

    methods: tuple[str, ...] = tuple(METHODS)
    identity: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By method, the models that asked, answered and verified."""
    found: dict[tuple[str, bytes], tuple[Floats, ...]] = field(default_factory=dict)
    """(questions, 1 + methods) for each text: whether answered, then each method's score, NaN where not."""
    reasons: dict[tuple[str, bytes], str] = field(default_factory=dict)
    left_out: dict[tuple[str, str], str] = field(default_factory=dict)
    """By system and id, why nothing could be asked about a summary: one of its texts could not be read."""
    bert_scores: list[Floats] = field(default_factory=list)
    """Of all questions, before rescaling."""
    _bounds: tuple[float, float] | None = None

    def add(self, key: bytes, record: SummaryRecord) -> None:
        """Add the record of a summary."""
        place = (record.metric, key)
        if record.unscored:
            self.reasons[place] = record.unscored
            if record.unscored not in {NO_SUMMARY, NOTHING_TO_ASK}:
                self.left_out[record.system, record.id] = record.unscored
        self.found[place] = tuple(
            np.array(
                [[each.answered, *(each.verdicts.get(method, np.nan) for method in self.methods)] for each in questions]
            )
            for source in record.sources
            if (questions := source.questions)
        )
        if BERT_SCORE in self.methods:
            column = 1 + self.methods.index(BERT_SCORE)
            self.bert_scores += [text[:, column] for text in self.found[place]]
        self._bounds = None

    def joined(self, other: Verdicts) -> Verdicts:
        """Return these verdicts together with others; the range of BERTScores stays that of these."""
        return replace(self, found={**other.found, **self.found}, reasons={**other.reasons, **self.reasons})

    def rescale(self, record: SummaryRecord) -> SummaryRecord:
        """Return a record with its verdicts as they count: BERTScores rescaled over the run."""
        for source in record.sources:
            for question in source.questions:
                if BERT_SCORE in question.verdicts:
                    raw = np.array([question.verdicts[BERT_SCORE]])
                    question.verdicts[BERT_SCORE] = float(rescaled(raw, *self.bert_score_bounds())[0])
        return record

    def bert_score_bounds(self) -> tuple[float, float]:
        """Return the run's BERTScores that count as 0 and as 1."""
        if self._bounds is None:
            self._bounds = bounds(np.concatenate([np.empty(0), *self.bert_scores]))
        return self._bounds

    def value(self, metric: str, key: bytes, method: str) -> float:
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


def run_verdicts(resources: Resources) -> Verdicts:
    """Return the verdicts on a run's questions; empty where none were asked."""
    return next((each for each in resources.first_pass.values() if isinstance(each, Verdicts)), Verdicts(()))


def write_questions(path: Path, records: Iterable[bytes], verdicts: Verdicts) -> None:
    """Write every record of a log as a JSON line, with its verdicts as they count."""
    encode = msgspec.json.Encoder().encode
    with replacing(path) as partial, partial.open("wb") as file:
        for found in records:
            file.writelines(encode(verdicts.rescale(record)) + b"\n" for record in decode_records(found))


@dataclass(frozen=True)
class QuestionPass:
    """The first pass that asks all questions of a run, once for every metric and every method of verification."""

    models: Models
    inquiries: Mapping[str, Inquiry] = field(compare=False)
    """By metric."""
    methods: tuple[str, ...] = field(compare=False)
    label: ClassVar[str] = "asking questions"
    at_once: ClassVar[int] = AT_ONCE
    logged: ClassVar[bool] = True

    @property
    def key(self) -> Models:
        """Metrics that ask with the same models share their questions."""
        return self.models

    def joined(self, other: FirstPass[Any]) -> QuestionPass:
        """Return the pass that asks for both."""
        if not isinstance(other, QuestionPass):
            raise TypeError(f"{other} asks no questions")
        methods = tuple(dict.fromkeys((*self.methods, *other.methods)))
        return QuestionPass(self.models, {**self.inquiries, **other.inquiries}, methods)

    def identity(self, resources: Resources) -> str:  # noqa: ARG002 - the models are named here
        """Return the fingerprint of the models that ask and answer."""
        return f"questions={self.pipeline.fingerprint}"

    def begin(self, resources: Resources, tools: PassContext) -> QuestionCollector:  # noqa: ARG002 - as above
        """Start asking; what a log knows from an earlier run is not asked again."""
        return QuestionCollector(self, tools)

    @cached_property
    def pipeline(self) -> QAPipeline:
        """The models, opened when they are first needed."""
        return open_pipeline(self.models, self.methods)


class QuestionCollector:
    """Asks about summary after summary."""

    def __init__(self, need: QuestionPass, tools: PassContext) -> None:
        self._need = need
        self._tools = tools
        self._pipeline = need.pipeline
        methods = (*need.methods, IS_ANSWERED)
        self._verdicts = Verdicts(need.methods, {method: self._pipeline.identity(method) for method in methods})

    @property
    def notes(self) -> Counter[str]:
        """Notes on the texts that were read."""
        return self._pipeline.notes

    def update(self, examples: Sequence[Example]) -> None:
        """Ask about some summaries; what the log knows from an earlier run is taken from there."""
        log = self._tools.log
        new = []
        for example in examples:
            found = log.known(example) if log else None
            if found is None:
                new.append(example)
            else:
                self._add(example, decode_records(found))
        for chunk in _chunks(new):
            records = each_readable(chunk, self._ask, self._too_long)
            for example, held in zip(chunk, records, strict=True):
                self._add(example, held)
            if log:
                log.add(chunk, [msgspec.json.encode(held) for held in records])

    def finish(self) -> Verdicts:
        """Return all verdicts."""
        return self._verdicts

    def _add(self, example: Example, records: Sequence[SummaryRecord]) -> None:
        for record in records:
            self._verdicts.add(example_key(example), record)

    def _ask(self, examples: Sequence[Example]) -> list[list[SummaryRecord]]:
        return self._pipeline.ask(examples, tuple(self._need.inquiries.values()))

    def _too_long(self, example: Example, problem: TextTooLongError) -> list[SummaryRecord]:
        """Return a record without questions, unless errors end the run."""
        reason = self._tools.too_long(example, problem)
        return [SummaryRecord(example.id, example.system, name, [], reason) for name in self._need.inquiries]


def _chunks(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Cut examples into few enough long texts to be asked about at once."""
    chunk: list[Example] = []
    size = 0
    for example in examples:
        length = sum(map(len, (example.candidate or "", example.context or "")))
        length += sum(len(reference.text) for reference in example.references)
        if chunk and size + length > CHARACTERS_AT_ONCE:
            yield chunk
            chunk, size = [], 0
        chunk.append(example)
        size += length
    if chunk:
        yield chunk
