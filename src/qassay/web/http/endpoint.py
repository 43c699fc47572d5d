"""What the server answers: one declaration per method and path, with who may call it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from qassay.web.roles import Role

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from qassay.web.server import Server
    from qassay.web.study.people import Person


PUBLIC = None
"""The access of what everyone may call."""
OWNER = frozenset({Role.OWNER})
LEADS = frozenset({Role.OWNER, Role.ADJUDICATOR})
PEOPLE = frozenset({Role.OWNER, Role.ADJUDICATOR, Role.ANNOTATOR})
PROGRAMS = frozenset({Role.OWNER, Role.PROGRAM})
ANYONE_KNOWN = frozenset(Role)


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A body or a query without fields."""


Body = TypeVar("Body")
Query = TypeVar("Query")


@dataclass(frozen=True, slots=True)
class Call(Generic[Body, Query]):
    """One request whose caller, body and query were checked."""

    server: Server
    caller: Person | None
    """None only where everyone may call."""
    body: Body
    query: Query
    path: Mapping[str, Any] = field(default_factory=dict)
    etag: str | None = None
    """What the caller has already."""
    address: str = ""
    session: str = ""
    """The secret of the caller's session."""

    @property
    def person(self) -> Person:
        """Who calls; there is someone wherever not everyone may call."""
        if self.caller is None:
            raise LookupError("an endpoint for everyone asks who calls")
        return self.caller


@dataclass(frozen=True, slots=True)
class Download:
    """A file as an answer."""

    name: str
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with more than its JSON."""

    content: object
    cookie: str | None = None
    """A session's secret to set; empty to delete it."""
    etag: str | None = None
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method and a path, what they take, and who may call them."""

    method: str
    path: str
    access: frozenset[Role] | None
    function: Callable[[Any], object] | None
    """Called in a thread with the `Call`; returns what becomes JSON."""
    body: Any = Nothing
    query: Any = Nothing
    summary: str = ""
    stream: Callable[[Request, Server], Awaitable[Response]] | None = None
    """Handles the request itself instead of `function`, where bodies are streamed."""
    then: Callable[[Any], object] | None = None
    """Makes the reply of what the function returns when it is there, where that is a future."""
    writes: bool = False
    """Whether the calls of one person are limited per second."""
