"""Who judges what next: no item goes to more than `k` people, none twice to the same, and each is held for a while."""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.web.http.refusal import RefusedError
from qassay.web.study import projects
from qassay.web.study.rounds import draw
from qassay.web.study.tasks import Task

if TYPE_CHECKING:
    import sqlite3

    from qassay.web.study.people import Person
    from qassay.web.study.projects import Project


class ShownItem(msgspec.Struct, frozen=True):
    """An item as annotators see it: no system, no score, nothing of others; gold looks like work."""

    id: int
    kind: str
    question: str
    context: str | None
    references: list[str]
    candidates: list[str | None]


class Own(msgspec.Struct, frozen=True):
    """How far a person is."""

    done: int
    practice_left: int
    left: int
    """Items that they may still get, at most."""


class Assigned(msgspec.Struct, frozen=True):
    """The next item of a person, or why there is none."""

    item: ShownItem | None
    reason: str | None
    mine: Own
    guideline: int
    """The version of the instructions that holds now."""


_LIVE = "expires > :now AND expires <= :now + 2 * :lease"
"""Whether a lease holds. None ends much later than now: one that does was given before the clock was set back."""
_FREE = (
    "NOT EXISTS (SELECT 1 FROM current WHERE item = item.id AND annotator = :person) "  # noqa: S608 - of fixed texts
    "AND (SELECT count(value) FROM counted WHERE item = item.id) "
    f"+ (SELECT count(*) FROM lease WHERE item = item.id AND annotator != :person AND {_LIVE}) < :k "
    "AND (SELECT count(*) - count(value) FROM current WHERE item = item.id) < :k + 2"
)
"""Whether a person may have an item: they did not judge it, judgements that count and live leases are fewer than k, and
at most k + 1 people could not judge it. What someone said whose ratings are left out does not count."""
_WORK = "item.project = :project AND item.kind = 'work' AND item.round IS NOT NULL"


def next_item(connection: sqlite3.Connection, project: Project, person: Person, at: float | None = None) -> Assigned:
    """Return the next item of a person and hold it for them; asking twice returns the same."""
    now = time.time() if at is None else at
    names = {"project": project.id, "person": person.id, "now": now, "k": project.k, "lease": project.lease_s}
    version = projects.guideline(connection, project.id).version
    if project.state != "open":
        return Assigned(None, "closed", own(connection, project, person), version)
    row = _practice(connection, names) or _held(connection, names) or _gold(connection, project, names)
    row = row or _work(connection, names)
    if row is None and project.round_size and _anything_left(connection, names):
        draw(connection, project, project.round_size)
        row = _work(connection, names)
    if row is None:
        waiting = connection.execute(
            f"SELECT 1 FROM lease JOIN item ON item.id = item WHERE {_WORK} AND annotator != :person "  # noqa: S608
            f"AND {_LIVE} AND NOT EXISTS (SELECT 1 FROM current WHERE item = item.id AND annotator = :person)",
            names,
        ).fetchone()
        return Assigned(None, "wait" if waiting else "finished", own(connection, project, person), version)
    hold(connection, project, person, row["id"], now)
    return Assigned(shown_item(row, project, person), None, own(connection, project, person), version)


def hold(connection: sqlite3.Connection, project: Project, person: Person, item: int, now: float) -> None:
    """Hold an item for a person."""
    connection.execute(
        "INSERT INTO lease (item, annotator, expires) VALUES (?, ?, ?) "
        "ON CONFLICT DO UPDATE SET expires = excluded.expires",
        (item, person.id, now + project.lease_s),
    )


def may_judge(
    connection: sqlite3.Connection, project: Project, person: Person, item: sqlite3.Row, at: float | None = None
) -> None:
    """Raise a `RefusedError` unless a person may judge an item: it was given to them, and others left room."""
    now = time.time() if at is None else at
    given = connection.execute(
        "SELECT 1 FROM lease WHERE item = ?1 AND annotator = ?2 "
        "UNION SELECT 1 FROM event WHERE item = ?1 AND annotator = ?2 AND type IN ('judge', 'cannot')",
        (item["id"], person.id),
    ).fetchone()
    if given is None:
        raise RefusedError(403, "forbidden", "this item was not given to you")
    if item["kind"] != "work":
        return
    own_value = connection.execute(
        "SELECT value FROM current WHERE item = ? AND annotator = ?", (item["id"], person.id)
    ).fetchone()
    if own_value is not None and own_value["value"] is not None:
        return
    judged, held, mine = connection.execute(
        "SELECT (SELECT count(value) FROM counted WHERE item = :item), "  # noqa: S608 - of fixed texts
        f"(SELECT count(*) FROM lease WHERE item = :item AND annotator != :person AND {_LIVE}), "
        f"(SELECT count(*) FROM lease WHERE item = :item AND annotator = :person AND {_LIVE})",
        {"item": item["id"], "person": person.id, "now": now, "lease": project.lease_s},
    ).fetchone()
    if judged >= project.k or (not mine and judged + held >= project.k):
        raise RefusedError(409, "taken", "others judged this item while you were away; go on with the next one")


def is_free(connection: sqlite3.Connection, project: Project, person: Person, item: int, now: float) -> bool:
    """Whether a person may have an item."""
    names = {"item": item, "person": person.id, "now": now, "k": project.k, "lease": project.lease_s}
    return connection.execute(f"SELECT 1 FROM item WHERE id = :item AND {_FREE}", names).fetchone() is not None  # noqa: S608


def is_swapped(project: Project, person: Person, item: int) -> bool:
    """Whether a person sees the two answers of an item in the other order."""
    return project.task is Task.PAIR and Random(f"{project.seed} {person.id} {item}").random() < 1 / 2


def shown_item(row: sqlite3.Row, project: Project, person: Person) -> ShownItem:
    """Return an item as a person sees it."""
    candidates = [row["candidate"]]
    if project.task is Task.PAIR:
        candidates.append(row["other"])
        if is_swapped(project, person, row["id"]):
            candidates.reverse()
    return ShownItem(
        row["id"],
        "practice" if row["kind"] == "practice" else "work",
        row["question"],
        row["context"],
        msgspec.json.decode(row["references_json"]),
        candidates,
    )


def own(connection: sqlite3.Connection, project: Project, person: Person) -> Own:
    """Count what a person did and what is left for them."""
    names = {"project": project.id, "person": person.id, "k": project.k}
    done, work, practised = connection.execute(
        "SELECT count(*) FILTER (WHERE kind != 'practice'), count(*) FILTER (WHERE kind = 'work'), "
        "count(*) FILTER (WHERE kind = 'practice') "
        "FROM current JOIN item ON item.id = item WHERE annotator = :person AND project = :project",
        names,
    ).fetchone()
    practice, drawn, undrawn = connection.execute(
        "SELECT count(*) FILTER (WHERE kind = 'practice'), "
        "count(*) FILTER (WHERE kind = 'work' AND round IS NOT NULL), "
        "count(*) FILTER (WHERE kind = 'work' AND round IS NULL) "
        "FROM item WHERE project = :project",
        names,
    ).fetchone()
    (complete,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM counted JOIN item ON item.id = item WHERE project = :project "
        "AND kind = 'work' GROUP BY item HAVING count(value) >= :k AND NOT max(annotator = :person))",
        names,
    ).fetchone()
    to_come = undrawn if project.round_size else 0
    return Own(done, practice - practised, max(0, drawn + to_come - work - complete))


def _practice(connection: sqlite3.Connection, names: dict[str, Any]) -> sqlite3.Row | None:
    return _row(
        connection,
        "SELECT * FROM item WHERE project = :project AND kind = 'practice' "
        "AND NOT EXISTS (SELECT 1 FROM current WHERE item = item.id AND annotator = :person) "
        "ORDER BY position LIMIT 1",
        names,
    )


def _held(connection: sqlite3.Connection, names: dict[str, Any]) -> sqlite3.Row | None:
    """Return what the person holds already, the latest first: after an undo that is the item of the undo."""
    return _row(
        connection,
        "SELECT item.* FROM lease JOIN item ON item.id = lease.item WHERE item.project = :project "  # noqa: S608
        f"AND annotator = :person AND {_LIVE} "
        "AND NOT EXISTS (SELECT 1 FROM current WHERE item = item.id AND annotator = :person) "
        "ORDER BY expires DESC LIMIT 1",
        names,
    )


def _gold(connection: sqlite3.Connection, project: Project, names: dict[str, Any]) -> sqlite3.Row | None:
    """Return a gold item where one is due: one in so many, at a place that is drawn for each person."""
    (done,) = connection.execute(
        "SELECT count(*) FROM current JOIN item ON item.id = item "
        "WHERE annotator = :person AND project = :project AND kind != 'practice'",
        names,
    ).fetchone()
    block, place = divmod(done, project.gold_every)
    seed = f"{project.seed} {names['person']}"
    if Random(f"{seed} {block}").randrange(project.gold_every) != place:
        return None
    unseen = connection.execute(
        "SELECT * FROM item WHERE project = :project AND kind = 'gold' "
        "AND NOT EXISTS (SELECT 1 FROM current WHERE item = item.id AND annotator = :person) ORDER BY id",
        names,
    ).fetchall()
    if not unseen:
        return None
    chosen: sqlite3.Row = Random(f"{seed} gold {block}").choice(unseen)
    return chosen


def _work(connection: sqlite3.Connection, names: dict[str, Any]) -> sqlite3.Row | None:
    """Return the earliest item that is free; those that someone let go come first, since they may be the hard ones."""
    abandoned = _row(
        connection,
        f"SELECT item.* FROM lease JOIN item ON item.id = lease.item WHERE NOT ({_LIVE}) AND {_WORK} AND {_FREE} "  # noqa: S608
        "ORDER BY round, position LIMIT 1",
        names,
    )
    return abandoned or _row(
        connection,
        f"SELECT * FROM item WHERE {_WORK} AND {_FREE} ORDER BY round, position LIMIT 1",  # noqa: S608
        names,
    )


def _anything_left(connection: sqlite3.Connection, names: dict[str, Any]) -> bool:
    return (
        _row(
            connection,
            "SELECT 1 FROM item LEFT JOIN score ON score.item = item.id "
            "AND metric = (SELECT judge FROM project WHERE id = :project) "
            "WHERE project = :project AND kind = 'work' AND round IS NULL "
            "AND (value IS NOT NULL OR (SELECT judge FROM project WHERE id = :project) IS NULL) LIMIT 1",
            names,
        )
        is not None
    )


def _row(connection: sqlite3.Connection, query: str, names: dict[str, Any]) -> sqlite3.Row | None:
    found: sqlite3.Row | None = connection.execute(query, names).fetchone()
    return found
