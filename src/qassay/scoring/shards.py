"""One shard of a run that many machines share: read, scored and written where it is worked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from qassay.errors import DataError, OutputError
from qassay.io.example_columns import ExampleColumns, rebatched
from qassay.io.input_stream import Reader
from qassay.io.scores.scores_folder import HashingFile, ShardRecord
from qassay.io.source import BufferedInput
from qassay.scoring.aggregates.aggregation import signature_fields
from qassay.scoring.example_hashes import systems_of
from qassay.scoring.file_run import score_and_encode
from qassay.scoring.repeated_ids import DigestCollector, fingerprint, rows_repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from qassay.io.input_stream import NumberedExamples, ReadOptions
    from qassay.io.locations import FileStatus, Location
    from qassay.io.scores.scores_folder import ScoresFolder
    from qassay.records import Example
    from qassay.scoring.scorer import Scorer


def _with_ids(chunks: Iterable[NumberedExamples], ids: DigestCollector) -> Iterator[Sequence[Example]]:
    """Yield the examples and note their ids."""
    for rows, examples in chunks:
        names = examples.ids if isinstance(examples, ExampleColumns) else [each.id for each in examples]
        ids.add(list(zip(systems_of(examples), names, strict=True)), rows)
        yield examples


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A shard to be scored."""

    shard: int
    input: str
    """As the user wrote it, for messages."""
    place: Location
    partitions: int | None = None
    """Into how many partitions the ids were cut, once it is known which answers repeat an id of another shard."""


class ShardScorer:
    """Scores shards with one scorer, whose models are opened once."""

    def __init__(self, scorer: Scorer, options: ReadOptions, folder: ScoresFolder, *, run: str, batch: int) -> None:
        self._scorer = scorer
        self._options = options
        self._folder = folder
        self._run = run
        self._batch = batch
        self._metrics = {str(metric.spec): signature_fields(metric, scorer.resources) for metric in scorer.metrics}

    def score(self, task: ShardTask) -> ShardRecord:
        """Return the record of a shard without its skipped rows; what is already written is not scored again."""
        status = task.place.status()
        if status is None:
            raise DataError("there is no such file; check the path", task.input)
        dropped: frozenset[int] = frozenset()
        wanted = None
        if task.partitions is not None:
            rows = rows_repeated(self._folder, task.shard, task.partitions)
            dropped, wanted = frozenset(rows.tolist()), fingerprint(rows)
        record = self._folder.record(task.shard)
        if record is None or not self._still_valid(record, task, status, wanted):
            record = self._scored(task, status, dropped, wanted or "")
            self._folder.write("shards", task.shard, msgspec.json.encode(record))
        return msgspec.structs.replace(record, skipped=[])

    def _still_valid(self, record: ShardRecord, task: ShardTask, status: FileStatus, dropped: str | None) -> bool:
        """Whether what an earlier attempt wrote is what would be written now."""
        return (
            (record.run, record.metrics) == (self._run, self._metrics)
            and (record.input, record.size, record.modified) == (task.input, status.size, status.modified)
            # Without errors a shard is the same whatever happens to errors.
            and record.on_error in {"stop", self._options.on_error}
            and dropped in {None, record.dropped}
            and self._folder.is_whole(record)
        )

    def _scored(self, task: ShardTask, status: FileStatus, dropped: frozenset[int], fingerprint_: str) -> ShardRecord:
        reader = Reader([BufferedInput(task.place.url, task.input)], self._options)
        totals, ids = self._scorer.totals(), DigestCollector()
        # The ids of answers that are dropped stay, so that a resumed run finds them again.
        hashes = {} if task.partitions is None else self._known_ids(task.shard)
        with self._folder.writing("rows", task.shard) as raw:
            file = HashingFile(raw)
            for examples in rebatched(_with_ids(reader.chunks(dropped), ids), self._batch):
                scored, rows = score_and_encode(self._scorer, examples)
                totals.add(scored)
                file.write(rows)
            hashes["rows"] = file.hexdigest()
        hashes["statistics"] = self._folder.write("statistics", task.shard, totals.state())
        if "ids" not in hashes:
            hashes["ids"] = self._folder.write("ids", task.shard, ids.encoded())
        return ShardRecord(
            shard=task.shard,
            input=task.input,
            size=status.size,
            modified=status.modified,
            examples=totals.examples,
            hashes=hashes,
            metrics=self._metrics,
            run=self._run,
            on_error=self._options.on_error,
            skipped_total=reader.skipped_total,
            unnamed=bool(reader.unnamed),
            samples=reader.samples,
            dropped=fingerprint_,
            skipped=[(each.place, each.reason) for each in reader.skipped],
        )

    def _known_ids(self, shard: int) -> dict[str, str]:
        record = self._folder.record(shard)
        if record is None:
            raise OutputError("was removed while the run was writing it; run again", str(self._folder.place))
        return {"ids": record.hashes["ids"]}
