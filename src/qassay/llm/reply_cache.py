"""Replies on disk, by what was asked: a second run asks nothing again, and a stopped one goes on where it was."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from qassay.errors import OutputError
from qassay.home import below_home
from qassay.llm.replies import ChatReply

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARK = 0x71617373
"""The number in the file's header that says what it is."""
_VERSION = 1
_AT_ONCE = 500
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[ChatReply]).decode


def default_cache() -> Path:
    """Return where replies are kept unless another place is named."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else below_home("~/.cache")) / "qassay" / "llm-replies.sqlite"


def cache_key(parts: Sequence[object]) -> str:
    """Return the key of one question to an LLM, from everything that the reply depends on."""
    return sha256(msgspec.json.encode(list(parts))).hexdigest()


class ReplyCache:
    """A file of replies; every reply is on disk before the next is asked for. Keys and endpoints are not in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = _open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def find(self, keys: Iterable[str]) -> dict[str, list[ChatReply]]:
        """Return the replies that are there; one that cannot be read is as if it were not there."""
        wanted, found = list(dict.fromkeys(keys)), {}
        for at in range(0, len(wanted), _AT_ONCE):
            part = wanted[at : at + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            query = f"SELECT key, replies FROM replies WHERE key IN ({marks})"  # noqa: S608 - question marks
            for key, replies in self._database.execute(query, part):
                try:
                    found[key] = _decode(replies)
                except msgspec.DecodeError:
                    continue
        return {key: replies for key, replies in found.items() if replies}

    def store(self, key: str, replies: Sequence[ChatReply]) -> None:
        """Keep the replies to one question."""
        try:
            with self._database:
                self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, _encode(list(replies))))
        except sqlite3.Error as problem:
            raise _unusable(self.path, problem) from problem


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, timeout=60)
    except (OSError, sqlite3.Error) as problem:
        raise _unusable(path, problem) from problem
    try:
        with closing(database.cursor()) as cursor:
            _check(cursor, path)
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = NORMAL")
            cursor.execute(f"PRAGMA application_id = {_MARK}")
            cursor.execute(f"PRAGMA user_version = {_VERSION}")
            cursor.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, replies BLOB) WITHOUT ROWID")
        database.commit()
    except (sqlite3.Error, OutputError) as problem:
        database.close()
        if isinstance(problem, OutputError):
            raise
        raise _unusable(path, problem) from problem
    return database


def _check(cursor: sqlite3.Cursor, path: Path) -> None:
    """Raise `OutputError` if the file is a database of something else, or of another version."""
    (mark,) = cursor.execute("PRAGMA application_id").fetchone()
    (tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if mark != _MARK and tables:
        raise OutputError("is a database of something else; choose another file for the cache", path)
    (version,) = cursor.execute("PRAGMA user_version").fetchone()
    if version not in {0, _VERSION}:
        raise OutputError("is a cache of another version of Qassay; choose another file", path)


def _unusable(path: Path, problem: Exception) -> OutputError:
    return OutputError(f"cannot be used as a cache ({problem}); choose another file, or make room", path)
