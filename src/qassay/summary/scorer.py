"""Scoring summaries: all questions are asked in a first pass, and the metrics then read what came of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError
from qassay.metrics.base import MeanMetric
from qassay.metrics.catalogue import parse_spec
from qassay.scoring import Scorer, batches
from qassay.spec import Declaration, MetricSpec, Param, parse
from qassay.summary.interrogation import FEQA, QAEVAL
from qassay.summary.verification import METHODS, bounds, rescaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.features import Batch, Resources
    from qassay.records import Example
    from qassay.summary.interrogation import Interrogator
    from qassay.summary.records import AskedQuestion, SummaryRecord

IS_ANSWERED = "is_answered"
AT_ONCE = 64
"""Summaries interrogated at a time."""
_VERIFY = Param(
    "verify", "lerc", "how the answers are compared", choices=("lerc", "em", "token_f1", "bert_score", IS_ANSWERED)
)
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

Key = tuple[str, str]


def is_summary_metric(spec: str | MetricSpec) -> bool:
    """Tell the specs that ask questions from those of the catalogue."""
    return str(spec).split(",")[0].strip() in DECLARATIONS


def parse_summary_spec(spec: str | MetricSpec) -> MetricSpec:
    """Read and check a spec such as `qaeval,verify=token_f1`, or one of the catalogue's."""
    return parse(str(spec), DECLARATIONS) if is_summary_metric(spec) else parse_spec(spec)


@dataclass(slots=True)
class Verdicts:
    """What all questions of a run came to: for each summary and metric the verdicts, text by text that raised them."""

    found: dict[tuple[str, Key], tuple[Floats, ...]] = field(default_factory=dict)
    """(questions, 1 + methods) for each text: whether answered, then each method's score, NaN where not."""
    reasons: dict[tuple[str, Key], str] = field(default_factory=dict)
    methods: tuple[str, ...] = METHODS
    _bounds: tuple[float, float] | None = None

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

    def _row(self, question: AskedQuestion) -> list[float]:
        return [float(question.answered), *(question.verdicts.get(method, np.nan) for method in self.methods)]

    def bert_score_bounds(self) -> tuple[float, float]:
        """Give the run's BERTScores that count as 0 and as 1."""
        if self._bounds is None:
            column = 1 + self.methods.index("bert_score")
            scores = [text[:, column] for texts in self.found.values() for text in texts]
            self._bounds = bounds(np.concatenate([np.empty(0), *scores]))
        return self._bounds

    def value(self, metric: str, key: Key, method: str) -> float:
        """Give a summary's score: the mean over the questions of each text that raised any, then over those texts.

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
        if method == "bert_score":
            scores = rescaled(scores, *self.bert_score_bounds())
        return np.where(text[:, 0] > 0, np.nan_to_num(scores), 0.0)


class QuestionMetric(MeanMetric):
    """QAEval or FEQA with one method of verification, read off the verdicts of the run."""

    def __init__(self, spec: MetricSpec, verdicts: Verdicts, identity: Mapping[str, str]) -> None:
        super().__init__(spec, DECLARATIONS[spec.name])
        self._verdicts = verdicts
        self._identity = dict(identity)

    def identity(self, resources: Resources) -> dict[str, str]:  # noqa: ARG002 - the run's models are the questions'
        """Give the models' fingerprints."""
        return self._identity

    @property
    def method(self) -> str:
        """How the answers are compared."""
        return self.text("verify")

    def values(self, batch: Batch) -> Floats:
        """Look up each summary's score."""
        keys = [(example.system, example.id) for example in batch.examples]
        return np.array([self._verdicts.value(self.spec.name, key, self.method) for key in keys])

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Say why a summary has no score."""
        places = [(self.spec.name, (example.system, example.id)) for example in batch.examples]
        reasons = self._verdicts.reasons
        return {i: reasons[place] for i, place in enumerate(places) if place in reasons}


class SummaryScorer(Scorer):
    """QAEval and FEQA beside any metrics of the catalogue; every variant in one pass over the questions."""

    def __init__(
        self,
        specs: Iterable[str | MetricSpec],
        interrogator: Interrogator,
        *,
        identity: Mapping[str, Mapping[str, str]] | None = None,
        language: str = "auto",
        keep: Callable[[Sequence[Example], list[SummaryRecord]], None] | None = None,
        known: Callable[[], Iterator[SummaryRecord]] | None = None,
    ) -> None:
        wanted = list(dict.fromkeys(parse_summary_spec(spec) for spec in specs))
        super().__init__([spec for spec in wanted if not is_summary_metric(spec)], language=language)
        self.verdicts = Verdicts()
        asked = [
            QuestionMetric(spec, self.verdicts, (identity or {}).get(_method(spec), {}))
            for spec in wanted
            if is_summary_metric(spec)
        ]
        order = {spec: i for i, spec in enumerate(wanted)}
        self.metrics = sorted([*self.metrics, *asked], key=lambda metric: order[metric.spec])
        self._questions = tuple(dict.fromkeys(metric.spec.name for metric in asked))
        self._interrogator = interrogator
        self._keep = keep
        self._known = known

    @property
    def counts_first(self) -> bool:
        """The questions are asked before the first score."""
        return True

    def count(self, examples: Iterable[Example]) -> None:
        """Ask all questions; count what other metrics need on the way."""
        stream = self._asked(examples)
        super().count(stream)
        deque(stream, maxlen=0)

    def _check_fields(self, examples: Sequence[Example]) -> None:
        for metric in self.metrics:
            for need in sorted(metric.needs):
                lacking = next((example for example in examples if not getattr(example, need)), None)
                if lacking is not None:
                    raise DataError(
                        f'{metric.spec} needs "{_named(need)}", and the summary with id "{lacking.id}" has none; '
                        "give it, or leave this metric out"
                    )

    def _asked(self, examples: Iterable[Example]) -> Iterator[Example]:
        done = set()
        for record in self._known() if self._known else ():
            self.verdicts.add(record)
            done.add((record.system, record.id))
        for chunk in batches(examples, AT_ONCE):
            self._check_fields(chunk)
            new = [example for example in chunk if (example.system, example.id) not in done]
            records = self._interrogator.interrogate(new, self._questions) if new else []
            for record in records:
                self.verdicts.add(record)
            if self._keep:
                self._keep(new, records)
            yield from chunk


def _named(field_name: str) -> str:
    """Name a field as the input of summaries does."""
    return "document" if field_name == "context" else field_name


def _method(spec: MetricSpec) -> str:
    return str(spec.resolve(DECLARATIONS[spec.name])["verify"])
