"""From a stream of examples to scores: batches through the metrics, in memory or as they come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from qassay.errors import DataError, SpecError, TextTooLongError, option
from qassay.features.batch import Batch
from qassay.features.first_pass import PassContext
from qassay.features.frequencies import FrequencyNeed, frequencies_for, load_frequencies
from qassay.features.resources import Resources
from qassay.io.example_columns import ExampleColumns, parts_by_length
from qassay.metrics.registry import create_all
from qassay.models.base import EMBEDDED
from qassay.scoring.aggregates.aggregation import CONFIDENCE, Totals
from qassay.scoring.defaults import default_metrics
from qassay.scoring.long_texts import TooLongGuard, too_long_reason
from qassay.scoring.needed_fields import lacking_answers, problem_of, shown, surely_complete
from qassay.scoring.score_cache import StoredScore
from qassay.scoring.scored_batch import ScoredBatch
from qassay.scoring.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.features.first_pass import FirstPass, PassLog
    from qassay.features.frequencies import Frequencies
    from qassay.metrics.base import Metric
    from qassay.models.base import Device
    from qassay.models.question_model_names import Models
    from qassay.records import AnswerNotes, Example
    from qassay.scoring.progress import Progress
    from qassay.scoring.score_cache import ScoreCache
    from qassay.spec import MetricSpec

    Measured = tuple[Floats, dict[int, str], Sequence[AnswerNotes | None]]
    """Statistics, reasons for missing scores, and notes of answers."""

BATCH = 2048
MODEL_BATCH = 128
"""Answers per batch with a model, which takes milliseconds per answer: Ctrl-C waits for the current batch."""
GPU_BATCH = 2048
"""Answers per batch with a model on a GPU: enough to keep it busy, and few enough for many workers to share."""
BATCH_CHARACTERS, GPU_CHARACTERS = 1 << 20, 1 << 23
"""Characters of candidates and references that are scored at once: memory grows with them, and not with the answers."""
SEED = 12345
NO_NUMBER = "the metric or its model returned no number (NaN)"
OnError = Literal["stop", "skip"]
Place = tuple[str | None, int | None]
"""The input and the line of an answer, if known."""


def nowhere(_: Example) -> Place:
    """Return no place."""
    return None, None


class Scorer:
    """The metrics of a run with their shared resources; scores batch after batch. Can be pickled."""

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
        questions: Models | None = None,
        consumed_fields: frozenset[str] = frozenset(),
        df: str | Path | None = None,
        cache: ScoreCache | None = None,
        cluster: str | None = None,
    ) -> None:
        self.metrics: list[Metric] = create_all(specs, model)
        self.resources = Resources(language, model=model, device=device, threads=threads, questions=questions)
        self.counted: Mapping[Hashable, Frequencies] = {} if df is None else self._from_file(Path(df))
        """Frequencies that were counted before, and not in this run."""
        self.resources = replace(self.resources, first_pass=self.counted)
        self.cache = cache
        """Where scores of models are stored and found again, if anywhere."""
        self.cluster = cluster
        """What answers are clustered by: `question` or a field; None where each stands alone."""
        self.consumed_fields = consumed_fields
        """Fields that come with an example, are read and not written back."""
        self._notes: Counter[str] = Counter()
        """Of the first passes."""
        self.on_error: OnError = on_error
        """What happens at an answer that is too long for a model or lacks a field that a metric needs: stop, or skip
        that score."""
        self.defaulted = defaulted
        """Whether these are the default metrics: an answer that lacks a field that one needs gets no score."""

    def need_model(self) -> Self:
        """Raise `SpecError` for a model that no metric of the run can use, instead of ignoring it."""
        running, model = [metric for metric in self.metrics if metric.runs_model], self.resources.model
        if model == EMBEDDED or not running or any(metric.uses_model(model) for metric in running):
            return self
        raise SpecError(
            f'{", ".join(str(metric.spec) for metric in running)} cannot use the model "{model}": keyphrase '
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
        """What besides the metrics must be the same for a run to be resumed."""
        found = [f"language={self.resources.language} model={self.resources.model}"]
        found += [f"cluster={self.cluster}"] if self.cluster else []
        return " ".join(filter(None, [*found, *(need.identity(self.resources) for need in self.first_passes)]))

    @cached_property
    def first_passes(self) -> list[FirstPass[Any]]:
        """The first passes of all metrics, each once, but for what was counted before."""
        return [need for need in self._all_passes() if need.key not in self.counted]

    def _all_passes(self) -> list[FirstPass[Any]]:
        found: dict[Hashable, FirstPass[Any]] = {}
        for metric in self.metrics:
            for need in metric.first_passes(self.resources):
                found[need.key] = found[need.key].joined(need) if need.key in found else need
        return list(found.values())

    def _from_file(self, path: Path) -> dict[Hashable, Frequencies]:
        needs = [need for need in self._all_passes() if isinstance(need, FrequencyNeed)]
        if not needs:
            raise SpecError(
                f"{option('df')} is for metrics that count in how many references a word stands, and "
                f"{', '.join(self.specs)} do not; leave it out"
            )
        tables = load_frequencies(path)
        return {need: frequencies_for(need, tables, path) for need in needs}

    @property
    def first_pass_label(self) -> str:
        """What progress calls the first passes."""
        return " and ".join(dict.fromkeys(need.label for need in self.first_passes))

    def __getstate__(self) -> dict[str, Any]:
        # First passes may hold open models, and another process needs their results alone.
        return {name: value for name, value in self.__dict__.items() if name != "first_passes"}

    @property
    def batch_size(self) -> int:
        """How many answers to score at a time; the scores do not depend on it."""
        if not any(metric.runs_model for metric in self.metrics):
            return BATCH
        return GPU_BATCH if self.resources.device == "cuda" else MODEL_BATCH

    def first_pass(self, examples: Iterable[Example], log: PassLog | None = None) -> None:
        """Run the metrics' first passes; with a log, a stopped run resumes where it was."""
        if not self.first_passes:
            return
        tools = PassContext(log, self._too_long)
        collectors = {need.key: need.begin(self.resources, tools) for need in self.first_passes}
        for chunk in batches(examples, min(need.at_once for need in self.first_passes)):
            self.check(chunk)
            for collector in collectors.values():
                collector.update(chunk)
        for collector in collectors.values():
            self._notes.update(collector.notes)
        gathered = {key: collector.finish() for key, collector in collectors.items()}
        self.resources = replace(self.resources, first_pass={**self.counted, **gathered})

    def score(self, examples: Sequence[Example]) -> ScoredBatch:
        """Score one batch with every metric, long texts a few at a time; the scores do not depend on it."""
        self.check(examples)
        most = GPU_CHARACTERS if self.resources.device == "cuda" else BATCH_CHARACTERS
        return ScoredBatch.joined(examples, [self._score(part) for part in parts_by_length(examples, most)])

    def _score(self, examples: Sequence[Example]) -> ScoredBatch:
        guard = TooLongGuard(Batch(examples, self.resources), self.on_error)
        scored = ScoredBatch(examples, {}, {}, {}, Counter(), self.consumed_fields)
        for metric in self.metrics:
            spec = str(metric.spec)
            lacking = lacking_answers(metric, examples) if self._may_lack else {}
            keys = self.cache.keys(metric, self.resources, examples, lacking) if self.cache else []
            if self.cache and keys:
                found = self._cached(self.cache, keys, metric, lacking, guard.batch)
            else:
                found = guard.run(partial(_measured, metric, lacking))
            (stats, unscored, notes), left_out = found
            scored.stats[spec] = stats
            scored.scores[spec] = metric.finish(stats)
            undefined = dict.fromkeys(np.flatnonzero(np.isnan(scored.scores[spec])).tolist(), NO_NUMBER)
            scored.unscored[spec] = undefined | unscored | left_out
            if notes:
                scored.answer_notes[spec] = [None if i in undefined else each for i, each in enumerate(notes)]
        scored.notes.update(guard.notes)
        return scored

    def _cached(
        self, cache: ScoreCache, keys: Sequence[bytes | None], metric: Metric, lacking: Mapping[int, str], batch: Batch
    ) -> tuple[Measured, dict[int, str]]:
        """Return what a metric finds of a batch: from the cache what is there, and the rest from the metric.

        The rest is a batch of its own, so that what is noted of its texts is noted for this metric.
        """
        stored = cache.find(keys)
        known = {i: stored[key] for i, key in enumerate(keys) if key in stored}
        rest = [i for i in range(len(keys)) if i not in known]
        left_out: dict[int, str] = {}
        if rest:
            guard = TooLongGuard(Batch([batch.examples[i] for i in rest], batch.resources), self.on_error)
            lacks = {n: lacking[i] for n, i in enumerate(rest) if i in lacking}
            (stats, unscored, notes), beyond = guard.run(partial(_measured, metric, lacks))
            left_out = {rest[n]: reason for n, reason in beyond.items()}
            placed = guard.notes_by_example()
            fresh = {
                i: StoredScore(stats[n].tolist(), unscored.get(n), notes[n] if notes else None, bool(notes), placed[n])
                for n, i in enumerate(rest)
            }
            cache.store({key: fresh[i] for i in rest if (key := keys[i]) is not None and i not in left_out})
            known |= fresh
        found = [known[i] for i in range(len(keys))]
        for i, each in enumerate(found):
            batch.add_notes(i, each.notes)
        return (
            np.array([each.stats for each in found], np.float64),
            {i: each.reason for i, each in enumerate(found) if each.reason is not None},
            [each.answer_notes for each in found] if any(each.notes_answers for each in found) else (),
        ), left_out

    def totals(self) -> Totals:
        """Return empty totals for this run."""
        totals = Totals(self.metrics, self.resources, self.cluster)
        totals.notes.update(self._notes)
        return totals

    @property
    def _may_lack(self) -> bool:
        return self.defaulted or self.on_error == "skip"

    def check(self, examples: Iterable[Example], place_of: Callable[[Example], Place] = nowhere) -> None:
        """Raise `DataError` for the first answer that lacks what a metric needs, or that a metric cannot read.

        Where answers may go without such scores, all pass.
        """
        if self._may_lack or (
            isinstance(examples, ExampleColumns) and all(surely_complete(examples, each) for each in self.metrics)
        ):
            return
        for example in examples:
            for metric in self.metrics:
                if problem := problem_of(metric, example, self.resources):
                    raise DataError(problem, *place_of(example))

    def _too_long(self, example: Example, problem: TextTooLongError) -> str:
        """Return why an answer gets no score, unless errors end the run."""
        if self.on_error == "stop":
            raise DataError(f"{shown(example)}: {problem.message}, or {option('on_error', 'skip')}") from problem
        return too_long_reason(problem)


def _measured(metric: Metric, lacking: Mapping[int, str], batch: Batch) -> Measured:
    if lacking:
        examples = [replace(each, candidate=None) if i in lacking else each for i, each in enumerate(batch.examples)]
        batch = Batch(examples, batch.resources)
    stats = metric.stats(batch)
    # What is no number must not reach the sums: such an answer is unscored.
    stats = np.where(np.isnan(stats).any(axis=1, keepdims=True), 0.0, stats)
    return stats, {**metric.unscored(batch), **lacking}, metric.answer_notes(batch)


def score_examples(
    examples: Iterable[Example],
    specs: Iterable[str | MetricSpec] | None = None,
    *,
    language: str = "auto",
    batch: int | None = None,
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
    scorer: Scorer | None = None,
    log: PassLog | None = None,
    progress: Progress | None = None,
    intervals: bool = True,
    cluster: str | None = None,
) -> ScoreTable:
    """Score examples that fit in memory and keep everything; without specs, with the metrics that suit them.

    With `on_error="skip"` an answer that is too long for a model goes without its scores instead of ending the run. A
    scorer that is given stands for all other choices. A log keeps what first passes found in each answer. Answers that
    share their `cluster` are resampled together for intervals.
    """
    everything = examples if isinstance(examples, ExampleColumns) else tuple(examples)
    if not everything:
        raise DataError("there are no answers to score")
    if scorer is None:
        chosen, defaulted = (specs, False) if specs else (default_metrics(everything[0]), True)
        scorer = Scorer(
            chosen,
            language=language,
            model=model,
            device=device,
            on_error=on_error,
            defaulted=defaulted,
            cluster=cluster,
        )
        scorer.need_model()
    scorer.first_pass(everything, log)
    totals = scorer.totals()
    parts: list[ScoredBatch] = []
    if progress is not None:
        progress.begin("scoring", len(everything))
    for chunk in batches(everything, batch or scorer.batch_size):
        parts.append(scorer.score(chunk))
        totals.add(parts[-1])
        if progress is not None:
            progress.advance(totals.examples, len(everything))
    whole = ScoredBatch.joined(everything, parts)
    return ScoreTable(
        examples=everything,
        scores=whole.scores,
        stats=whole.stats,
        unscored=whole.unscored,
        answer_notes={spec: tuple(notes) for spec, notes in whole.answer_notes.items()},
        aggregates=tuple(totals.aggregates(seed, confidence=CONFIDENCE if intervals else None)),
        notes=dict(totals.notes),
        seed=seed,
        reads=frozenset().union(*(metric.reads for metric in scorer.metrics)),
        consumed_fields=scorer.consumed_fields,
    )


def batches(items: Iterable[Any], size: int) -> Iterator[Any]:
    """Cut a stream into tuples of `size`, and columns into columns."""
    if isinstance(items, ExampleColumns):
        yield from (items[start : start + size] for start in range(0, len(items), size))
        return
    stream = iter(items)
    while chunk := tuple(islice(stream, size)):
        yield chunk
