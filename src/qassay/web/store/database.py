"""One SQLite file: a thread that writes, connections that read, migrations, and copies."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from qassay.errors import DataError, OutputError
from qassay.web.store.migrations import scripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Found = TypeVar("Found")
SUFFIX = ".qassay.db"
APPLICATION = 0x51615372
"""What marks a file as ours (SQLite's application id)."""
_BUSY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class _Write:
    work: Callable[[sqlite3.Connection], Any]
    done: Future[Any] = field(default_factory=Future)


class Database:
    """A file of studies. Every change is one transaction of one thread, and is on the disk when `write` returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._connection = _open(path)
        self._closed = False
        migrate(self._connection, path)
        self._thread = threading.Thread(target=self._work, name="qassay-writer", daemon=True)
        self._thread.start()

    def write(self, work: Callable[[sqlite3.Connection], Found]) -> Found:
        """Run work in a transaction of its own and return what it returns, after the commit."""
        entry = _Write(work)
        with self._lock:
            if self._closed:
                raise DataError("the server is stopping; try again when it is back", self.path)
            self._waiting.put(entry)
        found: Found = entry.done.result()
        return found

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Return this thread's connection for reading, in one transaction, so that all that is read fits together."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = _open(self.path)
            connection.execute("PRAGMA query_only = ON")
            with self._lock:
                self._readers.append(connection)
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")

    def backup(self, target: Path) -> Path:
        """Copy the file while it is in use; the copy appears when it is complete and is on the disk."""
        partial = target.with_name(f".{target.name}.part")
        try:
            with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(partial)) as copy:
                source.backup(copy)
            _sync(partial)
            partial.replace(target)
            _sync(target.parent)
        except (OSError, sqlite3.Error) as problem:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise OutputError(f"the copy could not be written ({problem}); make room there", target) from problem
        return target

    def close(self) -> None:
        """Finish what waits and close the file."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._waiting.put(None)
        self._thread.join()
        for each in self._readers:
            each.close()
        self._connection.close()

    def _work(self) -> None:
        connection = self._connection
        while (entry := self._waiting.get()) is not None:
            try:
                connection.execute("BEGIN IMMEDIATE")
                found = entry.work(connection)
                connection.execute("COMMIT")
            except BaseException as problem:  # noqa: BLE001 - whoever waits gets it
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                entry.done.set_exception(problem)
            else:
                entry.done.set_result(found)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest schema, one script per transaction; an older file is copied first."""
    steps = scripts()
    version = _version(connection)
    marked = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if not empty and marked != APPLICATION:
        raise DataError(f"is a database of another program; give a file of `qassay serve` (NAME{SUFFIX})", path)
    if version > len(steps):
        raise DataError(f"was written by a newer version (schema {version}, here {len(steps)}); update Qassay", path)
    if 0 < version < len(steps):
        with closing(sqlite3.connect(path.with_name(f"{path.name}.v{version}.bak"))) as copy:
            connection.backup(copy)
    for number, script in enumerate(steps[version:], version + 1):
        try:
            connection.execute("BEGIN IMMEDIATE")
            if _version(connection) >= number:
                connection.execute("ROLLBACK")
                continue
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute("COMMIT")
        except sqlite3.Error as problem:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise DataError(f"cannot be brought to schema {number}: {problem}; it is as it was", path) from problem


def restore(copy: Path, target: Path) -> None:
    """Make a copy the file again, which must not be there; the copy is checked first."""
    if target.exists():
        raise OutputError("exists; move it away before a copy is put in its place", target)
    for suffix in ("-wal", "-shm"):
        # SQLite would write what a lost file left there into the copy.
        if (left := target.with_name(f"{target.name}{suffix}")).exists():
            raise OutputError("is left of the file that is gone; move it away before a copy is put in its place", left)
    with closing(_open(copy)) as source:
        if source.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise DataError("is damaged; give another copy", copy)
        if source.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise DataError("is no copy of a study", copy)
        partial = target.with_name(f".{target.name}.part")
        with closing(sqlite3.connect(partial)) as made:
            source.backup(made)
    _sync(partial)
    partial.replace(target)
    _sync(target.parent)


def now() -> str:
    """Return the time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _open(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.DatabaseError as problem:
        raise DataError(f"cannot be opened as a study ({problem}); give a file of `qassay serve`", path) from problem
    return connection


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _statements(script: str) -> Iterator[str]:
    """Cut a script into statements: `executescript` would commit before each script."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
