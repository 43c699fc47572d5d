"""A folder of scores that many machines write: rows and statistics shard by shard, and a manifest with their hashes."""

from __future__ import annotations

from collections.abc import Iterator  # noqa: TC003 - a return type that others resolve
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path  # noqa: TC003 - as above
from typing import IO, Final, Literal

import msgspec

from qassay.errors import DataError, OutputError, option
from qassay.io.locations import Location, reachable

MANIFEST = "manifest.json"
PARTS = ("rows", "statistics", "ids", "shards", "repeated")
"""The folders within such a folder."""
HASHED = frozenset({"rows", "statistics", "ids"})
"""The parts whose files a shard's record has the hashes of."""
UNFINISHED = "unfinished"
"""The folder of files that are being written, where a file system shows these; a finished run has none."""
_PIECE = 1 << 20
_MADE_BY: Final = "qassay score"


class ShardRecord(msgspec.Struct, omit_defaults=True):
    """What one shard holds; it is written last, when all else of the shard is."""

    shard: int
    input: str
    size: int
    """The input's bytes."""
    modified: int
    """When the input was last changed, in nanoseconds."""
    examples: int
    """How many answers have rows here."""
    hashes: dict[str, str]
    """By the name of a part, the hash of the shard's file there."""
    metrics: dict[str, dict[str, str]] = {}
    """By spec, what its scores depend on, such as the fingerprint of its model."""
    run: str = ""
    """What is scored and how."""
    on_error: str = "stop"
    skipped_total: int = 0
    unnamed: bool = False
    """Whether some answers name no system."""
    samples: int = 0
    """How many answers are one of several samples of a question."""
    dropped: str = ""
    """Identifies the answers that were left out because an earlier shard has their ids."""
    skipped: list[tuple[str, str]] = []
    """Places and reasons of the first rows that were left out."""


class Manifest(msgspec.Struct, omit_defaults=True):
    """What a folder of scores holds, in order."""

    made_by: Literal["qassay score"]
    version: str
    run: str
    complete: bool
    inputs: list[str]
    examples: int = 0
    skipped: int = 0
    shards: list[ShardRecord] = []
    """Of a complete run, every shard, without the rows that were left out."""


@dataclass(frozen=True, slots=True)
class ScoresFolder:
    """Where the files of such a folder are. Can be pickled."""

    place: Location

    def file(self, part: str, shard: int) -> Location:
        """Return the file of a shard in one of the parts."""
        endings = {"rows": "jsonl", "statistics": "msgpack", "ids": "bin", "shards": "json", "repeated": "bin"}
        return self.place / part / f"{shard:06d}.{endings[part]}"

    @contextmanager
    def writing(self, part: str, shard: int) -> Iterator[IO[bytes]]:
        """Yield a stream to the file of a shard in one of the parts; what a killed process leaves is elsewhere."""
        with self.file(part, shard).writing(self.place / UNFINISHED) as file:
            yield file

    def write(self, part: str, shard: int, content: bytes) -> str:
        """Write the file of a shard in one of the parts and return its hash."""
        with self.writing(part, shard) as file:
            file.write(content)
        return hash_of_bytes(content)

    def remove_unfinished(self) -> None:
        """Remove what processes that were killed have left."""
        (self.place / UNFINISHED).clear()

    def manifest(self) -> Manifest | None:
        """Return the manifest; None where there is none, and an error where it is somebody else's."""
        place = self.place / MANIFEST
        if place.status() is None:
            return None
        try:
            return msgspec.json.decode(place.read(), type=Manifest)
        except msgspec.MsgspecError as problem:
            raise OutputError(
                "is damaged, or no run of Qassay wrote it; move the folder away, or choose another", str(place)
            ) from problem

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest."""
        (self.place / MANIFEST).write(msgspec.json.format(msgspec.json.encode(manifest), indent=1))

    def begin(self, run: str, inputs: list[str], version: str, *, resume: bool) -> None:
        """Make the folder ready for a run, or for resuming one; raise an error where another's files are there."""
        before = self.check(resume=resume)
        if before is not None and resume:
            _check_same(self.place, before, run, inputs)
        else:
            for part in PARTS:
                (self.place / part).clear()
        self.remove_unfinished()
        if before is None or not before.complete:
            self.write_manifest(Manifest(_MADE_BY, version, run, complete=False, inputs=inputs))

    def check(self, *, resume: bool) -> Manifest | None:
        """Return an earlier run's manifest; raise an error where a run would destroy finished scores or other files."""
        before = self.manifest()
        if before is None:
            self._refuse_foreign()
        elif before.complete and not resume:
            raise OutputError(
                "holds the scores of a finished run; give a new folder, or remove this one, or, for the same run, give "
                f"{option('resume', value=True)}, which scores what changed",
                str(self.place),
            )
        return before

    def record(self, shard: int) -> ShardRecord | None:
        """Return what a shard holds; None where it is not written, or not whole."""
        place = self.file("shards", shard)
        try:
            found = msgspec.json.decode(place.read(), type=ShardRecord)
        except (FileNotFoundError, msgspec.MsgspecError):
            return None
        return found if found.shard == shard and found.hashes.keys() == HASHED else None

    def is_whole(self, record: ShardRecord) -> bool:
        """Whether the files of a shard are what its record says."""
        try:
            return all(hash_of(self.file(part, record.shard)) == known for part, known in record.hashes.items())
        except FileNotFoundError:
            return False

    def rows(self) -> Iterator[Location]:
        """Yield the files of rows, in order; raise `DataError` for a run that is not finished, or a changed file."""
        manifest = self.manifest()
        if manifest is None:
            raise DataError("is a folder without a manifest; give a folder that `qassay score` wrote", str(self.place))
        if not manifest.complete:
            raise DataError(
                f"holds the scores of a run that is not finished; finish it with {option('resume', value=True)}",
                str(self.place),
            )
        if damage := _damage(manifest):
            raise DataError(
                f"is damaged ({damage}); run `qassay score` with {option('resume', value=True)} to write it again",
                str(self.place / MANIFEST),
            )
        for each in manifest.shards:
            file = self.file("rows", each.shard)
            if file.status() is None or hash_of(file) != each.hashes["rows"]:
                raise DataError(
                    "is gone, or not what the run wrote; score the shard again: run `qassay score` with "
                    f"{option('resume', value=True)}",
                    str(file),
                )
            yield file

    def _refuse_foreign(self) -> None:
        status = self.place.status()
        if status is not None and not status.is_folder:
            raise OutputError("is a file; give a folder", str(self.place))
        if names := self.place.names():
            raise OutputError(
                f'holds "{names[0]}", which no run of Qassay wrote; give a new or an empty folder', str(self.place)
            )


def scores_folder(path: str) -> ScoresFolder | None:
    """Return the folder of scores at a path; None where there is none."""
    if path == "-":
        return None
    folder = ScoresFolder(Location(path))
    try:
        status = folder.place.status()
        if status is None or not status.is_folder or (folder.place / MANIFEST).status() is None:
            return None
    except (DataError, ValueError):
        return None
    return folder


def written_lines(rows: Path | ScoresFolder) -> Iterator[bytes]:
    """Yield the lines of a file of rows, or of all files of rows in a folder."""
    places = rows.rows() if isinstance(rows, ScoresFolder) else [Location(str(rows))]
    for place in places:
        with place.open() as file:
            yield from file


class HashingFile:
    """Writes to a file and hashes what is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = blake2b(digest_size=16)

    def write(self, content: bytes) -> None:
        """Write some bytes."""
        self._file.write(content)
        self._hash.update(content)

    def hexdigest(self) -> str:
        """Return the hash of all that was written."""
        return self._hash.hexdigest()


def hash_of(place: Location) -> str:
    """Return the hash of a file's content."""
    found = blake2b(digest_size=16)
    with reachable(place.url, may_be_missing=True), place.open() as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


def hash_of_bytes(content: bytes) -> str:
    """Return the hash of a file with this content."""
    return blake2b(content, digest_size=16).hexdigest()


def _damage(manifest: Manifest) -> str | None:
    """Return what shows that a finished run did not write its manifest so; None where nothing does."""
    shards = manifest.shards
    if len(shards) != len(manifest.inputs):
        return f"it has {len(shards):,} shards, and {len(manifest.inputs):,} inputs"
    for at, (shard, name) in enumerate(zip(shards, manifest.inputs, strict=True)):
        if (shard.shard, shard.input) != (at, name):
            return f"in place of shard {at} is shard {shard.shard} of {shard.input}"
        if shard.hashes.keys() != HASHED:
            return f"shard {at} does not have the hashes of its files"
    counted = (sum(each.examples for each in shards), sum(each.skipped_total for each in shards))
    if counted != (manifest.examples, manifest.skipped):
        return "the counts of its shards do not add up"
    return None


def _check_same(place: Location, before: Manifest, run: str, inputs: list[str]) -> None:
    again = "a new folder" if before.complete else f"run again without {option('resume', value=True)} to start over"
    if before.run != run:
        raise DataError(
            f"belongs to another run ({before.run}, not {run}); give the same options, or {again}", str(place)
        )
    if before.inputs != inputs:
        raise DataError(f"belongs to a run over other inputs; give the same ones, or {again}", str(place))
