"""What annotators call: the next item, what they do to it, and what they did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from qassay.web.http.endpoint import PEOPLE, Call, Endpoint, Nothing
from qassay.web.http.refusal import unknown
from qassay.web.study import projects
from qassay.web.study.assignment import Assigned, is_swapped, next_item, shown_item
from qassay.web.study.creation import shown_value
from qassay.web.study.events import NewEvent, Recorded, record
from qassay.web.study.tasks import Task

if TYPE_CHECKING:
    from qassay.web.study.projects import Guideline

_PROJECT = "/api/v1/projects/{project:int}"


class Latest(msgspec.Struct, forbid_unknown_fields=True):
    """How many of one's own judgements to return."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 50


def project_of(call: Call[Any, Any]) -> int:
    """Return the project that a request is about, or raise a `RefusedError` where it is not one of the caller's."""
    number: int = call.path["project"]
    if not call.person.may_see(number):
        raise unknown("project")
    return number


def show_project(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return a project."""
    number = project_of(call)
    with call.server.database.read() as connection:
        return projects.described(connection, projects.find(connection, number))


def show_guideline(call: Call[Nothing, Nothing]) -> Guideline:
    """Return the instructions."""
    number = project_of(call)
    with call.server.database.read() as connection:
        return projects.guideline(connection, projects.find(connection, number).id)


def take_next(call: Call[Nothing, Nothing]) -> Assigned:
    """Return the caller's next item and hold it for them."""
    number, person = project_of(call), call.person
    return call.server.database.write(
        lambda connection: next_item(connection, projects.find(connection, number), person)
    )


def add_event(call: Call[NewEvent, Nothing]) -> Recorded:
    """Write down what the caller did."""
    number, person = project_of(call), call.person
    return call.server.database.write(
        lambda connection: record(connection, projects.find(connection, number), person, call.body)
    )


def mine(call: Call[Nothing, Latest]) -> dict[str, Any]:
    """Return the caller's own judgements that stand, newest first."""
    number, person = project_of(call), call.person
    with call.server.database.read() as connection:
        project = projects.find(connection, number)
        rows = connection.execute(
            "SELECT item.*, event.seq, event.uuid, event.type, event.value AS judged, event.text, event.at "
            "FROM current JOIN event ON event.seq = current.event JOIN item ON item.id = current.item "
            "WHERE current.annotator = ? AND item.project = ? ORDER BY event.seq DESC LIMIT ?",
            (person.id, number, call.query.limit),
        ).fetchall()
    return {
        "events": [
            {
                "seq": row["seq"],
                "uuid": row["uuid"],
                "type": row["type"],
                "item": shown_item(row, project, person),
                "value": shown_value(row["judged"], swapped=is_swapped(project, person, row["id"]))
                if project.task is Task.PAIR
                else row["judged"],
                "text": row["text"],
                "at": row["at"],
            }
            for row in rows
        ]
    }


ENDPOINTS = (
    Endpoint("GET", _PROJECT, PEOPLE, show_project, summary="A project and its progress."),
    Endpoint("GET", f"{_PROJECT}/guideline", PEOPLE, show_guideline, summary="The instructions."),
    Endpoint("POST", f"{_PROJECT}/next", PEOPLE, take_next, summary="The next item to judge.", writes=True),
    Endpoint(
        "POST", f"{_PROJECT}/events", PEOPLE, add_event, body=NewEvent, summary="Judge, undo, flag, …", writes=True
    ),
    Endpoint("GET", f"{_PROJECT}/mine", PEOPLE, mine, query=Latest, summary="One's own judgements."),
)
