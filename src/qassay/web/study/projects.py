"""Projects: what is asked, of which items, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from qassay.web.http.refusal import unknown
from qassay.web.study.tasks import SCALES, Grade, Task

if TYPE_CHECKING:
    import sqlite3


class ProjectProgress(msgspec.Struct, frozen=True):
    """How far a project is."""

    items: int
    drawn: int
    """Items in rounds."""
    complete: int
    """Items with all their judgements."""
    judgements: int
    needed: int
    cannot: int
    people: int


class Project(msgspec.Struct, frozen=True):
    """A study."""

    id: int
    name: str
    task: Task
    k: int
    """Judgements per item."""
    state: str
    scale: tuple[Grade, ...]
    judge: str | None
    """The metric whose doubts choose the rounds, and whose scores enter the accuracy."""
    cut: float | None
    lease_s: int
    gold_every: int
    seed: int
    round_size: int


class Guideline(msgspec.Struct, frozen=True):
    """The instructions of a project."""

    id: int
    version: int
    text: str
    examples: list[dict[str, Any]]


def find(connection: sqlite3.Connection, number: int) -> Project:
    """Return a project."""
    row = connection.execute("SELECT * FROM project WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise unknown("project")
    return _project(row)


def find_all(connection: sqlite3.Connection, only: int | None = None) -> list[Project]:
    """Return all projects, or one of them."""
    rows = connection.execute("SELECT * FROM project WHERE ?1 IS NULL OR id = ?1 ORDER BY id", (only,))
    return [_project(row) for row in rows]


def progress(connection: sqlite3.Connection, project: Project) -> ProjectProgress:
    """Count what a project has."""
    items, drawn = connection.execute(
        "SELECT count(*), count(round) FROM item WHERE project = ? AND kind = 'work'", (project.id,)
    ).fetchone()
    judgements, cannot, complete = connection.execute(
        "SELECT coalesce(sum(judged), 0), coalesce(sum(cannot), 0), coalesce(sum(judged >= ?), 0) FROM ("
        "SELECT count(value) AS judged, count(*) - count(value) AS cannot FROM counted JOIN item ON item.id = item "
        "WHERE project = ? AND kind = 'work' GROUP BY item)",
        (project.k, project.id),
    ).fetchone()
    (people,) = connection.execute(
        "SELECT count(*) FROM annotator WHERE project = ? AND role = 'annotator' AND revoked_at IS NULL", (project.id,)
    ).fetchone()
    return ProjectProgress(items, drawn, complete, judgements, drawn * project.k, cannot, people)


def described(connection: sqlite3.Connection, project: Project) -> dict[str, Any]:
    """Return a project with its progress, as it is shown."""
    return {**msgspec.to_builtins(project), "progress": msgspec.to_builtins(progress(connection, project))}


def guideline(connection: sqlite3.Connection, project: int) -> Guideline:
    """Return the instructions that hold now."""
    row = connection.execute(
        "SELECT * FROM guideline WHERE project = ? ORDER BY version DESC LIMIT 1", (project,)
    ).fetchone()
    return Guideline(row["id"], row["version"], row["text"], msgspec.json.decode(row["examples_json"]))


def add_guideline(connection: sqlite3.Connection, project: int, text: str, examples: list[dict[str, Any]]) -> Guideline:
    """Add the next version of the instructions."""
    connection.execute(
        "INSERT INTO guideline (project, version, text, examples_json) "
        "SELECT ?1, coalesce(max(version), 0) + 1, ?2, ?3 FROM guideline WHERE project = ?1",
        (project, text, msgspec.json.encode(examples).decode()),
    )
    return guideline(connection, project)


def _project(row: sqlite3.Row) -> Project:
    task = Task(row["task"])
    return Project(
        row["id"],
        row["name"],
        task,
        row["k"],
        row["state"],
        SCALES[task],
        row["judge"],
        row["cut"],
        row["lease_s"],
        row["gold_every"],
        row["seed"],
        row["round_size"],
    )
