"""Scores on disk, by metric, model and texts: what a model has read once it does not read again."""

from __future__ import annotations

import platform
import sqlite3
import time
from contextlib import closing
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.errors import OutputError, SpecError, option
from qassay.features.batch import PlacedNote  # noqa: TC001 - msgspec reads the type
from qassay.metrics.registry import CATALOGUE
from qassay.records import AnswerNotes, read_field
from qassay.scoring.aggregates.aggregation import signature_fields
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.features.resources import Resources
    from qassay.metrics.base import Metric
    from qassay.records import Example

FILE = "scores.sqlite"
SIZE = 1024
"""Megabytes that a cache may take unless another bound is given."""
MOST_SIZE = 1 << 30
_MARK = 0x71617363
"""The number in the file's header that says what it is."""
_LAYOUT = 1
_AT_ONCE = 500
_MEGABYTE = 1 << 20
_JOURNAL, _PAGE = _MEGABYTE // 4, 4096
"""Bytes of the journal from which on it is written into the file, and of one page."""
_KEPT = 0.9
"""The share of the bound down to which a full cache is emptied."""
_WAIT = 120
"""Seconds to wait for another process that writes."""
_CHECKSUM = 8
_FIELDS = ("question", "candidate", "opinion", "entities", "context", "question_type")
_LIBRARIES = ("numpy", "onnxruntime", "tokenizers", "torch", "transformers")
"""Whose other versions may give other last digits."""
_encode = msgspec.msgpack.Encoder().encode


class StoredScore(msgspec.Struct, frozen=True, array_like=True):
    """What a metric found of one answer."""

    stats: list[float]
    reason: str | None
    """Why it has no score."""
    answer_notes: AnswerNotes | None
    notes_answers: bool
    """Whether the metric notes anything of answers at all."""
    notes: list[PlacedNote]


class ScoreCache:
    """A file of scores in a folder, for any number of processes on one machine. Can be pickled.

    Every process opens the file for itself. What was used least recently is dropped when the bound is reached.
    """

    def __init__(self, folder: str | Path, megabytes: int = SIZE) -> None:
        self.path = Path(folder).expanduser() / FILE
        self.megabytes = megabytes
        self._database: sqlite3.Connection | None = None
        self._keys: dict[str, bytes | None] = {}
        # A file that cannot be used is refused before anything is scored.
        self._open()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_database": None}

    def keys(
        self, metric: Metric, resources: Resources, examples: Sequence[Example], lacking: Mapping[int, str]
    ) -> list[bytes | None]:
        """Return the keys of the answers under a metric; None for what is not stored."""
        spec = str(metric.spec)
        if spec not in self._keys:
            self._keys[spec] = metric_key(metric, resources)
        base = self._keys[spec]
        if base is None:
            return []
        fields = tuple(dict.fromkeys((*_FIELDS, *sorted(metric.reads | metric.needed_fields - {"references"}))))
        return [_answer_key(base, each, fields, lacking.get(i)) for i, each in enumerate(examples)]

    def find(self, keys: Iterable[bytes | None]) -> dict[bytes, StoredScore]:
        """Return what is stored, as used now; what was damaged is as if it were not there."""
        wanted = list(dict.fromkeys(key for key in keys if key is not None))
        found: dict[bytes, StoredScore] = {}
        database = self._open()
        try:
            for at in range(0, len(wanted), _AT_ONCE):
                part = wanted[at : at + _AT_ONCE]
                marks = ", ".join("?" * len(part))
                query = f"SELECT key, value FROM scores WHERE key IN ({marks})"  # noqa: S608 - question marks
                for key, value in database.execute(query, part):
                    if (score := _decoded(key, value)) is not None:
                        found[key] = score
            with database:
                now = time.time_ns()
                database.executemany("UPDATE scores SET used = ? WHERE key = ?", [(now, key) for key in found])
        except sqlite3.Error as problem:
            raise _unusable(self.path, problem) from problem
        return found

    def store(self, scores: Mapping[bytes, StoredScore]) -> None:
        """Keep scores, and drop what was used least recently where they are too many."""
        database, now = self._open(), time.time_ns()
        rows = [(key, now, _encoded(key, score)) for key, score in scores.items()]
        try:
            with database:
                database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", rows)
                self._make_room(database)
            # A script runs to its end, where a statement without rows would free a single page.
            database.executescript("PRAGMA incremental_vacuum")
        except sqlite3.Error as problem:
            raise _unusable(self.path, problem) from problem

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _make_room(self, database: sqlite3.Connection) -> None:
        bound = self.megabytes * _MEGABYTE
        # Pages are free only when all their rows are dropped, so that once may not be enough.
        while (taken := _taken(database)) > bound:
            (rows,) = database.execute("SELECT count(*) FROM scores").fetchone()
            if not rows:
                return
            dropped = max(1, rows - int(rows * _KEPT * bound / taken))
            database.execute(
                "DELETE FROM scores WHERE key IN (SELECT key FROM scores ORDER BY used LIMIT ?)", (dropped,)
            )

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = _opened(self.path)
        return self._database


def metric_key(metric: Metric, resources: Resources) -> bytes | None:
    """Return a hash of all that a metric's scores depend on besides the answers; None if they are not to be stored.

    Stored are scores of models that can be told apart, unless they depend on the whole run.
    """
    if not metric.runs_model or metric.first_passes(resources):
        return None
    identity = signature_fields(metric, resources)
    if not {"model", "weights"} & identity.keys() or not _known_code(metric):
        return None
    parts = [_LAYOUT, __version__, str(metric.spec), sorted(identity.items()), resources.device, _libraries()]
    return blake2b(_encode(parts), digest_size=16).digest()


def _known_code(metric: Metric) -> bool:
    """Whether what calculates the scores is Qassay's own or has a version."""
    entry, weighting = CATALOGUE[metric.spec.name], metric.weighting
    own = entry.distribution is not None or type(metric).__module__.startswith("qassay.")
    return own and (
        weighting is None or weighting.distribution is not None or type(weighting).__module__.startswith("qassay.")
    )


def _libraries() -> list[str]:
    found = [platform.machine(), platform.python_version()]
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found


def _answer_key(base: bytes, example: Example, fields: Sequence[str], lacking: str | None) -> bytes | None:
    """Return a hash of all that a score can depend on; None for a field that has no certain form."""
    # What is noted of an answer without a question depends on the names of the other fields.
    others = sorted(example.extra) if not example.question.strip() else ()
    references = [(each.text, each.opinion) for each in example.references]
    try:
        parts = _encode([[read_field(example, name) for name in fields], references, others, lacking])
    except (TypeError, ValueError, OverflowError):
        return None
    return blake2b(base + parts, digest_size=16).digest()


def _encoded(key: bytes, score: StoredScore) -> bytes:
    value = _encode(score)
    return _checksum(key, value) + value


def _decoded(key: bytes, stored: object) -> StoredScore | None:
    if not isinstance(stored, bytes) or stored[:_CHECKSUM] != _checksum(key, stored[_CHECKSUM:]):
        return None
    try:
        return msgspec.msgpack.decode(stored[_CHECKSUM:], type=StoredScore)
    except msgspec.MsgspecError:
        return None


def _checksum(key: bytes, value: bytes) -> bytes:
    return blake2b(key + value, digest_size=_CHECKSUM).digest()


def _taken(database: sqlite3.Connection) -> int:
    """Return the bytes that the file's pages take, without the free ones."""
    (pages,), (free,), (size,) = (
        database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _opened(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, timeout=_WAIT, check_same_thread=False)
    except (OSError, sqlite3.Error) as problem:
        raise _unusable(path, problem) from problem
    try:
        with closing(database.cursor()) as cursor:
            _prepare(cursor, path)
        database.commit()
    except sqlite3.Error as problem:
        database.close()
        raise _unusable(path, problem) from problem
    except OutputError:
        database.close()
        raise
    return database


def _prepare(cursor: sqlite3.Cursor, path: Path) -> None:
    """Check or make the tables; one process at a time."""
    cursor.execute(f"PRAGMA busy_timeout = {_WAIT * 1000}")
    cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    # What waits in the journal is beside the bound: it goes into the file often, and the journal stays short.
    cursor.execute(f"PRAGMA wal_autocheckpoint = {_JOURNAL // _PAGE}")
    cursor.execute(f"PRAGMA journal_size_limit = {_JOURNAL}")
    cursor.execute("BEGIN IMMEDIATE")
    (mark,) = cursor.execute("PRAGMA application_id").fetchone()
    (layout,) = cursor.execute("PRAGMA user_version").fetchone()
    (tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != _MARK:
        raise OutputError(f"is a database of something else; choose another folder for {option('cache')}", path)
    if tables and layout != _LAYOUT:
        raise OutputError("is a cache of another version of Qassay; delete it, or choose another folder", path)
    if not tables:
        cursor.execute(f"PRAGMA application_id = {_MARK}")
        cursor.execute(f"PRAGMA user_version = {_LAYOUT}")
        cursor.execute("CREATE TABLE scores (key BLOB PRIMARY KEY, used INTEGER, value BLOB) WITHOUT ROWID")
        cursor.execute("CREATE INDEX scores_used ON scores (used)")


def _unusable(path: Path, problem: Exception) -> OutputError:
    return OutputError(
        f"cannot be used as a cache ({problem}); delete it, choose another folder, or leave {option('cache')} out", path
    )


def open_cache(folder: str | Path | None, megabytes: int | None) -> ScoreCache | None:
    """Open the cache of a run, which has none unless a folder is named."""
    if folder is None:
        if megabytes is not None:
            raise SpecError(f"{option('cache_size')} bounds {option('cache')}; give both, or leave it out")
        return None
    return ScoreCache(folder, SIZE if megabytes is None else megabytes)
