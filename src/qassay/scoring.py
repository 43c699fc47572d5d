"""From a stream of examples to scores: batches through the metrics, in memory or as they come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qassay.errors import DataError, SpecError
from qassay.features import Batch, Resources
from qassay.frequencies import Frequencies
from qassay.metrics.catalogue import create_all, default_metrics
from qassay.models.base import EMBEDDED
from qassay.models.load import has_keyphrase_head
from qassay.scores import ScoreTable
from qassay.tally import ScoredBatch, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from qassay.metrics.base import Metric
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.spec import MetricSpec

BATCH = 1024
MODEL_BATCH = 128
"""With a model an answer takes milliseconds: a batch is what Ctrl-C waits for, and what progress moves by."""
SEED = 12345


class Scorer:
    """Metrics with what they share over a run; scores batch after batch. Can be sent to another process."""

    prelude = "counting"
    """What is done before the first score, where anything is."""

    def __init__(
        self,
        specs: Iterable[str | MetricSpec],
        *,
        language: str = "auto",
        model: str = EMBEDDED,
        device: Device = "auto",
        threads: int | None = None,
    ) -> None:
        self.metrics: list[Metric] = create_all(specs, model)
        self.resources = Resources(language, model=model, device=device, threads=threads)

    def need_model(self) -> Self:
        """Refuse a model that no metric of the run can use, instead of scoring with the embedded one in silence."""
        running, model = [metric for metric in self.metrics if _runs_model(metric)], self.resources.model
        weighing = any(metric.spec.weights in {"kpqa", "kp"} for metric in running)
        named = any(dict(metric.spec.options).get("model") == model for metric in running)
        if model == EMBEDDED or not running or named or (weighing and has_keyphrase_head(model)):
            return self
        raise SpecError(
            f'"{model}" is nothing that {", ".join(str(metric.spec) for metric in running)} could use: keyphrase '
            "weights and judges come from folders that `qassay train` wrote; leave --model out for the embedded ones"
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
        return MODEL_BATCH if any(_runs_model(metric) for metric in self.metrics) else BATCH

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
        batch = Batch(examples, self.resources)
        scored = ScoredBatch(examples, {}, {}, {}, Counter())
        for metric in self.metrics:
            spec = str(metric.spec)
            scored.stats[spec] = metric.stats(batch)
            scored.scores[spec] = metric.finish(scored.stats[spec])
            scored.unscored[spec] = metric.unscored(batch)
        scored.notes.update(batch.notes)
        return scored

    def tally(self) -> Tally:
        """Begin totals for this run."""
        return Tally(self.metrics, self.resources)

    def _check_fields(self, examples: Sequence[Example]) -> None:
        for metric in self.metrics:
            for need in sorted(metric.needs):
                lacking = next((example for example in examples if _lacks(example, need)), None)
                if lacking is not None:
                    raise DataError(
                        f'{metric.spec} needs "{need}", and the answer with id "{lacking.id}" has none; '
                        f"{_remedy(metric, need)}"
                    )


def _runs_model(metric: Metric) -> bool:
    return metric.spec.weights in {"kpqa", "kp"} or metric.declaration.param("model") is not None


def _lacks(example: Example, need: str) -> bool:
    given = getattr(example, need)
    return not given or (isinstance(given, str) and not given.strip())


def _remedy(metric: Metric, need: str) -> str:
    if need == "question" and metric.spec.weights == "kpqa":
        return f"give it, or use {replace(metric.spec, weights='kp')}, which needs no question"
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
    scorer: Scorer | None = None,
) -> ScoreTable:
    """Score examples that fit in memory and keep everything; without specs, with the metrics that suit them.

    A scorer that is given stands for all other choices.
    """
    everything = tuple(examples)
    if not everything:
        raise DataError("there are no answers to score")
    if scorer is None:
        chosen = specs or default_metrics(everything[0])
        scorer = Scorer(chosen, language=language, model=model, device=device).need_model()
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
    )


def batches(items: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """Cut a stream into tuples of `size`."""
    stream = iter(items)
    while chunk := tuple(islice(stream, size)):
        yield chunk
