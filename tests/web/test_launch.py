"""The command itself: a process that makes a study, prints links, serves, and stops when told."""

import asyncio
import contextlib
import json
import os
import signal
import stat
import subprocess
import threading
import time
from concurrent.futures import Future

import pytest

from commands import PROGRAM, qassay
from qassay.errors import DataError, SpecError
from qassay.web.http.app import build_app
from qassay.web.http.endpoint import PUBLIC, Endpoint
from qassay.web.launch import read_token
from qassay.web.server import Server
from qassay.web.settings import Settings
from qassay.web.store.database import Database
from qassay.web.study.creation import as_row
from web.conftest import Client, free_port
from web.studies import answers


def write_answers(folder, n=12):
    text = "".join(json.dumps(as_row(each)) + "\n" for each in answers(n))
    (folder / "answers.jsonl").write_text(text)


@contextlib.contextmanager
def served(folder, *words):
    """Run `qassay serve WORDS…` and return its port and the lines that it prints when it listens."""
    port = free_port()
    command = [str(PROGRAM), "serve", *words, "--port", str(port)]
    with (folder / "printed.txt").open("w") as printed:
        process = subprocess.Popen(command, cwd=folder, stdout=printed, stderr=subprocess.STDOUT)  # noqa: S603
        try:
            deadline = time.monotonic() + 60
            while "Ctrl-C" not in (folder / "printed.txt").read_text():
                assert process.poll() is None, (folder / "printed.txt").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield process, port, (folder / "printed.txt").read_text().splitlines()
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def token_of(lines, name):
    return next(line for line in lines if line.startswith(f"{name}: ")).partition("#")[2]


def test_a_study_is_made_served_stopped_and_opened_again(tmp_path):
    """Links work, Ctrl-C ends with 0, and the second start opens what the first made."""
    write_answers(tmp_path)
    words = ("--task", "binary", "--k", "1", "--judge", "none", "-m", "token_f1", "--annotator", "Ada")
    with served(tmp_path, "answers.jsonl", *words) as (process, port, lines):
        ada = Client(port).join(token_of(lines, "Ada"))
        assert ada.post("/api/v1/projects/1/next").json["item"]["kind"] == "practice"
        owner = Client(port).join(token_of(lines, "owner"))
        assert owner.get("/api/v1/me").json["projects"][0]["progress"]["items"] == 12
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert (tmp_path / "answers.qassay.db.backup").exists()
    with served(tmp_path, "answers.qassay.db") as (process, port, lines):
        assert not any(line.startswith("Ada") for line in lines)
        again = Client(port, cookie=f"qassay-{port}={ada.cookie.partition('=')[2]}")
        assert again.get("/api/v1/me").json["person"]["name"] == "Ada"
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(20) == 0
    refused = qassay("serve", "answers.jsonl", "--task", "binary", folder=tmp_path, check=2).stderr
    assert "exists" in refused


def test_runs_and_programs_are_served(tmp_path):
    """Answers are scored and can be looked into; a program has its token from a file of its own."""
    write_answers(tmp_path)
    with served(tmp_path, "answers.jsonl", "-m", "token_f1", "--token-file", "token.txt") as (_, port, lines):
        owner = Client(port).join(token_of(lines, "owner"))
        assert owner.get("/api/v1/runs").json["answers"] == 12
        program = Client(port, token=(tmp_path / "token.txt").read_text().strip())
        answer = {"references": ["a"], "candidate": "a"}
        reply = program.post("/api/v1/score", {"answers": [answer], "metrics": ["exact_match"]})
        assert reply.json["rows"][0]["scores"] == {"exact_match": 1.0}


def test_programs_get_a_token_without_a_file(tmp_path):
    """It is printed, lets programs score, and ends with the run."""
    write_answers(tmp_path)
    words = ("--task", "binary", "--judge", "none", "-m", "token_f1")
    answer = {"references": ["a"], "candidate": "a"}
    with served(tmp_path, "answers.jsonl", *words) as (_, port, lines):
        token = next(line for line in lines if line.startswith("programs: ")).rpartition("bearer token ")[2]
        assert Client(port).post("/api/v1/score", {"answers": [answer]}).status == 401
        reply = Client(port, token=token).post("/api/v1/score", {"answers": [answer], "metrics": ["exact_match"]})
        assert reply.json["rows"][0]["scores"] == {"exact_match": 1.0}
    with served(tmp_path, "answers.qassay.db") as (_, port, _lines):
        assert Client(port, token=token).get("/readyz").status == 401


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "--allow-host"),  # noqa: S104 - what is tested
        (["--host", "0.0.0.0", "--allow-host", "a.org"], "--insecure"),  # noqa: S104 - as above
        (["--tls-cert", "a.pem"], "belong together"),
        (["none.qassay.db"], "there is no such study"),
        (["--annotator", "Ada"], "invite to a study"),
        (["--check"], "say which study"),
        (["--task", "stars"], "--task"),
        (["answers.jsonl", "--task", "likert5", "--judge", "cider"], "does not score from 0 to 1"),
        (["answers.jsonl", "--task", "likert5", "--cut", "7"], "--cut 7 divides nothing"),
        (["answers.jsonl", "--task", "likert5", "--cut", "nan"], "--cut nan divides nothing"),
        (
            ["answers.jsonl", "--task", "binary", "--annotator", "Ada", "--adjudicator", "Ada "],
            '"Ada" is invited twice',
        ),
        (["answers.jsonl", "--task", "binary", "--annotator", "\t"], "printable characters"),
        (["answers.jsonl", "--task", "pair", "--gold", "gold.jsonl"], 'has no "other"'),
    ],
)
def test_mistakes_are_one_message(tmp_path, words, message):
    """Nothing is served where something is wrong."""
    write_answers(tmp_path)
    gold = {"id": "g", "question": "q", "references": ["a"], "candidate": "a", "judgement": 1}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold) + "\n")
    refused = qassay("serve", *words, folder=tmp_path, check=2)
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.db*"))


def test_a_name_is_one_person_whoever_starts_the_server(tmp_path):
    """A second start renews a link also where the name has other spaces, and does not change what a person is."""
    write_answers(tmp_path)
    words = ("--task", "binary", "--judge", "none", "-m", "token_f1", "--annotator", "Ada  L")
    with served(tmp_path, "answers.jsonl", *words) as (_, port, lines):
        assert Client(port).join(token_of(lines, "Ada L"))
    with served(tmp_path, "answers.qassay.db", "--annotator", " Ada L") as (_, port, lines):
        assert Client(port).join(token_of(lines, "Ada L")).get("/api/v1/me").json["person"]["role"] == "annotator"
    for name, message in (("Ada L", "is there as annotator"), ("owner", "already")):
        refused = qassay("serve", "answers.qassay.db", "--adjudicator", name, folder=tmp_path, check=2)
        assert message in refused.stderr


def test_requests_that_wait_do_not_hold_up_the_end(tmp_path):
    """Answers that wait are refused when the server is told to stop, and its last copy is written."""
    write_answers(tmp_path)
    words = ("--task", "binary", "--judge", "none", "-m", "token_f1", "--token-file", "token.txt")
    long = {"question": "what is it", "references": ["it is this " * 60], "candidate": "it is that " * 60}
    with served(tmp_path, "answers.jsonl", *words) as (process, port, _):
        program = Client(port, token=(tmp_path / "token.txt").read_text().strip())
        found = []

        def ask():
            found.append(program.post("/api/v1/score", {"answers": [long] * 32, "metrics": ["ava"]}).status)

        asking = [threading.Thread(target=ask) for _ in range(30)]
        for each in asking:
            each.start()
        while program.get("/metrics").body.decode().count("qassay_waiting_answers 0"):
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        for each in asking:
            each.join()
    assert 503 in found
    assert set(found) <= {200, 503}
    assert (tmp_path / "answers.qassay.db.backup").exists()
    assert "Traceback" not in (tmp_path / "printed.txt").read_text()


def test_a_request_that_is_given_up_is_told_so(tmp_path):
    """Where the server does not wait any longer, the reply says that it stops, not that something is broken."""
    server = Server(Settings(), Database(tmp_path / "study.qassay.db"))
    endless = Endpoint("GET", "/endless", PUBLIC, lambda _: Future())
    app, sent = build_app(server, [endless]), []
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/endless",
        "raw_path": b"/endless",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8765")],
        "client": ("127.0.0.1", 1),
    }

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        sent.append(message)

    async def give_up():
        asking = asyncio.create_task(app(scope, receive, send))
        await asyncio.sleep(0.2)
        asking.cancel()
        await asking

    try:
        asyncio.run(give_up())
    finally:
        server.close()
    assert sent[0]["status"] == 503
    assert b"the server is stopping" in sent[1]["body"]


def test_names_under_which_a_server_is_reached():
    """Of this machine by default; behind a proxy also the public name, whose links are https."""
    assert "127.0.0.1:8765" in Settings().hosts
    behind = Settings(allowed_hosts=("a.org",))
    assert {"a.org", "a.org:8765", "localhost:8765"} <= behind.hosts
    assert behind.url == "https://a.org"
    assert behind.encrypted
    open_ = Settings("0.0.0.0", allowed_hosts=("a.org",), insecure=True)  # noqa: S104 - what is tested
    assert open_.url == "http://a.org:8765"
    assert "127.0.0.1:8765" not in open_.hosts
    with pytest.raises(SpecError):
        Settings("::").check()


@pytest.mark.parametrize(
    ("settings", "url", "host"),
    [
        (Settings("::1"), "http://[::1]:8765", "[::1]:8765"),
        (Settings("127.0.0.2"), "http://127.0.0.2:8765", "127.0.0.2:8765"),
        (Settings(port=80), "http://127.0.0.1:80", "127.0.0.1"),
        (Settings(port=443, certificate="a.pem", key="a.key"), "https://127.0.0.1:443", "localhost"),
    ],
)
def test_the_link_that_is_printed_is_answered(settings, url, host):
    """Browsers put the address of the link into the Host header, without the port that the scheme stands for."""
    assert settings.url == url
    assert host in settings.hosts


def test_token_files_are_private_and_checked(tmp_path):
    """A new file is for its owner alone; what is no token is refused."""
    path = tmp_path / "token.txt"
    token = read_token(path)
    assert len(token) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_token(path) == token
    path.write_text("short\n")
    with pytest.raises(DataError, match="no token"):
        read_token(path)
