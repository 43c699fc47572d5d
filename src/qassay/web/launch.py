"""From what an operator gives to a running server."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qassay.api.inputs import read_answers, read_options
from qassay.errors import DataError, SpecError
from qassay.io.scores.scored_files import is_scored
from qassay.web.explore.runs import Runs, open_runs
from qassay.web.roles import Role
from qassay.web.run import listen
from qassay.web.server import Server
from qassay.web.store.database import SUFFIX, Database, restore
from qassay.web.study import creation, people
from qassay.web.study.events import check_current

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from qassay.records import Example
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.web.settings import Settings
    from qassay.web.study.creation import StudyPlan

_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Launch:
    """What an operator gives."""

    settings: Settings
    inputs: tuple[str, ...] = ()
    """A study, answers to make one of, or scored runs and folders of them."""
    plan: StudyPlan | None = None
    """What a new study is to be."""
    database: Path | None = None
    gold: str | None = None
    practice: str | None = None
    annotators: tuple[str, ...] = ()
    adjudicators: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """What programs may have scored beside metrics without free texts; and what unscored runs are scored with."""
    token_file: Path | None = None
    format: str = "auto"
    columns: Mapping[str, str] | None = None
    system: str | None = None
    on_error: OnError = "stop"


def launch(wanted: Launch, started: Callable[[list[str]], None], progress: Progress | None = None) -> None:
    """Serve until interrupted; `started` gets the lines to print when the server listens."""
    named = _named(wanted)
    with ExitStack() as stack:
        path, runs = _prepare(wanted, stack, progress)
        database = Database(path)
        stack.callback(database.close)
        database.write(check_current)
        lines = [f"owner: {wanted.settings.url}/join#{database.write(people.owner_token)}"]
        lines += _invitations(wanted.settings.url, named, database)
        file = wanted.token_file
        token = people.new_token() if file is None else read_token(file)
        database.write(lambda connection: people.program_token(connection, token))
        where = f"bearer token {token}" if file is None else f"token in {file}"
        lines.append(f"programs: {wanted.settings.url}/api/v1/score with the {where}")
        server = Server(wanted.settings, database, runs=runs, metrics=wanted.metrics)
        listen(server, lambda: started(lines))


def create_study(wanted: Launch, path: Path, progress: Progress | None = None) -> None:
    """Make a new study from answers, in a file that must not be there."""
    plan = wanted.plan
    if plan is None or not wanted.inputs:
        raise SpecError("a study needs answers; give a file of them")
    if path.exists():
        raise SpecError(f"{path} exists; `qassay serve {path}` opens it, and --db FILE makes another")
    answers = _read(wanted, wanted.inputs, apart=len(wanted.inputs) > 1)
    gold = [] if wanted.gold is None else _read(wanted, [wanted.gold])
    practice = None if wanted.practice is None else _read(wanted, [wanted.practice])
    table = creation.score_answers(answers, plan, progress)
    partial = path.with_name(f".{path.name}.new")
    partial.unlink(missing_ok=True)
    database = Database(partial)
    try:
        database.write(
            lambda connection: creation.create(connection, plan, answers, table, gold=gold, practice=practice)
        )
        database.backup(path)
    finally:
        database.close()
        for each in ("", "-wal", "-shm"):
            partial.with_name(partial.name + each).unlink(missing_ok=True)


def study_path(wanted: Launch) -> Path | None:
    """Return the file of the study that is meant; None where none is."""
    if wanted.database is not None:
        return wanted.database
    studies = [each for each in wanted.inputs if each.endswith(SUFFIX)]
    if studies:
        if len(wanted.inputs) > 1:
            raise SpecError(f"{studies[0]} is a study; serve it by itself")
        return Path(studies[0])
    if wanted.plan is None:
        return None
    return Path(f"{Path(wanted.inputs[0]).name.partition('.')[0] if wanted.inputs else 'study'}{SUFFIX}")


def check_study(path: Path) -> list[str]:
    """Rebuild what stands from the events, compare, and return what was found."""
    database = _existing(path)
    try:
        with database.read() as connection:
            damage = connection.execute("PRAGMA integrity_check").fetchone()[0]
            (events,) = connection.execute("SELECT count(*) FROM event").fetchone()
        if damage != "ok":
            raise DataError(f"is damaged ({damage}); restore a copy with --restore", path)
        wrong = database.write(check_current)
    finally:
        database.close()
    return [f"{events:,} events, the file is sound", f"rows of judgements that did not follow from them: {wrong:,}"]


def back_up(path: Path, target: Path) -> None:
    """Copy a study, also while a server uses it."""
    database = _existing(path)
    try:
        database.backup(target)
    finally:
        database.close()


def put_back(copy: Path, path: Path) -> None:
    """Make a copy the study again."""
    if not copy.is_file():
        raise DataError("there is no such copy", copy)
    restore(copy, path)


def read_token(path: Path) -> str:
    """Return the token that a file holds; a file that is not there is made, for its owner's eyes alone."""
    if not path.exists():
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(f"{people.new_token()}\n")
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise DataError(f"holds no token of at least {_SHORTEST_TOKEN} characters; delete it to get a new one", path)
    return token


def _existing(path: Path) -> Database:
    if not path.is_file():
        raise DataError("there is no such study; --task makes one from answers", path)
    return Database(path)


def _prepare(wanted: Launch, stack: ExitStack, progress: Progress | None) -> tuple[Path, Runs | None]:
    """Return the file that the server works on, and the runs to look into."""
    path = study_path(wanted)
    if wanted.plan is not None and path is not None:
        create_study(wanted, path, progress)
        return path, None
    if path is not None:
        if not path.is_file():
            raise DataError("there is no such study; --task makes one from answers", path)
        return path, None
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    runs = None
    if wanted.inputs:
        files = _files(wanted.inputs)
        scored = [each for each in files if is_scored(each)]
        answers = [each for each in files if each not in scored]
        examples = _read(wanted, answers, apart=len(answers) > 1) if answers else []
        runs = open_runs(folder / "runs.db", scored, examples, metrics=wanted.metrics, progress=progress)
        stack.callback(runs.close)
    return folder / "server.db", runs


def _files(inputs: Sequence[str]) -> list[str]:
    """Return the files that are given, and those in the folders that are given."""
    found: list[str] = []
    for each in inputs:
        if Path(each).is_dir():
            inside = sorted(str(path) for path in Path(each).iterdir() if path.is_file() and path.name[0] != ".")
            if not inside:
                raise DataError("is an empty folder; give one with what `qassay score -o` wrote", each)
            found += inside
        else:
            found.append(each)
    return found


def _read(wanted: Launch, files: Sequence[str], *, apart: bool = False) -> list[Example]:
    options = read_options(wanted.format, wanted.columns, wanted.system, wanted.on_error)
    return read_answers(list(files), options, apart=apart)[0]


def _named(wanted: Launch) -> dict[str, Role]:
    """Return who is to be invited, or raise `SpecError` where one name stands for two people."""
    found: dict[str, Role] = {}
    for given, role in (
        *((each, Role.ANNOTATOR) for each in wanted.annotators),
        *((each, Role.ADJUDICATOR) for each in wanted.adjudicators),
    ):
        name = people.checked_name(given)
        if name in found:
            raise SpecError(f'"{name}" is invited twice; give each person a name of their own')
        found[name] = role
    return found


def _invitations(url: str, named: Mapping[str, Role], database: Database) -> list[str]:
    """Invite the people that are named, and return a line for each; who was invited before gets a new link."""

    def invite(connection: sqlite3.Connection) -> list[str]:
        project = connection.execute("SELECT max(id) FROM project").fetchone()[0]
        if project is None:
            raise SpecError("--annotator and --adjudicator invite to a study; give one, or make one with --task")
        lines = []
        for name, role in named.items():
            known = connection.execute(
                "SELECT id, role FROM annotator WHERE project = ? AND name = ?", (project, name)
            ).fetchone()
            if known is not None and known["role"] != role:
                raise SpecError(f'"{name}" is there as {known["role"]}; invite the {role} by another name')
            token = (
                people.invite(connection, name, role, project)[1]
                if known is None
                else people.renew(connection, known["id"])
            )
            lines.append(f"{name}: {url}/join#{token}")
        return lines

    return database.write(invite) if named else []
