"""What people do, written down once and never changed; what stands of it follows from the events alone."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID, uuid4

import msgspec

from qassay.web.http.refusal import RefusedError, invalid, unknown
from qassay.web.roles import Role
from qassay.web.store.database import now
from qassay.web.study import assignment
from qassay.web.study.creation import shown_value, stored_value
from qassay.web.study.tasks import Task, is_on_scale

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from qassay.web.study.people import Person
    from qassay.web.study.projects import Project

LONGEST_TEXT = 5000
_DAY_MS = 86_400_000


class EventType(StrEnum):
    """What someone may do to an item."""

    JUDGE = "judge"
    CANNOT = "cannot"
    UNDO = "undo"
    FLAG = "flag"
    COMMENT = "comment"
    ADJUDICATE = "adjudicate"


class NewEvent(msgspec.Struct, forbid_unknown_fields=True):
    """What someone did, as their page sends it; the page makes the uuid, so that it can send it again."""

    uuid: UUID
    type: EventType
    item: Annotated[int, msgspec.Meta(ge=1, le=(1 << 63) - 1)]
    value: float | None = None
    text: Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)] | None = None
    reverts: UUID | None = None
    elapsed_ms: Annotated[int, msgspec.Meta(ge=0, le=_DAY_MS)] | None = None
    guideline: Annotated[int, msgspec.Meta(ge=1, le=(1 << 63) - 1)] | None = None
    """The version of the instructions that the person read; without it, the one that holds."""


class Recorded(msgspec.Struct, frozen=True):
    """An event that is on the disk."""

    seq: int
    uuid: str
    again: bool
    """Whether it was there already."""
    feedback: dict[str, Any] | None = None


def record(connection: sqlite3.Connection, project: Project, person: Person, event: NewEvent) -> Recorded:
    """Write an event and what follows from it, or raise a `RefusedError`; an event that is there stays as it is."""
    item = connection.execute("SELECT * FROM item WHERE id = ? AND project = ?", (event.item, project.id)).fetchone()
    if item is None:
        raise unknown("item")
    value = _value(project, person, event)
    known = connection.execute("SELECT * FROM event WHERE uuid = ?", (str(event.uuid),)).fetchone()
    if known is not None:
        sent = (project.id, event.item, person.id, str(event.type), value)
        if sent != tuple(known[name] for name in ("project", "item", "annotator", "type", "value")):
            raise RefusedError(409, "conflict", "this uuid was used for something else; make a new one")
        return Recorded(known["seq"], str(event.uuid), again=True, feedback=_feedback(project, person, item, event))
    if project.state != "open" and event.type is not EventType.ADJUDICATE:
        raise RefusedError(409, "closed", "this study is closed")
    _check(connection, project, person, item, event)
    seq = _insert(
        connection,
        project.id,
        str(event.uuid),
        item=item["id"],
        annotator=person.id,
        kind=str(event.type),
        value=value,
        text=event.text,
        reverts=None if event.reverts is None else str(event.reverts),
        elapsed_ms=event.elapsed_ms,
        guideline=_guideline(connection, project, event),
    )
    if event.type in {EventType.JUDGE, EventType.CANNOT, EventType.UNDO}:
        _update_current(connection, item["id"], person.id)
    if event.type in {EventType.JUDGE, EventType.CANNOT}:
        connection.execute("DELETE FROM lease WHERE item = ? AND annotator = ?", (item["id"], person.id))
    moment = time.time()
    if event.type is EventType.UNDO and (
        item["kind"] != "work" or assignment.is_free(connection, project, person, item["id"], moment)
    ):
        assignment.hold(connection, project, person, item["id"], moment)
    return Recorded(seq, str(event.uuid), again=False, feedback=_feedback(project, person, item, event))


def record_admin(
    connection: sqlite3.Connection,
    project: int,
    person: int | None,
    text: str,
    *,
    kind: str = "admin",
    value: float | None = None,
) -> int:
    """Write down what an owner did, or with `exclude` whose ratings count no more (1) or again (0)."""
    return _insert(connection, project, str(uuid4()), item=None, annotator=person, kind=kind, value=value, text=text)


def standing(events: Iterable[sqlite3.Row]) -> sqlite3.Row | None:
    """Return which of one person's events on one item stands: the last that was not undone; None without any."""
    left: list[sqlite3.Row] = []
    for event in events:
        if event["type"] == EventType.UNDO:
            left = [each for each in left if each["uuid"] != event["reverts"]]
        else:
            left.append(event)
    return left[-1] if left else None


def rebuilt(connection: sqlite3.Connection) -> dict[tuple[int, int], tuple[float | None, int]]:
    """Return what `current` must hold, from the events alone: value and event by item and annotator."""
    held: dict[tuple[int, int], list[sqlite3.Row]] = {}
    for event in connection.execute(
        "SELECT * FROM event WHERE type IN ('judge', 'cannot', 'undo') AND item IS NOT NULL ORDER BY seq"
    ):
        held.setdefault((event["item"], event["annotator"]), []).append(event)
    found = {key: standing(events) for key, events in held.items()}
    return {key: (event["value"], event["seq"]) for key, event in found.items() if event is not None}


def check_current(connection: sqlite3.Connection) -> int:
    """Rebuild `current` from the events and return how many rows were not what they must be."""
    wanted = rebuilt(connection)
    held = {
        (row["item"], row["annotator"]): (row["value"], row["event"])
        for row in connection.execute("SELECT * FROM current")
    }
    wrong = sum(held.get(key) != wanted.get(key) for key in held.keys() | wanted.keys())
    if wrong:
        connection.execute("DELETE FROM current")
        connection.executemany(
            "INSERT INTO current (item, annotator, value, event) VALUES (?, ?, ?, ?)",
            [(*key, *value) for key, value in wanted.items()],
        )
    return wrong


def _value(project: Project, person: Person, event: NewEvent) -> float | None:
    """Return the value to store, checked against the scale."""
    if event.type not in {EventType.JUDGE, EventType.ADJUDICATE}:
        if event.value is not None:
            raise invalid(f'"{event.type}" takes no value')
        return None
    if event.value is None or not is_on_scale(project.task, event.value):
        scale = ", ".join(f"{grade.value:g}" for grade in project.scale)
        raise invalid(f"the value is not on the scale; give one of {scale}")
    if project.task is not Task.PAIR:
        return event.value
    return stored_value(event.value, swapped=_swapped(project, person, event))


def _guideline(connection: sqlite3.Connection, project: Project, event: NewEvent) -> int | None:
    """Return the number of the instructions that the person read, where they say which."""
    if event.guideline is None:
        return None
    row = connection.execute(
        "SELECT id FROM guideline WHERE project = ? AND version = ?", (project.id, event.guideline)
    ).fetchone()
    if row is None:
        raise invalid(f"there is no version {event.guideline} of the instructions")
    number: int = row["id"]
    return number


def _swapped(project: Project, person: Person, event: NewEvent) -> bool:
    # Who adjudicates sees the answers in the order of the file.
    return event.type is EventType.JUDGE and assignment.is_swapped(project, person, event.item)


def _check(
    connection: sqlite3.Connection, project: Project, person: Person, item: sqlite3.Row, event: NewEvent
) -> None:
    """Raise a `RefusedError` where an event does not belong."""
    if event.reverts is not None and event.type is not EventType.UNDO:
        raise invalid('"reverts" is for undo alone')
    if event.type in {EventType.JUDGE, EventType.CANNOT}:
        assignment.may_judge(connection, project, person, item)
    elif event.type is EventType.UNDO:
        _check_undo(connection, project, person, item, event)
    elif event.type is EventType.ADJUDICATE:
        if person.role not in {Role.OWNER, Role.ADJUDICATOR}:
            raise RefusedError(403, "forbidden", "adjudication is for the owner and adjudicators")
        if item["kind"] != "work":
            raise unknown("item")
    elif event.type is EventType.COMMENT and not (event.text or "").strip():
        raise invalid("a comment has a text")
    elif person.role is Role.ANNOTATOR and not _was_given(connection, person, item["id"]):
        raise RefusedError(403, "forbidden", "this item was not given to you")


def _check_undo(
    connection: sqlite3.Connection, project: Project, person: Person, item: sqlite3.Row, event: NewEvent
) -> None:
    """Raise a `RefusedError` unless an event stands that can be undone, and what then stands has room."""
    events = _events_of(connection, item["id"], person.id)
    stands = standing(events)
    if event.reverts is None or stands is None or stands["uuid"] != str(event.reverts):
        raise RefusedError(409, "conflict", "there is nothing of yours here that this could undo")
    before = standing([each for each in events if each["uuid"] != str(event.reverts)])
    if stands["value"] is None and before is not None and before["value"] is not None:
        assignment.may_judge(connection, project, person, item)


def _was_given(connection: sqlite3.Connection, person: Person, item: int) -> bool:
    return (
        connection.execute(
            "SELECT 1 FROM lease WHERE item = ?1 AND annotator = ?2 "
            "UNION SELECT 1 FROM event WHERE item = ?1 AND annotator = ?2",
            (item, person.id),
        ).fetchone()
        is not None
    )


def _insert(
    connection: sqlite3.Connection,
    project: int,
    uuid: str,
    *,
    item: int | None,
    annotator: int | None,
    kind: str,
    value: float | None = None,
    text: str | None = None,
    reverts: str | None = None,
    elapsed_ms: int | None = None,
    guideline: int | None = None,
) -> int:
    found = connection.execute(
        "INSERT INTO event (uuid, project, item, annotator, guideline, type, value, text, reverts, elapsed_ms, at) "
        "SELECT ?1, ?2, ?3, ?4, coalesce(?11, (SELECT max(id) FROM guideline WHERE project = ?2)), ?5, ?6, ?7, ?8, ?9, "
        "?10 RETURNING seq",
        (uuid, project, item, annotator, kind, value, text, reverts, elapsed_ms, now(), guideline),
    ).fetchone()
    seq: int = found["seq"]
    return seq


def _events_of(connection: sqlite3.Connection, item: int, annotator: int) -> list[sqlite3.Row]:
    """Return what a person did to an item that decides what stands."""
    return connection.execute(
        "SELECT * FROM event WHERE item = ? AND annotator = ? AND type IN ('judge', 'cannot', 'undo') ORDER BY seq",
        (item, annotator),
    ).fetchall()


def _update_current(connection: sqlite3.Connection, item: int, annotator: int) -> None:
    stands = standing(_events_of(connection, item, annotator))
    if stands is None:
        connection.execute("DELETE FROM current WHERE item = ? AND annotator = ?", (item, annotator))
        return
    connection.execute(
        "INSERT INTO current (item, annotator, value, event) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET value = excluded.value, event = excluded.event",
        (item, annotator, stands["value"], stands["seq"]),
    )


def _feedback(project: Project, person: Person, item: sqlite3.Row, event: NewEvent) -> dict[str, Any] | None:
    if item["kind"] != "practice" or event.type is not EventType.JUDGE:
        return None
    expected = item["gold"]
    if project.task is Task.PAIR:
        expected = shown_value(expected, swapped=assignment.is_swapped(project, person, item["id"]))
    return {"right": event.value == expected, "expected": expected, "why": item["why"] or ""}
