"""A run over shards on a cluster: the driver hands out shards and adds up their statistics, and sees no row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from qassay.errors import DataError, SpecError, option
from qassay.io.input_stream import Reader
from qassay.io.locations import Location
from qassay.io.parsing.read_context import LISTED, SkippedRow
from qassay.io.scores.scored_files import read_rows
from qassay.io.scores.scores_folder import Manifest, hash_of_bytes
from qassay.scoring.file_run import RunResult, run_identity
from qassay.scoring.repeated_ids import find_repeated, joined_fingerprints, partitions_for
from qassay.scoring.scorer import SEED, Scorer
from qassay.scoring.shards import ShardScorer, ShardTask
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from qassay.io.input_stream import ReadOptions
    from qassay.io.scores.scores_folder import ScoresFolder, ShardRecord
    from qassay.records import AnswerNotes, Example
    from qassay.scoring.aggregates.aggregation import Totals
    from qassay.scoring.progress import Progress

    _Found = TypeVar("_Found")


class Cluster(Protocol):
    """Machines that work on shards; what is lost with one of them is done again by another."""

    def score(self, make_scorer: Callable[[], ShardScorer], tasks: Sequence[ShardTask]) -> Iterator[ShardRecord]:
        """Score shards and yield their records as they are done."""

    def map(self, work: Callable[[int], _Found], items: Sequence[int]) -> Iterator[_Found]:
        """Do some work on numbers, each anywhere in the cluster; yield what it returns in any order."""


def check_shards(scorer: Scorer) -> None:
    """Raise `SpecError` for metrics that need the whole run before the first answer is scored."""
    if scorer.first_passes:
        needing = {need.key for need in scorer.first_passes}
        specs = [
            str(metric.spec)
            for metric in scorer.metrics
            if needing & {need.key for need in metric.first_passes(scorer.resources)}
        ]
        raise SpecError(
            f"{', '.join(specs)} reads the whole run before the first answer is scored, which shards cannot; count "
            f"the references with `qassay frequencies` and give {option('df')}, or leave {option('engine')} out"
        )


@dataclass(slots=True)
class ShardsRead:
    """What the readers of all shards left out, as one reader would say it."""

    skipped: list[SkippedRow] = field(default_factory=list)
    skipped_total: int = 0
    unnamed: set[str] = field(default_factory=set)
    samples: int = 0


class ClusterRun:
    """One `qassay score` on a cluster, into a folder that all machines reach."""

    def __init__(
        self,
        inputs: Sequence[str],
        options: ReadOptions,
        scorer: Scorer,
        cluster: Cluster,
        folder: ScoresFolder,
        *,
        batch: int,
        resume: bool = False,
        seed: int = SEED,
        progress: Progress | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.options = options
        self.scorer = scorer
        self.folder = folder
        self._cluster = cluster
        self._batch = batch
        self._resume = resume
        self._seed = seed
        self._progress = progress
        check_shards(scorer)

    @property
    def identity(self) -> str:
        """What must be the same for an unfinished run to be resumed."""
        options = self.options
        reading = [
            f"--format {options.format}",
            *(f"--map {ours}={theirs}" for ours, theirs in options.mapping.items()),
        ]
        reading += [] if options.system is None else [f"--system {options.system}"]
        return " ".join([run_identity(self.scorer, self._seed), *reading])

    def score(self) -> RunResult:
        """Score every shard that is not scored yet, and add up."""
        self.folder.begin(self.identity, self.inputs, __version__, resume=self._resume)
        tasks = [self._task(shard) for shard in range(len(self.inputs))]
        records = {each.shard: each for each in self._scored(tasks)}
        self._leave_out_repeated(records)
        ordered = [records[task.shard] for task in tasks]
        totals = self._totals(ordered)
        reader = self._left_out(ordered)
        self.folder.remove_unfinished()
        self.folder.write_manifest(
            Manifest(
                "qassay score",
                __version__,
                self.identity,
                complete=True,
                inputs=self.inputs,
                examples=totals.examples,
                skipped=reader.skipped_total,
                shards=ordered,
            )
        )
        return RunResult(totals, reader, self.folder, 0)

    def answers(
        self, finished: RunResult
    ) -> Iterator[tuple[Example, Mapping[str, float | None], Mapping[str, str], Mapping[str, AnswerNotes]]]:
        """Read the input once more together with its scores and metrics' notes, for a report: here, in this process."""
        for example, row in zip(Reader(self.inputs, self.options), read_rows(finished.rows), strict=False):
            yield example, row.scores, row.unscored, row.notes

    def _task(self, shard: int, partitions: int | None = None) -> ShardTask:
        name = self.inputs[shard]
        return ShardTask(shard, name, Location(name).absolute(), partitions)

    def _make_scorer(self) -> Callable[[], ShardScorer]:
        return partial(ShardScorer, self.scorer, self.options, self.folder, run=self.identity, batch=self._batch)

    def _scored(self, tasks: Sequence[ShardTask]) -> Iterator[ShardRecord]:
        if self._progress is not None:
            self._progress.begin("scoring", None)
        examples = 0
        for done, record in enumerate(self._cluster.score(self._make_scorer(), tasks), 1):
            examples += record.examples
            if self._progress is not None:
                self._progress.advance(examples, round(examples / done * len(tasks)))
            yield record

    def _leave_out_repeated(self, records: dict[int, ShardRecord]) -> None:
        """Find ids that several shards have, and score the later shards again without those answers."""
        partitions = partitions_for(sum(each.examples for each in records.values()))
        find = partial(find_repeated, self.folder, sorted(records), partitions=partitions)
        found = joined_fingerprints(self._cluster.map(find, range(partitions)))
        changed = [shard for shard, record in sorted(records.items()) if record.dropped != found.get(shard, "")]
        tasks = [self._task(shard, partitions) for shard in changed]
        if self.options.on_error == "stop":
            tasks = tasks[:1]
        for record in self._cluster.score(self._make_scorer(), tasks) if tasks else ():
            records[record.shard] = record

    def _totals(self, records: Sequence[ShardRecord]) -> Totals:
        totals = self.scorer.totals()
        totals.identities = _common_metrics(records)
        for record in records:
            totals.merge(self._statistics(record))
        return totals

    def _statistics(self, record: ShardRecord) -> Totals:
        place = self.folder.file("statistics", record.shard)
        try:
            content = place.read()
        except FileNotFoundError:
            content = b""
        if hash_of_bytes(content) != record.hashes["statistics"]:
            raise DataError(f"is not what the run wrote; run again with {option('resume', value=True)}", str(place))
        part = self.scorer.totals()
        part.restore(content)
        if part.examples != record.examples:
            raise DataError(
                f"is damaged (it counts {record.examples:,} answers, and the statistics {part.examples:,}); remove it "
                f"and run again with {option('resume', value=True)}",
                str(self.folder.file("shards", record.shard)),
            )
        return part

    def _left_out(self, records: Sequence[ShardRecord]) -> ShardsRead:
        found = ShardsRead()
        for record in records:
            found.skipped_total += record.skipped_total
            found.samples += record.samples
            if record.unnamed:
                found.unnamed.add(record.input)
            if record.skipped_total and len(found.skipped) < LISTED:
                whole = self.folder.record(record.shard)
                rows = [] if whole is None else whole.skipped[: LISTED - len(found.skipped)]
                found.skipped += [SkippedRow(place, reason) for place, reason in rows]
        return found


def _common_metrics(records: Sequence[ShardRecord]) -> dict[str, dict[str, str]]:
    """Return what the metrics depend on; raise `DataError` where machines differ in it."""
    first = records[0]
    for record in records:
        if record.metrics != first.metrics:
            raise DataError(
                f"was scored with {msgspec.json.encode(record.metrics).decode()}, and {first.input} with "
                f"{msgspec.json.encode(first.metrics).decode()}; install the same models on all machines",
                record.input,
            )
    return first.metrics
