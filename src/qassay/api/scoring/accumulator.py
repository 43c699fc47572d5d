"""Scores of shards and batches that add up to those of the whole, exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from qassay.api.inputs import paths_of, read_options, rows_in_memory, samples_note
from qassay.api.result import Result
from qassay.api.scoring.score_result import ScorePage, score_document, shown_aggregate
from qassay.errors import DataError, NoSuchScoreError, SpecError, option
from qassay.features.frequencies import COMMAND, FrequencyNeed
from qassay.io.duplicate_ids import SeenIds
from qassay.io.example_columns import rebatched
from qassay.io.in_memory import each_row
from qassay.io.input_stream import ONE_ID_EACH, Reader, count_samples, repeated
from qassay.io.parsing.rows import to_example
from qassay.metrics.registry import parse_spec
from qassay.models.base import EMBEDDED
from qassay.report.answers import Ordering, select_answers
from qassay.scoring.aggregates.aggregation import CONFIDENCE, signature_fields
from qassay.scoring.aggregates.clusters import check_cluster
from qassay.scoring.scorer import SEED, Scorer
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns
    from qassay.arrays import Ints
    from qassay.io.parsing.rows import Row
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.scoring.scorer import OnError
    from qassay.scoring.table import Aggregate
    from qassay.spec import MetricSpec


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AccumulatedScores(Result):
    """What an `Accumulator` computes: the systems' scores; those of the answers are not kept."""

    aggregates: tuple[Aggregate, ...]
    """Those that `qassay.score` gives for all answers together."""
    examples: int
    """How many answers were scored."""
    skipped: int
    """How many rows could not be read and were left out."""
    notes: Mapping[str, int]
    seed: int
    ordering: Ordering
    histograms: Mapping[str, Mapping[str, Ints]] = field(default_factory=dict)

    def __repr__(self) -> str:
        specs = dict.fromkeys(each.metric for each in self.aggregates)
        return f"<{type(self).__name__} of {self.examples:,} answers; metrics: {', '.join(specs)}>"

    def aggregate(self, spec: str, system: str | None = None) -> Aggregate:
        """Return a system's aggregate; the system may be left out when there is only one."""
        name = str(parse_spec(spec))
        found = [each for each in self.aggregates if each.metric in {spec, name} and system in (None, each.system)]
        if len(found) != 1:
            systems = sorted({each.system for each in self.aggregates})
            raise NoSuchScoreError(f"{len(found)} aggregates of {name}; name one of {systems}")
        return found[0]

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay score --json` prints for all answers together.

        Left out are `samples`, what the samples of a question amount to, which takes the scores of the answers, and the
        note on files whose answers name no system.
        """
        return score_document(self.aggregates, self.examples, self.skipped, self.seed, self.notes)

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page, without answers."""
        page = ScorePage(
            "accumulated answers", self.aggregates, self.histograms, self.ordering, self.notes, self.seed, call
        )
        return page.write(path, select_answers(lambda: iter(()), self.ordering), None, skipped=self.skipped)

    def _rows(self) -> list[dict[str, Any]]:
        return [shown_aggregate(each) for each in self.aggregates]


class Accumulator:
    """Scores answers batch by batch or shard by shard, in memory that does not grow with their texts.

    What `compute` returns equals what `qassay.score` returns for all answers together, whatever the batches and the
    order of merging. It can be pickled. Metrics that depend on the whole run (`cider`, `:idf`) need a `df` file, which
    `qassay frequencies` writes.

    An id may appear once for each system, which 16 bytes per answer tell; with `check_ids=False` the caller sees to it.
    With `cluster` (`question`, or a field) answers that share it count as one for intervals, whichever batch or shard
    they are in.
    """

    def __init__(
        self,
        metrics: str | Iterable[str | MetricSpec],
        *,
        df: str | Path | None = None,
        columns: Columns | None = None,
        system: str | None = None,
        language: str = "auto",
        seed: int = SEED,
        model: str = EMBEDDED,
        device: Device = "auto",
        on_error: OnError = "stop",
        cluster: str | None = None,
        check_ids: bool = True,
    ) -> None:
        check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
        wanted = as_names("metrics", metrics)
        if wanted is None:
            raise SpecError("metrics are None; name those to accumulate, since shards might suit different ones")
        self.seed = seed
        self._options = read_options("auto", columns, system, on_error, metrics=wanted)
        scorer = Scorer(
            wanted,
            language=language,
            model=model,
            device=device,
            on_error=on_error,
            df=df,
            cluster=check_cluster(cluster),
        )
        self._scorer = scorer.need_model()
        _refuse_first_passes(scorer)
        self._totals = scorer.totals()
        self._seen = SeenIds() if check_ids else None
        self._without_id = 0
        self._skipped = 0
        self._samples = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self):,} answers; metrics: {', '.join(self._scorer.specs)}>"

    def __len__(self) -> int:
        return self._totals.examples

    def update(self, answers: Answers) -> Self:
        """Score more answers: rows, a data frame, `Example`s or files, as for `qassay.score`; return the accumulator.

        If some cannot be read or scored, none of them is added.
        """
        files = paths_of(answers)
        reader = None if files is None else Reader(files, self._options)
        without_id = self._without_id
        totals, seen, samples = self._scorer.totals(), SeenIds(), 0
        try:
            chunks = reader.sequences() if reader else [self._rows(answers)]
            for chunk in rebatched(chunks, self._scorer.batch_size):
                self._check_ids(chunk, seen)
                totals.add(self._scorer.score(chunk))
                samples += count_samples(chunk)
        except BaseException:
            self._without_id = without_id
            raise
        self._totals.merge(totals)
        if self._seen is not None:
            self._seen.merge(seen)
        self._skipped += reader.skipped_total if reader else 0
        self._samples += samples
        return self

    def merge(self, other: Accumulator) -> Self:
        """Add what another accumulator of the same metrics has, which stays as it is; return this one."""
        if not isinstance(other, Accumulator):
            raise SpecError(f"{type(other).__name__} cannot be merged; give an Accumulator")
        if other is self:
            raise SpecError("an accumulator cannot be merged with itself; give that of another shard")
        ours, theirs = self._identity(), other._identity()
        for name in dict.fromkeys((*ours, *theirs)):
            if ours.get(name) != theirs.get(name):
                raise SpecError(
                    f"the accumulators differ in {name} ({ours.get(name)}, and {theirs.get(name)}); make them alike"
                )
        if self._without_id and other._without_id:
            raise DataError('both accumulators have answers without ids; give each row an "id" to tell them apart')
        if self._seen is not None and other._seen is not None:
            if shared := self._seen.shared_with(other._seen):
                raise DataError(f"{shared:,} answers are in both accumulators, by system and id; add each answer once")
            self._seen.merge(other._seen)
        self._totals.merge(other._totals)
        self._without_id += other._without_id
        self._skipped += other._skipped
        self._samples += other._samples
        return self

    def compute(self, *, intervals: bool = True) -> AccumulatedScores:
        """Return the systems' scores so far, in the order in which the systems were first added."""
        if not len(self):
            raise DataError("there are no answers to score; update the accumulator first")
        independent = intervals and self._scorer.cluster is None
        return AccumulatedScores(
            aggregates=tuple(self._totals.aggregates(self.seed, confidence=CONFIDENCE if intervals else None)),
            examples=len(self),
            skipped=self._skipped,
            notes={**self._totals.notes, **(samples_note(self._samples) if independent else {})},
            seed=self.seed,
            ordering=Ordering.of(self._scorer.metrics),
            histograms={name: system.histograms for name, system in self._totals.systems.items()},
        )

    def _rows(self, answers: object) -> Sequence[Example]:
        rows, before = list(each_row(answers)), len(self)

        def numbered(row: Row, source: str, number: int, system: str) -> Example:
            self._without_id += row.get("id") is None
            return to_example(row, source, before + number, system, bare=self._options.bare)

        return rows_in_memory(rows, self._options, numbered) if rows else ()

    def _check_ids(self, chunk: Sequence[Example], seen: SeenIds) -> None:
        if self._seen is None:
            return
        keys = [(example.system, example.id) for example in chunk]
        for i in self._seen.known(keys) or seen.add(keys):
            raise DataError(f"{repeated(chunk[i])}; {ONE_ID_EACH}")

    def _identity(self) -> dict[str, str]:
        """Return what must be the same for totals to add up."""
        fields = {str(each.spec): signature_fields(each, self._scorer.resources) for each in self._scorer.metrics}
        found = {f"the {name} of {spec}": value for spec, held in fields.items() for name, value in held.items()}
        settings = {
            "metrics": ", ".join(fields),
            "seed": str(self.seed),
            "on_error": self._scorer.on_error,
            "cluster": self._scorer.cluster or "none",
        }
        return {**settings, **found}


def _refuse_first_passes(scorer: Scorer) -> None:
    """Raise `SpecError` for a metric whose scores depend on the whole run."""
    for metric in scorer.metrics:
        needs = [need for need in metric.first_passes(scorer.resources) if need.key not in scorer.counted]
        if any(isinstance(need, FrequencyNeed) for need in needs):
            raise SpecError(
                f"{metric.spec} counts words over the whole run; count them with {COMMAND}, and give the file "
                f"as {option('df')}"
            )
        if needs:
            raise SpecError(f"{metric.spec} depends on the whole run; use qassay.score, or leave this metric out")
