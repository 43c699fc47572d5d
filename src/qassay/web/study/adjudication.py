"""Items that people disagree on, the widest spread first, with all that was said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from qassay.web.study.tasks import Task

if TYPE_CHECKING:
    import sqlite3

    from qassay.web.study.projects import Project

_SPREAD = (
    "SELECT item.*, max(counted.value) - min(counted.value) AS spread, avg(counted.value) AS mean, "
    "avg(counted.value * counted.value) - avg(counted.value) * avg(counted.value) AS variance, "
    "(SELECT value FROM event WHERE event.item = item.id AND type = 'adjudicate' ORDER BY seq DESC LIMIT 1) "
    "AS verdict, "
    "(SELECT count(*) FROM event WHERE event.item = item.id AND type = 'flag') AS flags "
    "FROM item LEFT JOIN counted ON counted.item = item.id WHERE project = ? AND kind = 'work' "
    "GROUP BY item.id HAVING count(counted.value) >= 2 OR flags > 0"
)


def disputed(
    connection: sqlite3.Connection, project: Project, *, only_open: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return a page of the items that at least two people judged or someone flagged, widest spread first."""
    condition = "WHERE verdict IS NULL" if only_open else ""
    (total,) = connection.execute(
        f"SELECT count(*) FROM ({_SPREAD}) {condition}",  # noqa: S608 - of two fixed texts
        (project.id,),
    ).fetchone()
    rows = connection.execute(
        f"SELECT * FROM ({_SPREAD}) {condition} ORDER BY spread DESC, variance DESC, flags DESC, id LIMIT ? OFFSET ?",  # noqa: S608
        (project.id, limit, offset),
    ).fetchall()
    return {"total": total, "items": [_described(connection, project, row) for row in rows]}


def _described(connection: sqlite3.Connection, project: Project, row: sqlite3.Row) -> dict[str, Any]:
    ratings = connection.execute(
        "SELECT annotator.id, name, counted.value, at FROM counted JOIN annotator ON annotator.id = counted.annotator "
        "JOIN event ON event.seq = counted.event WHERE counted.item = ? AND counted.value IS NOT NULL ORDER BY seq",
        (row["id"],),
    ).fetchall()
    said = connection.execute(
        "SELECT name, type, text, at FROM event JOIN annotator ON annotator.id = event.annotator "
        "WHERE event.item = ? AND type IN ('comment', 'flag', 'cannot') ORDER BY seq",
        (row["id"],),
    ).fetchall()
    scores = connection.execute(
        "SELECT metric, value FROM score WHERE item = ? ORDER BY place", (row["id"],)
    ).fetchall()
    return {
        "id": row["id"],
        "example_id": row["example_id"],
        "system": row["system"],
        "question": row["question"],
        "context": row["context"],
        "references": msgspec.json.decode(row["references_json"]),
        "candidates": [row["candidate"], *([row["other"]] if project.task is Task.PAIR else [])],
        "spread": row["spread"],
        "mean": row["mean"],
        "ratings": [
            {"person": each["id"], "name": each["name"], "value": each["value"], "at": each["at"]} for each in ratings
        ],
        "comments": [{name: each[name] for name in ("name", "type", "text", "at")} for each in said],
        "scores": {each["metric"]: each["value"] for each in scores},
        "verdict": row["verdict"],
    }
