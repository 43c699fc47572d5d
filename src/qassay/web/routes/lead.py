"""What leads call: people, rounds, instructions, the dashboard, adjudication and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from qassay.io.parsing.rows import to_example
from qassay.web.http.endpoint import LEADS, OWNER, Call, Download, Endpoint, Nothing, Reply
from qassay.web.http.refusal import unknown
from qassay.web.roles import Role
from qassay.web.routes.annotate import project_of
from qassay.web.study import people, projects
from qassay.web.study.adjudication import disputed
from qassay.web.study.events import record_admin
from qassay.web.study.exports import export
from qassay.web.study.ratings import excluded
from qassay.web.study.rounds import draw, drawn_rounds

if TYPE_CHECKING:
    import sqlite3
    from concurrent.futures import Future

    from qassay.web.study.projects import Guideline

_PROJECT = "/api/v1/projects/{project:int}"
ShortText = Annotated[str, msgspec.Meta(max_length=2000)]


class Invitation(msgspec.Struct, forbid_unknown_fields=True):
    """Someone to invite."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    role: Literal["annotator", "adjudicator", "program"] = "annotator"


class Exclusion(msgspec.Struct, forbid_unknown_fields=True):
    """Whether someone's ratings are left out of results."""

    excluded: bool
    text: ShortText | None = None


class NewRound(msgspec.Struct, forbid_unknown_fields=True):
    """How many items to draw."""

    n: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    uniform: bool = False


class NewState(msgspec.Struct, forbid_unknown_fields=True):
    """Whether people may judge."""

    state: Literal["open", "closed"]


class JudgedExample(msgspec.Struct, forbid_unknown_fields=True):
    """An example in the instructions."""

    question: ShortText
    reference: ShortText
    candidate: ShortText
    value: float
    why: ShortText = ""
    other: ShortText | None = None


class NewGuideline(msgspec.Struct, forbid_unknown_fields=True):
    """The next version of the instructions."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=50_000)]
    examples: Annotated[list[JudgedExample], msgspec.Meta(max_length=100)] = msgspec.field(default_factory=list)


class DashboardQuery(msgspec.Struct, forbid_unknown_fields=True):
    """How many judgements make a label."""

    least: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None


class DisputedQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which items to return."""

    offset: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 20
    open: bool = True


def list_projects(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return all projects."""
    with call.server.database.read() as connection:
        found = [projects.described(connection, each) for each in projects.find_all(connection, call.person.project)]
    return {"projects": found}


def set_guideline(call: Call[NewGuideline, Nothing]) -> Guideline:
    """Add the next version of the instructions."""
    number, person = project_of(call), call.person

    def work(connection: sqlite3.Connection) -> Guideline:
        projects.find(connection, number)
        examples = [msgspec.to_builtins(each) for each in call.body.examples]
        found = projects.add_guideline(connection, number, call.body.text, examples)
        record_admin(connection, number, person.id, f"guideline {found.version}")
        return found

    return call.server.database.write(work)


def set_state(call: Call[NewState, Nothing]) -> dict[str, Any]:
    """Open or close a study."""
    number, person, state = project_of(call), call.person, call.body.state

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        projects.find(connection, number)
        connection.execute("UPDATE project SET state = ? WHERE id = ?", (state, number))
        record_admin(connection, number, person.id, f"state {state}")
        return projects.described(connection, projects.find(connection, number))

    return call.server.database.write(work)


def list_people(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return the people of a project."""
    number = project_of(call)
    with call.server.database.read() as connection:
        left_out = excluded(connection, projects.find(connection, number))
        rows = connection.execute(
            "SELECT annotator.*, (SELECT count(value) FROM current JOIN item ON item.id = item "
            "WHERE annotator = annotator.id AND kind = 'work') AS judgements, "
            "(SELECT max(at) FROM event WHERE event.annotator = annotator.id) AS last_at "
            "FROM annotator WHERE project = ? ORDER BY id",
            (number,),
        ).fetchall()
    return {
        "people": [
            {
                "id": row["id"],
                "name": row["name"],
                "role": row["role"],
                "revoked": row["revoked_at"] is not None,
                "excluded": row["id"] in left_out,
                "judgements": row["judgements"],
                "last_at": row["last_at"],
            }
            for row in rows
        ]
    }


def invite(call: Call[Invitation, Nothing]) -> dict[str, Any]:
    """Invite someone; the token is shown this once."""
    number, by, body = project_of(call), call.person, call.body

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        projects.find(connection, number)
        person, token = people.invite(connection, body.name, Role(body.role), number)
        record_admin(connection, number, by.id, f"invited {person.role} {person.id}")
        return {"person": person, "token": token, "link": f"/join#{token}"}

    return call.server.database.write(work)


def renew(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Make a new link for someone; the old one ends."""
    number, by = project_of(call), call.person

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        person = _member(connection, number, call.path["person"])
        token = people.renew(connection, person)
        record_admin(connection, number, by.id, f"new link for {person}")
        return {"token": token, "link": f"/join#{token}"}

    return call.server.database.write(work)


def revoke(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """End someone's rights."""
    number, by = project_of(call), call.person

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        person = _member(connection, number, call.path["person"])
        people.revoke(connection, person)
        record_admin(connection, number, by.id, f"revoked {person}")
        return {"id": person, "revoked": True}

    return call.server.database.write(work)


def exclude(call: Call[Exclusion, Nothing]) -> dict[str, Any]:
    """Leave someone's ratings out of results, or count them again."""
    number, body = project_of(call), call.body

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        person = _member(connection, number, call.path["person"])
        value = float(body.excluded)
        record_admin(connection, number, person, body.text or "", kind="exclude", value=value)
        return {"id": person, "excluded": body.excluded}

    return call.server.database.write(work)


def draw_round(call: Call[NewRound, Nothing]) -> dict[str, Any]:
    """Draw the next round."""
    number, by, body = project_of(call), call.person, call.body

    def work(connection: sqlite3.Connection) -> dict[str, Any]:
        project = projects.find(connection, number)
        round_ = draw(connection, project, body.n, uniform=body.uniform)
        record_admin(connection, number, by.id, f"round {round_}")
        return next(each for each in drawn_rounds(connection, project) if each["round"] == round_)

    return call.server.database.write(work)


def list_rounds(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return the rounds so far."""
    number = project_of(call)
    with call.server.database.read() as connection:
        return {"rounds": drawn_rounds(connection, projects.find(connection, number))}


def dashboard(call: Call[Nothing, DashboardQuery]) -> Reply:
    """Return what a lead watches; unchanged where the caller has it."""
    etag, content = call.server.dashboards.get(project_of(call), call.query.least)
    return Reply(content, etag=etag, unchanged=call.etag == etag)


def list_disputed(call: Call[Nothing, DisputedQuery]) -> dict[str, Any]:
    """Return the items to adjudicate."""
    number, query = project_of(call), call.query
    with call.server.database.read() as connection:
        project = projects.find(connection, number)
        return disputed(connection, project, only_open=query.open, offset=query.offset, limit=query.limit)


def explain_item(call: Call[Nothing, Nothing]) -> Future[Any]:
    """Return the words behind an item's scores."""
    number = project_of(call)
    with call.server.database.read() as connection:
        row = connection.execute(
            "SELECT example_json FROM item WHERE id = ? AND project = ? AND kind = 'work'",
            (call.path["item"], number),
        ).fetchone()
        metrics = [
            each["metric"]
            for each in connection.execute(
                "SELECT metric FROM score WHERE item = ? ORDER BY place", (call.path["item"],)
            )
        ]
    if row is None:
        raise unknown("item")
    return call.server.scoring.explain(to_example(msgspec.json.decode(row["example_json"]), "item", 1, ""), metrics)


def download(call: Call[Nothing, DashboardQuery]) -> Download:
    """Return one of the files of a study."""
    number = project_of(call)
    with call.server.database.read() as connection:
        project = projects.find(connection, number)
        return export(connection, call.server.dashboards, project, call.path["name"], call.query.least)


def _member(connection: sqlite3.Connection, project: int, person: int) -> int:
    """Return a person's number, or raise a `RefusedError` where they are not of this project."""
    if connection.execute("SELECT 1 FROM annotator WHERE id = ? AND project = ?", (person, project)).fetchone() is None:
        raise unknown("person")
    return person


_PERSON = f"{_PROJECT}/people/{{person:int}}"
ENDPOINTS = (
    Endpoint("GET", "/api/v1/projects", OWNER, list_projects, summary="All projects."),
    Endpoint("PUT", f"{_PROJECT}/guideline", OWNER, set_guideline, body=NewGuideline, summary="New instructions."),
    Endpoint("POST", f"{_PROJECT}/state", OWNER, set_state, body=NewState, summary="Open or close."),
    Endpoint("GET", f"{_PROJECT}/people", OWNER, list_people, summary="The people."),
    Endpoint("POST", f"{_PROJECT}/people", OWNER, invite, body=Invitation, summary="Invite someone."),
    Endpoint("POST", f"{_PERSON}/link", OWNER, renew, summary="A new link for someone."),
    Endpoint("POST", f"{_PERSON}/revoke", OWNER, revoke, summary="End someone's rights."),
    Endpoint("POST", f"{_PERSON}/exclude", OWNER, exclude, body=Exclusion, summary="Leave someone's ratings out."),
    Endpoint("POST", f"{_PROJECT}/rounds", OWNER, draw_round, body=NewRound, summary="Draw a round."),
    Endpoint("GET", f"{_PROJECT}/rounds", OWNER, list_rounds, summary="The rounds."),
    Endpoint("GET", f"{_PROJECT}/dashboard", OWNER, dashboard, query=DashboardQuery, summary="The figures."),
    Endpoint(
        "GET", f"{_PROJECT}/adjudication", LEADS, list_disputed, query=DisputedQuery, summary="What to adjudicate."
    ),
    Endpoint("GET", f"{_PROJECT}/items/{{item:int}}/explanation", LEADS, explain_item, summary="Behind the scores."),
    Endpoint("GET", f"{_PROJECT}/export/{{name}}", OWNER, download, query=DashboardQuery, summary="A file."),
)
