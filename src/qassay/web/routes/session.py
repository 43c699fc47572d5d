"""Joining with an invitation, leaving, and who one is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from qassay.web.http.endpoint import ANYONE_KNOWN, PUBLIC, Call, Endpoint, Nothing, Reply
from qassay.web.http.refusal import RefusedError
from qassay.web.roles import Role
from qassay.web.study import people, projects

if TYPE_CHECKING:
    from qassay.web.study.people import Person


class Joining(msgspec.Struct, forbid_unknown_fields=True):
    """An invitation."""

    token: str


def join(call: Call[Joining, Nothing]) -> Reply:
    """Exchange the token of an invitation for a session."""
    call.server.join_limit.check(call.address)
    joined = call.server.database.write(lambda connection: people.join(connection, call.body.token))
    if joined is None:
        raise RefusedError(401, "unauthenticated", "this invitation is not valid, or was used up; ask for a new one")
    person, secret = joined
    return Reply({"person": person, "next": _first_page(person)}, cookie=secret)


def leave(call: Call[Nothing, Nothing]) -> Reply:
    """End the session."""
    call.server.database.write(lambda connection: people.leave(connection, call.session))
    return Reply({}, cookie="")


def me(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return who calls, and what they may see."""
    person = call.person
    with call.server.database.read() as connection:
        found = [projects.described(connection, each) for each in projects.find_all(connection, person.project)]
    return {"person": person, "projects": found, "explore": call.server.runs is not None}


def _first_page(person: Person) -> str:
    if person.role is Role.ANNOTATOR:
        return f"/annotate/{person.project}"
    if person.role is Role.ADJUDICATOR:
        return f"/projects/{person.project}/adjudicate"
    return "/"


ENDPOINTS = (
    Endpoint("POST", "/api/v1/join", PUBLIC, join, body=Joining, summary="Exchange an invitation for a session."),
    Endpoint("POST", "/api/v1/leave", ANYONE_KNOWN, leave, summary="End the session."),
    Endpoint("GET", "/api/v1/me", ANYONE_KNOWN, me, summary="Who one is, and what one may see."),
)
