"""People and programs: invitations, sessions, and who is who."""

from __future__ import annotations

import secrets
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import msgspec

from qassay.errors import DataError
from qassay.web.roles import Role
from qassay.web.store.database import now

if TYPE_CHECKING:
    import sqlite3

    from qassay.web.store.database import Database

SESSION_SECONDS = 30 * 86400
_NAME = 80


class Person(msgspec.Struct, frozen=True):
    """Someone, or a program, that a server knows."""

    id: int
    name: str
    role: Role
    project: int | None
    """None for whoever has rights on all projects."""

    def may_see(self, project: int) -> bool:
        """Whether a project is one of theirs."""
        return self.project in (None, project)


def digest(secret: str) -> str:
    """Return what is stored of a secret."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def new_token() -> str:
    """Return a new secret of 32 random bytes."""
    return secrets.token_urlsafe(32)


def checked_name(name: str) -> str:
    """Return a name as it is stored, or raise `DataError` where it is none; what looks the same is the same."""
    name = normalize("NFC", " ".join(name.split()))
    if not 0 < len(name) <= _NAME or not name.isprintable():
        raise DataError(f"the name of an annotator has 1 to {_NAME} printable characters; choose another")
    return name


def invite(connection: sqlite3.Connection, name: str, role: Role, project: int | None) -> tuple[Person, str]:
    """Add a person and return them with the token of their invitation, which is not stored."""
    name = checked_name(name)
    token = new_token()
    # The owner's name is taken everywhere: ratings are told apart by name.
    known = connection.execute(
        "SELECT 1 FROM annotator WHERE (project IS ? OR project IS NULL) AND name = ?", (project, name)
    ).fetchone()
    if known:
        raise DataError(f'there is "{name}" already; choose another name')
    row = connection.execute(
        "INSERT INTO annotator (project, name, role, token_hash) VALUES (?, ?, ?, ?) RETURNING *",
        (project, name, str(role), digest(token)),
    ).fetchone()
    return _person(row), token


def renew(connection: sqlite3.Connection, person: int) -> str:
    """Return a new token for a person; the old one and all their sessions end."""
    token = new_token()
    connection.execute("UPDATE annotator SET token_hash = ?, revoked_at = NULL WHERE id = ?", (digest(token), person))
    connection.execute("DELETE FROM session WHERE annotator = ?", (person,))
    return token


def revoke(connection: sqlite3.Connection, person: int) -> None:
    """End a person's rights; what they judged stays."""
    connection.execute("UPDATE annotator SET token_hash = NULL, revoked_at = ? WHERE id = ?", (now(), person))
    connection.execute("DELETE FROM session WHERE annotator = ?", (person,))
    connection.execute("DELETE FROM lease WHERE annotator = ?", (person,))


def owner_token(connection: sqlite3.Connection) -> str:
    """Return a token for the owner, for one use; an older one that was not used ends, sessions stay."""
    token = new_token()
    row = connection.execute("SELECT id FROM annotator WHERE role = 'owner' AND project IS NULL").fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO annotator (project, name, role, token_hash) VALUES (NULL, 'owner', 'owner', ?)",
            (digest(token),),
        )
    else:
        connection.execute("UPDATE annotator SET token_hash = ? WHERE id = ?", (digest(token), row["id"]))
    return token


def program_token(connection: sqlite3.Connection, token: str, name: str = "program") -> None:
    """Let programs in that send a token which the operator keeps."""
    connection.execute("DELETE FROM session WHERE annotator IN (SELECT id FROM annotator WHERE role = 'program')")
    row = connection.execute(
        "SELECT id FROM annotator WHERE role = 'program' AND project IS NULL AND name = ?", (name,)
    ).fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO annotator (project, name, role, token_hash) VALUES (NULL, ?, 'program', ?)",
            (name, digest(token)),
        )
    else:
        connection.execute(
            "UPDATE annotator SET token_hash = ?, revoked_at = NULL WHERE id = ?", (digest(token), row["id"])
        )


def join(connection: sqlite3.Connection, token: str) -> tuple[Person, str] | None:
    """Exchange an invitation for a session; None where the token is unknown. The owner's is for one use."""
    row = connection.execute(
        "SELECT * FROM annotator WHERE token_hash = ? AND revoked_at IS NULL AND role != 'program'", (digest(token),)
    ).fetchone()
    if row is None:
        return None
    secret = new_token()
    connection.execute("DELETE FROM session WHERE expires < ?", (time.time(),))
    connection.execute(
        "INSERT INTO session (secret_hash, annotator, expires) VALUES (?, ?, ?)",
        (digest(secret), row["id"], time.time() + SESSION_SECONDS),
    )
    if row["role"] == Role.OWNER:
        connection.execute("UPDATE annotator SET token_hash = NULL WHERE id = ?", (row["id"],))
    return _person(row), secret


def leave(connection: sqlite3.Connection, secret: str) -> None:
    """End a session."""
    connection.execute("DELETE FROM session WHERE secret_hash = ?", (digest(secret),))


def by_session(database: Database, secret: str) -> Person | None:
    """Return whose session it is; None where it ended."""
    with database.read() as connection:
        row = connection.execute(
            "SELECT annotator.* FROM session JOIN annotator ON annotator.id = session.annotator "
            "WHERE secret_hash = ? AND expires > ? AND revoked_at IS NULL",
            (digest(secret), time.time()),
        ).fetchone()
    return None if row is None else _person(row)


def by_token(database: Database, token: str) -> Person | None:
    """Return the program that a token belongs to; people's invitations are no tokens of programs."""
    with database.read() as connection:
        row = connection.execute(
            "SELECT * FROM annotator WHERE token_hash = ? AND revoked_at IS NULL AND role = 'program'",
            (digest(token),),
        ).fetchone()
    return None if row is None else _person(row)


def _person(row: Any) -> Person:  # noqa: ANN401 - a row of the table
    return Person(row["id"], row["name"], Role(row["role"]), row["project"])
