"""Nothing that was acknowledged is lost: kill -9, copies, migrations, and a table that follows from its events."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from uuid import uuid4

import pytest

from commands import qassay
from qassay.errors import DataError, OutputError
from qassay.web.roles import Role
from qassay.web.store import migrations
from qassay.web.store.database import APPLICATION, Database, restore
from qassay.web.study import creation, events, people
from qassay.web.study.assignment import next_item
from qassay.web.study.events import EventType, NewEvent
from qassay.web.study.projects import find
from qassay.web.study.tasks import Task
from web.conftest import Client, free_port
from web.studies import answers, prepare

PROJECT = "/api/v1/projects/1"
PEOPLE = 4


def make(path, n=3000):
    database = Database(path)
    plan = creation.StudyPlan("Study", Task.BINARY, 3, judge=None, round_size=0)

    def work(connection):
        creation.create(connection, plan, answers(n), None, practice=())
        return [people.invite(connection, f"p{i}", Role.ANNOTATOR, 1)[1] for i in range(PEOPLE)]

    tokens = database.write(work)
    database.close()
    return tokens


@contextlib.contextmanager
def process(path):
    port = free_port()
    killable = Path(__file__).with_name("killable.py")
    server = subprocess.Popen([sys.executable, str(killable), str(path), str(port)])  # noqa: S603 - our own
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                if Client(port).get("/healthz", timeout=2).status == 200:
                    break
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield server, port
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()


def work_until_killed(client, acknowledged, problems):
    """Judge item after item, and note what the server acknowledged."""
    try:
        while True:
            item = client.post(f"{PROJECT}/next").json["item"]["id"]
            uuid = str(uuid4())
            reply = client.post(f"{PROJECT}/events", {"uuid": uuid, "type": "judge", "item": item, "value": 1})
            if reply.status == 200:
                acknowledged.append(uuid)
            else:
                problems.append(reply.body)
                return
    except (OSError, ValueError):
        return
    except Exception as problem:  # noqa: BLE001 - http.client has many kinds of cut replies
        if "http.client" not in type(problem).__module__:
            problems.append(problem)


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.long)])
def test_every_acknowledged_judgement_survives_kill_9(tmp_path, kills):
    """The server is killed in the midst of writes, again and again: what it acknowledged is there, once."""
    path = tmp_path / "study.qassay.db"
    tokens = make(path)
    acknowledged, problems, cookies = [], [], {}
    for kill in range(kills):
        with process(path) as (server, port):
            clients = []
            for number, token in enumerate(tokens):
                client = Client(port)
                if number in cookies:
                    client.headers["Cookie"] = f"qassay-{port}={cookies[number]}"
                else:
                    cookies[number] = client.join(token).cookie.partition("=")[2]
                clients.append(client)
            threads = [
                threading.Thread(target=work_until_killed, args=(each, acknowledged, problems)) for each in clients
            ]
            for each in threads:
                each.start()
            time.sleep(0.3 + 0.05 * (kill % 5))
            os.kill(server.pid, signal.SIGKILL)
            for each in threads:
                each.join()
    assert not problems
    assert len(acknowledged) > 5 * kills
    database = Database(path)
    with database.read() as connection:
        logged = Counter(row["uuid"] for row in connection.execute("SELECT uuid FROM event WHERE type = 'judge'"))
        most = connection.execute("SELECT max(n) FROM (SELECT count(*) AS n FROM current GROUP BY item)").fetchone()[0]
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert set(acknowledged) <= set(logged)
    assert set(logged.values()) == {1}
    # What was committed and not acknowledged is at most the one request that each person had open.
    assert len(logged) - len(acknowledged) <= PEOPLE * kills
    assert most <= 3
    assert database.write(events.check_current) == 0
    database.close()


def judge_some(database, n=10):
    person, _ = database.write(lambda c: people.invite(c, f"someone {uuid4()}", Role.ANNOTATOR, 1))

    def work(connection):
        project = find(connection, 1)
        item = next_item(connection, project, person).item
        return events.record(connection, project, person, NewEvent(uuid4(), EventType.JUDGE, item.id, 1.0))

    return [database.write(work).uuid for _ in range(n)]


def test_a_copy_made_in_use_is_whole_and_can_be_restored(tmp_path):
    """A backup during writes has everything acknowledged before it; restored, it is the study."""
    path, copy, again = (tmp_path / name for name in ("a.qassay.db", "copy.db", "b.qassay.db"))
    make(path, 100)
    database = Database(path)
    uuids = judge_some(database)
    writer = threading.Thread(target=judge_some, args=(database, 50))
    writer.start()
    database.backup(copy)
    writer.join()
    database.close()
    restore(copy, again)
    restored = Database(again)
    with restored.read() as connection:
        held = {row["uuid"] for row in connection.execute("SELECT uuid FROM event")}
    assert set(uuids) <= held
    assert restored.write(events.check_current) == 0
    restored.close()
    with pytest.raises(OutputError, match="exists"):
        restore(copy, again)


def test_the_command_line_copies_checks_and_restores(tmp_path):
    """--backup, --check and --restore do what they say."""
    path = tmp_path / "a.qassay.db"
    make(path, 100)
    database = Database(path)
    judge_some(database)
    database.close()
    qassay("serve", "a.qassay.db", "--backup", "copy.db", folder=tmp_path, check=0)
    path.unlink()
    for each in tmp_path.glob("a.qassay.db-*"):
        each.unlink()
    qassay("serve", "a.qassay.db", "--restore", "copy.db", folder=tmp_path, check=0)
    printed = qassay("serve", "a.qassay.db", "--check", folder=tmp_path, check=0).stdout
    assert "10 events" in printed
    assert "did not follow from them: 0" in printed
    broken = qassay("serve", "none.qassay.db", "--check", folder=tmp_path, check=2).stderr
    assert "there is no such study" in broken


def test_a_damaged_table_is_rebuilt_from_the_events(tmp_path):
    """`current` follows from `event`; whatever else stands there is put right and counted."""
    make(tmp_path / "a.qassay.db", 100)
    database = Database(tmp_path / "a.qassay.db")
    judge_some(database)
    database.write(lambda c: c.execute("UPDATE current SET value = 0 WHERE item = (SELECT min(item) FROM current)"))
    assert database.write(events.check_current) == 1
    assert database.write(events.check_current) == 0
    database.close()


def test_events_can_neither_be_changed_nor_deleted(tmp_path):
    """The log is append-only in the file itself."""
    make(tmp_path / "a.qassay.db", 100)
    database = Database(tmp_path / "a.qassay.db")
    judge_some(database, 1)
    for statement in ("UPDATE event SET value = 0", "DELETE FROM event"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            database.write(lambda c, statement=statement: c.execute(statement))
    database.close()


def first_schema(path):
    """Write a study as the first schema had it, with two judgements."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(migrations.scripts()[0])
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute(
        "INSERT INTO project (name, task, k, lease_s, gold_every, seed, state) "
        "VALUES ('old', 'binary', 2, 600, 20, 1, 'open')"
    )
    connection.execute("INSERT INTO guideline (project, version, text, examples_json) VALUES (1, 1, 'judge', '[]')")
    for i in range(3):
        connection.execute(
            "INSERT INTO item (project, kind, example_id, system, question, references_json, candidate, sha256, "
            "example_json, round, probability, position) VALUES (1, 'work', ?, 's', 'q', '[\"a\"]', 'a', 'x', '{}', "
            "1, 1.0, ?)",
            (f"q{i}", i),
        )
    connection.execute("INSERT INTO annotator (project, name, role, token_hash) VALUES (1, 'Ada', 'annotator', 'h')")
    for item in (1, 2):
        connection.execute(
            "INSERT INTO event (uuid, project, item, annotator, guideline, type, value, at) "
            "VALUES (?, 1, ?, 1, 1, 'judge', 1.0, 'then')",
            (str(uuid4()), item),
        )
        connection.execute("INSERT INTO current (item, annotator, value, event) VALUES (?, 1, 1.0, ?)", (item, item))
    connection.close()


def test_a_study_of_the_first_schema_is_brought_up_to_date(tmp_path):
    """Everything in it is there afterwards, people can go on, and a copy of the old file stands beside it."""
    path = tmp_path / "old.qassay.db"
    first_schema(path)
    database = Database(path)
    with database.read() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(migrations.scripts())
        assert connection.execute("SELECT count(*) FROM event").fetchone()[0] == 2
        project = find(connection, 1)
    assert (project.name, project.round_size) == ("old", 50)
    assert database.write(events.check_current) == 0
    person = people.Person(1, "Ada", Role.ANNOTATOR, 1)
    found = database.write(lambda c: next_item(c, find(c, 1), person))
    assert found.item.id == 3
    database.close()
    kept = sqlite3.connect(tmp_path / "old.qassay.db.v1.bak")
    assert kept.execute("PRAGMA user_version").fetchone()[0] == 1
    assert kept.execute("SELECT count(*) FROM event").fetchone()[0] == 2
    kept.close()


def test_files_that_are_not_ours_or_newer_are_refused(tmp_path):
    """A message says what to do; the file stays as it was."""
    other, newer, text = (tmp_path / name for name in ("other.db", "newer.db", "text.db"))
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE a (b)")
    Database(newer).close()
    with contextlib.closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    text.write_text("no database" * 1000)
    for path, words in ((other, "another program"), (newer, "newer version"), (text, "cannot be opened")):
        with pytest.raises(DataError, match=words):
            Database(path)


def test_a_server_copies_its_study_when_it_stops(serving, tmp_path):
    """The last copy has what was judged."""
    here = serving(prepare())
    client = here.person("Ada", "annotator")
    item = client.post(f"{PROJECT}/next").json["item"]["id"]
    client.post(f"{PROJECT}/events", {"uuid": str(uuid4()), "type": "judge", "item": item, "value": 3})
    here.server.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "study.qassay.db.backup")) as copy:
        assert copy.execute("SELECT count(*) FROM event WHERE type = 'judge'").fetchone()[0] == 1


def test_a_copy_that_fails_is_said_and_tried_again(serving, tmp_path, monkeypatch, caplog):
    """A disk that was full for a while ends neither the hourly copies nor the server."""
    monkeypatch.setattr("qassay.web.server.BACKUP_SECONDS", 0.05)
    copy = tmp_path / "study.qassay.db.backup"
    in_the_way = tmp_path / ".study.qassay.db.backup.part"
    in_the_way.mkdir()
    serving(prepare())
    deadline = time.monotonic() + 20
    while "could not be written" not in caplog.text:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not copy.exists()
    in_the_way.rmdir()
    while not copy.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
