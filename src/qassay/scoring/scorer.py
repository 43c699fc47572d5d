"""From a stream of examples to scores: batches through the metrics, in memory or as they come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np

from qassay.errors import DataError, SpecError, TextTooLongError, option
from qassay.features.batch import Batch
from qassay.features.frequencies import Frequencies
from qassay.features.resources import Resources
from qassay.metrics.registry import create_all, default_metrics
from qassay.models.base import EMBEDDED
from qassay.scoring.aggregation import ScoredBatch, Tally
from qassay.scoring.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.metrics.base import Metric
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.spec import MetricSpec

BATCH = 1024
MODEL_BATCH = 128
"""With a model an answer takes milliseconds: a batch is what Ctrl-C waits for, and what progress moves by."""
SEED = 12345
NO_NUMBER = "the metric or its model returned no number (NaN)"
OnError = Literal["stop", "skip"]
_Found = TypeVar("_Found")


class Readable:
    """A batch that is read with models. What is too long for one of them is left out, if errors are skipped."""

    def __init__(self, batch: Batch, on_error: OnError) -> None:
        self.batch = batch
        self._on_error = on_error
        self._rest = batch
        self._left_out: dict[int, str] = {}

    def run(self, work: Callable[[Batch], _Found]) -> tuple[_Found, dict[int, str]]:
        """Work on the batch, or, where a text proves too long for that, without its example; say which, and why."""
        batch = self.batch
        while True:
            try:
                return work(batch), {} if batch is self.batch else self._left_out
            except TextTooLongError as problem:
                if batch is self._rest:
                    self._leave_out(problem)
                batch = self._rest

    @property
    def notes(self) -> Counter[str]:
        """What was noted of the texts; each counts once, also where both batches were begun."""
        return self.batch.notes | self._rest.notes

    def _leave_out(self, problem: TextTooLongError) -> None:
        batch, examples = self._rest, list(self._rest.examples)
        beyond = [row for row, text in enumerate(batch.texts) if text in problem.texts]
        owners = np.repeat(np.arange(len(batch)), [len(example.references) for example in examples])
        concerned = {
            *np.flatnonzero(np.isin(batch.candidate, beyond)).tolist(),
            *owners[np.isin(batch.reference, beyond)].tolist(),
        }
        if not concerned:
            raise problem
        if self._on_error == "stop":
            named = examples[min(concerned)].id
            raise DataError(
                f'the answer with id "{named}": {problem.message}, or {option("on_error", "skip")}'
            ) from problem
        for i in concerned:
            self._left_out[i] = f"longer than {problem.most:,} word pieces, more than a model can hold in memory"
            # Without texts it has nothing to be read, and keeps its place in the batch.
            blank = tuple(replace(each, text="") for each in examples[i].references)
            examples[i] = replace(examples[i], candidate=None, references=blank)
        self._rest = Batch(examples, batch.resources)


class Scorer:
    """Metrics with what they share over a run; scores batch after batch. Can be sent to another process."""

    prelude = "counting"
    """What is done before the first score, where anything is."""
    used_up: frozenset[str] = frozenset()
    """Fields that come with an example, are read and not written back."""

    def __init__(
        self,
        specs: Iterable[str | MetricSpec],
        *,
        language: str = "auto",
        model: str = EMBEDDED,
        device: Device = "auto",
        threads: int | None = None,
        on_error: OnError = "stop",
        defaulted: bool = False,
    ) -> None:
        self.metrics: list[Metric] = create_all(specs, model)
        self.resources = Resources(language, model=model, device=device, threads=threads)
        self.on_error: OnError = on_error
        """What an answer does that is too long for a model or lacks what a metric needs: end the run, or go without
        that score."""
        self.defaulted = defaulted
        """Whether nobody named these metrics: an answer that lacks what one needs goes without its score."""

    def need_model(self) -> Self:
        """Refuse a model that no metric of the run can use, instead of scoring with the embedded one in silence."""
        running, model = [metric for metric in self.metrics if metric.runs_model], self.resources.model
        weighing = any(metric.weighting is not None and metric.weighting.takes_model(model) for metric in running)
        named = any(dict(metric.spec.options).get("model") == model for metric in running)
        if model == EMBEDDED or not running or named or weighing:
            return self
        raise SpecError(
            f'"{model}" is nothing that {", ".join(str(metric.spec) for metric in running)} could use: keyphrase '
            f"weights and judges come from folders that `qassay train` wrote; leave {option('model')} out for the "
            "embedded ones"
        )

    @property
    def specs(self) -> list[str]:
        """The metrics' canonical specs, in order."""
        return [str(metric.spec) for metric in self.metrics]

    @property
    def maxima(self) -> dict[str, float]:
        """The highest score of each metric."""
        return {str(metric.spec): metric.declaration.maximum for metric in self.metrics}

    @property
    def choices(self) -> str:
        """What besides the metrics must be the same for two runs to be one."""
        return f"language={self.resources.language} model={self.resources.model}"

    @property
    def counts_first(self) -> bool:
        """Whether the run's references must be counted before the first score."""
        return any(metric.frequencies for metric in self.metrics)

    @property
    def batch_size(self) -> int:
        """How many answers to score at a time; the scores do not depend on it."""
        return MODEL_BATCH if any(metric.runs_model for metric in self.metrics) else BATCH

    def count(self, examples: Iterable[Example]) -> None:
        """Count the frequencies that the metrics need over all references of the run."""
        needs = dict.fromkeys(need for metric in self.metrics for need in metric.frequencies)
        frequencies = {need: Frequencies(need) for need in needs}
        if not frequencies:
            return
        for chunk in batches(examples, BATCH):
            for need, counted in frequencies.items():
                counted.add(chunk, self.resources.tokeniser(need.tok))
        self.resources = replace(self.resources, frequencies=frequencies)

    def score(self, examples: Sequence[Example]) -> ScoredBatch:
        """Score one batch with every metric."""
        self._check_fields(examples)
        readable = Readable(Batch(examples, self.resources), self.on_error)
        scored = ScoredBatch(examples, {}, {}, {}, Counter(), self.used_up)
        for metric in self.metrics:
            spec = str(metric.spec)
            lacking = _lacking(metric, examples) if self._may_lack else {}
            (stats, unscored), left_out = readable.run(partial(_measured, metric, lacking))
            scored.stats[spec] = stats
            scored.scores[spec] = metric.finish(stats)
            undefined = dict.fromkeys(np.flatnonzero(np.isnan(scored.scores[spec])).tolist(), NO_NUMBER)
            scored.unscored[spec] = undefined | unscored | left_out
        scored.notes.update(readable.notes)
        return scored

    def tally(self) -> Tally:
        """Begin totals for this run."""
        return Tally(self.metrics, self.resources)

    @property
    def _may_lack(self) -> bool:
        return self.defaulted or self.on_error == "skip"

    def _check_fields(self, examples: Sequence[Example]) -> None:
        for metric in () if self._may_lack else self.metrics:
            for need in sorted(metric.needed_fields):
                lacking = next((example for example in examples if _lacks(example, need)), None)
                if lacking is not None:
                    raise DataError(
                        f'{metric.spec} needs "{need}", and the answer with id "{lacking.id}" has none; '
                        f"{_remedy(metric, need)}, or {option('on_error', 'skip')}"
                    )


def _measured(metric: Metric, lacking: Mapping[int, str], batch: Batch) -> tuple[Floats, dict[int, str]]:
    if lacking:
        examples = [replace(each, candidate=None) if i in lacking else each for i, each in enumerate(batch.examples)]
        batch = Batch(examples, batch.resources)
    stats = metric.stats(batch)
    # What is no number must not reach the sums: such an answer is unscored.
    stats = np.where(np.isnan(stats).any(axis=1, keepdims=True), 0.0, stats)
    return stats, {**metric.unscored(batch), **lacking}


def _lacking(metric: Metric, examples: Sequence[Example]) -> dict[int, str]:
    """Find the answers that lack what a metric needs, with what it is."""
    return {
        i: f"no {need}"
        for need in sorted(metric.needed_fields)
        for i, each in enumerate(examples)
        if _lacks(each, need)
    }


def _lacks(example: Example, need: str) -> bool:
    given = getattr(example, need)
    return not given or (isinstance(given, str) and not given.strip())


def _remedy(metric: Metric, need: str) -> str:
    if metric.weighting is not None and need in metric.weighting.needs and metric.weighting.instead:
        return f"give it, or use {replace(metric.spec, weights=metric.weighting.instead)}, which needs no {need}"
    return "give it, or leave this metric out"


def score_examples(
    examples: Iterable[Example],
    specs: Iterable[str | MetricSpec] | None = None,
    *,
    language: str = "auto",
    batch: int = BATCH,
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
    scorer: Scorer | None = None,
) -> ScoreTable:
    """Score examples that fit in memory and keep everything; without specs, with the metrics that suit them.

    With `on_error="skip"` an answer that is too long for a model goes without its scores instead of ending the run. A
    scorer that is given stands for all other choices.
    """
    everything = tuple(examples)
    if not everything:
        raise DataError("there are no answers to score")
    if scorer is None:
        chosen, defaulted = (specs, False) if specs else (default_metrics(everything[0]), True)
        scorer = Scorer(chosen, language=language, model=model, device=device, on_error=on_error, defaulted=defaulted)
        scorer.need_model()
    scorer.count(everything)
    tally = scorer.tally()
    parts = [scorer.score(chunk) for chunk in batches(everything, batch)]
    for part in parts:
        tally.add(part)
    offsets = np.cumsum([0, *(len(part.examples) for part in parts)]).tolist()
    return ScoreTable(
        examples=everything,
        scores={spec: np.concatenate([part.scores[spec] for part in parts]) for spec in scorer.specs},
        stats={spec: np.concatenate([part.stats[spec] for part in parts]) for spec in scorer.specs},
        unscored={
            spec: {
                offset + i: reason
                for offset, part in zip(offsets, parts, strict=False)
                for i, reason in part.unscored[spec].items()
            }
            for spec in scorer.specs
        },
        aggregates=tuple(tally.aggregates(seed)),
        notes=dict(tally.notes),
        seed=seed,
        reads=frozenset().union(*(metric.reads for metric in scorer.metrics)),
        used_up=scorer.used_up,
    )


def batches(items: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """Cut a stream into tuples of `size`."""
    stream = iter(items)
    while chunk := tuple(islice(stream, size)):
        yield chunk
