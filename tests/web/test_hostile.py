"""Requests that mean harm: each is refused, nothing that should not be is logged, and the server lives on."""

import http.client
import json
import logging
import re
import socket
import time
from uuid import uuid4

import pytest

from qassay.web.http.endpoint import PUBLIC
from qassay.web.routes.table import ENDPOINTS
from qassay.web.study import creation
from qassay.web.study.tasks import Task
from web.conftest import running
from web.studies import answers, prepare

PROJECT = "/api/v1/projects/1"
FIRST = 400
"""Items of the first project."""
SCRIPT = "<script>alert(1)</script>"
NONSENSE = "nonsense"
JSON = {"Content-Type": "application/json"}


def two_projects(server):
    prepare(FIRST, k=2, round_size=0)(server)
    plan = creation.StudyPlan("Other", Task.BINARY, 1, judge=None)
    server.database.write(lambda c: creation.create(c, plan, answers(4), None, practice=()))


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A server with two projects, which has to live through all of this."""
    with running(tmp_path_factory.mktemp("hostile") / "study.qassay.db", two_projects, body_seconds=1.0) as found:
        yield found
        assert found.client().get("/healthz").status == 200


def raw(port, text, wait=10):
    """Send bytes as they are and return the status; 0 where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        reply = b""
        while part := connection.recv(65536):
            reply += part
    return int(reply.split()[1]) if reply.startswith(b"HTTP/") else 0


def head(port, host=None, path="/healthz", method="GET", more=""):
    """Return the head of a request."""
    name = f"Host: 127.0.0.1:{port}\r\n" if host is None else host
    return f"{method} {path} HTTP/1.1\r\n{name}{more}Connection: close\r\n\r\n".encode()


def path_of(endpoint, project="1"):
    return (
        endpoint.path.replace("{project:int}", project)
        .replace("{person:int}", "2")
        .replace("{item:int}", "1")
        .replace("{row:int}", "1")
        .replace("{name}", "ratings.csv")
    )


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: f"{each.method} {each.path}")
def test_every_route_refuses_whoever_has_no_right(here, endpoint):
    """Without a session, with a wrong one and with a wrong token: 401; of another role: 403."""
    path, body = path_of(endpoint), None if endpoint.method == "GET" else {}
    strangers = [
        here.client(),
        here.client(cookie=f"qassay-{here.port}=nonsense"),
        here.client(token=NONSENSE),
    ]
    if endpoint.access is PUBLIC:
        assert endpoint.path in {"/api/v1/join", "/healthz"}
        return
    for each in strangers:
        assert each.request(endpoint.method, path, body).status == 401
    for role in {"annotator", "adjudicator", "program"} - {str(each) for each in endpoint.access}:
        assert here.person(role, role).request(endpoint.method, path, body).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/explore",
        "/projects/1",
        "/readyz",
        "/nothing",
        "/healthz/",
        "/static/x",
        "/static/x/y.js",
        "/api/v1/score",
    ],
)
def test_strangers_learn_nothing_of_any_other_path(here, path):
    """Screens, what does not exist and methods that do not belong: 401 without a session or token, as all else."""
    assert here.client().get(path).status == 401
    assert here.client(token=NONSENSE).get(path).status == 401
    assert here.owner().get(path).status in {200, 404, 405}


def test_the_screen_that_takes_an_invitation_is_open(here):
    """With its scripts and styles: there is no session before it."""
    page = here.client().get("/join")
    assert page.status == 200
    script = re.search(rb'src="(/static/[^"]+)"', page.body).group(1).decode()
    assert here.client().get(script).status == 200


@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if "{project" in each.path], ids=lambda each: f"{each.method} {each.path}"
)
def test_another_projects_people_see_nothing_of_it(here, endpoint):
    """Who belongs to project 2 gets 404 (or 403, 422 before that) on every route of project 1."""
    for role in {"annotator", "adjudicator"} & {str(each) for each in endpoint.access}:
        client = here.person(f"foreign {role}", role, 2)
        event = {"uuid": str(uuid4()), "type": "judge", "item": 1, "value": 1}
        body = None if endpoint.method == "GET" else event if endpoint.path.endswith("/events") else {}
        reply = client.request(endpoint.method, path_of(endpoint), body)
        assert reply.status == 404, reply.body
        assert path_of(endpoint, "99")
        assert client.request(endpoint.method, path_of(endpoint, "99"), body).status == 404


def hosts(port):
    return {
        "foreign": "Host: evil.example\r\n",
        "foreign with our port": f"Host: evil.example:{port}\r\n",
        "ours as a prefix": f"Host: 127.0.0.1:{port}.evil.example\r\n",
        "ours as a suffix": f"Host: evil-127.0.0.1:{port}\r\n",
        "another port": "Host: 127.0.0.1:1\r\n",
        "without a port": "Host: 127.0.0.1\r\n",
        "user info": f"Host: evil@127.0.0.1:{port}\r\n",
        "missing": "",
        "doubled": f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n",
        "empty": "Host:\r\n",
    }


@pytest.mark.parametrize("kind", hosts(0))
def test_hosts_that_are_not_ours_are_refused(here, kind):
    """DNS rebinding ends at the Host header."""
    assert raw(here.port, head(here.port, hosts(here.port)[kind])) in {400, 421}


@pytest.mark.parametrize(
    "origin",
    ["null", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.example", ""],
)
def test_origins_that_are_not_ours_are_refused(here, origin):
    """Another site's page cannot write, whatever cookies the browser adds."""
    owner = here.owner()
    assert owner.post("/api/v1/leave", headers={"Origin": origin}).status == 403
    assert owner.get("/api/v1/me").status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_that_browsers_call_foreign_are_refused(here, site):
    """Sec-Fetch-Site decides too."""
    assert here.owner().post("/api/v1/leave", headers={"Sec-Fetch-Site": site}).status == 403


def test_our_own_pages_may_write(here):
    """The origin of this server passes."""
    own = {"Origin": f"http://127.0.0.1:{here.port}", "Sec-Fetch-Site": "same-origin"}
    assert here.owner().post("/api/v1/leave", headers=own).status == 200


@pytest.mark.parametrize("token", ["", "x", "a" * 100_000, "' OR 1=1 --", "\ud800", "\x00", SCRIPT])
def test_tokens_that_are_wrong_are_refused(here, token):
    """No guess gets in, and none breaks anything."""
    assert here.client().post("/api/v1/join", {"token": token}).status in {401, 422}


def test_revoked_and_foreign_tokens_are_refused(here):
    """A revoked person is out at once; an invitation is no program's token, nor the reverse."""
    ada = here.person("Ada", "annotator")
    me = ada.get("/api/v1/me").json["person"]["id"]
    assert here.owner().post(f"{PROJECT}/people/{me}/revoke").status == 200
    assert ada.post(f"{PROJECT}/next").status == 401
    assert here.client().post("/api/v1/join", {"token": ada.invitation}).status == 401
    ben = here.person("Ben", "annotator")
    assert here.client(token=ben.invitation).get("/api/v1/me").status == 401
    program = here.person("p", "program")
    assert here.client().post("/api/v1/join", {"token": program.token}).status == 401


def test_items_people_and_projects_of_others_are_not_there(here):
    """Ids of other projects are unknown, whoever asks."""
    ada = here.person("Ada", "annotator")
    foreign = FIRST + 1
    event = {"uuid": str(uuid4()), "type": "judge", "item": foreign, "value": 1}
    assert ada.post(f"{PROJECT}/events", event).status == 404
    other = here.person("Far", "annotator", 2).get("/api/v1/me").json["person"]["id"]
    assert here.owner().post(f"{PROJECT}/people/{other}/revoke").status == 404
    assert here.owner().get("/api/v1/projects/99").status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../etc/passwd",
        "/static/x/../../pyproject.toml",
        "/static/x/..%2f..%2fetc%2fpasswd",
        "/static/x/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        f"{PROJECT}/export/../../../etc/passwd",
        f"{PROJECT}/export/..%2f..%2fstudy.qassay.db",
        f"{PROJECT}/export/study.qassay.db",
        "/..%00/",
        "//evil.example/",
        "/api/v1/projects/1e9",
        "/api/v1/projects/-1",
        "/api/v1/projects/99999999999999999999999999",
        "/api/v1/answers/99999999999999999999999999/explanation",
    ],
)
def test_paths_lead_nowhere(here, path):
    """Nothing outside the tables of routes and assets can be named."""
    connection = http.client.HTTPConnection("127.0.0.1", here.port, timeout=10)
    connection.request("GET", path, headers={"Cookie": here.owner().cookie})
    reply = connection.getresponse()
    reply.read()
    connection.close()
    assert reply.status == 404


BODIES = {
    "deep": b'{"token":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "NaN": b'{"token": NaN}',
    "infinity": b'{"token": 1e999}',
    "lone surrogate": b'{"token": "\\ud800"}',
    "bad UTF-8": b'{"token": "\xff\xfe"}',
    "no object": b"[]",
    "half": b'{"token": "a',
    "unknown field": b'{"token": "a", "role": "owner"}',
    "wrong type": b'{"token": {"$ne": ""}}',
    "empty": b"",
    "null": b"null",
}


@pytest.mark.parametrize("kind", BODIES)
def test_bodies_that_are_wrong_are_refused(here, kind):
    """Every odd body is one clear 422."""
    reply = here.client().request("POST", "/api/v1/join", BODIES[kind], JSON)
    assert reply.status == 422, reply.body
    assert reply.json["code"] == "invalid"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_content_types_that_forms_can_send_are_refused(here, kind):
    """A form of another page cannot speak JSON."""
    reply = here.client().request("POST", "/api/v1/join", b'{"token": "a"}', {"Content-Type": kind})
    assert reply.status == 415


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "DELETE", "PATCH", "OPTIONS", "PUT", "GET", "FOO"])
def test_methods_that_do_not_belong_are_refused(here, method):
    """Only the methods of the table are answered."""
    reply = raw(here.port, head(here.port, path="/api/v1/join", method=method))
    assert reply in {400, 401, 404, 405, 421, 403}


def test_large_endless_and_slow_bodies_are_cut(here):
    """100 MB by its length, an endless one by its count, and a slow one by the clock."""
    start = f"POST /api/v1/join HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", here.port), timeout=20) as connection:
        connection.sendall(f"{start}Content-Length: 104857600\r\n\r\n".encode() + b"x" * 100)
        assert b"413" in connection.recv(65536).split(b"\r\n")[0]
    with socket.create_connection(("127.0.0.1", here.port), timeout=20) as connection:
        connection.sendall(f"{start}Transfer-Encoding: chunked\r\n\r\n".encode())
        part = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        sent = 0
        try:
            while sent < 40:
                connection.sendall(part)
                sent += 1
        except OSError:
            pass
        reply = connection.recv(65536) if sent == 40 else b"HTTP/1.1 413"
    assert b"413" in reply.split(b"\r\n")[0]
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", here.port), timeout=20) as connection:
        connection.sendall(f"{start}Content-Length: 1000\r\n\r\n".encode() + b"{")
        assert b"408" in connection.recv(65536).split(b"\r\n")[0]
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    "more",
    [
        "X-A: b\r\n c\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -1\r\n",
        "X-Long: " + "a" * 100_000 + "\r\n",
        "Bad Header : x\r\n",
    ],
)
def test_odd_headers_are_refused_or_ignored(here, more):
    """Smuggling and endless headers end in a refusal; the server answers the next request."""
    assert raw(here.port, head(here.port, more=more)) in {0, 200, 400, 413, 421, 431}
    assert here.client().get("/healthz").status == 200


def test_header_injection_by_names_and_cookies_does_nothing(here):
    """Line ends in names are refused, and nothing of a request is copied into headers."""
    owner = here.owner()
    reply = owner.post(f"{PROJECT}/people", {"name": "Eve\r\nSet-Cookie: a=b", "role": "annotator"})
    assert reply.status in {200, 422}
    assert "set-cookie" not in reply.headers
    download = owner.get(f"{PROJECT}/export/ratings.csv%0d%0aX-Evil:%20yes")
    assert download.status == 404
    assert "x-evil" not in download.headers


def test_scripts_in_every_field_stay_texts(here):
    """What is stored comes back as JSON with nosniff, and no page has it in its HTML."""
    owner, ada = here.owner(), here.person(f"Ada {SCRIPT}", "annotator")
    item = ada.post(f"{PROJECT}/next").json["item"]["id"]
    for kind in ("comment", "flag"):
        sent = {"uuid": str(uuid4()), "type": kind, "item": item, "text": SCRIPT}
        assert ada.post(f"{PROJECT}/events", sent).status == 200
    guideline = {"text": SCRIPT, "examples": []}
    assert owner.request("PUT", f"{PROJECT}/guideline", guideline).json["text"] == SCRIPT
    for path in (f"{PROJECT}/people", f"{PROJECT}/guideline", f"{PROJECT}/export/events.jsonl", f"{PROJECT}/dashboard"):
        reply = owner.get(path)
        assert reply.status == 200
        assert "html" not in reply.headers["content-type"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in reply.headers["content-security-policy"]
    for path in ("/", "/join", "/annotate/1", "/projects/1"):
        assert SCRIPT.encode() not in owner.get(path).body
    missing = owner.get(f"/{SCRIPT}")
    assert "html" not in missing.headers["content-type"]


@pytest.mark.parametrize(
    "event",
    [
        {"value": 99},
        {"value": 1e308},
        {"uuid": "not a uuid"},
        {"type": "admin"},
        {"type": "exclude"},
        {"item": -1},
        {"item": 1 << 62},
        {"elapsed_ms": -5},
        {"elapsed_ms": 10**12},
        {"text": "a" * 5001},
        {"reverts": "5f9f1c1e-6d0f-4c7e-9d58-0d6c0a4c9b11"},
        {"annotator": 1},
    ],
    ids=str,
)
def test_events_that_do_not_belong_are_refused(here, event):
    """Nothing is written that the scale, the person or the table does not allow."""
    ada = here.person("Ada", "annotator")
    item = ada.post(f"{PROJECT}/next").json["item"]["id"]
    sent = {"uuid": str(uuid4()), "type": "judge", "item": item, "value": 3, **event}
    assert ada.post(f"{PROJECT}/events", sent).status in {404, 422}
    assert ada.get(f"{PROJECT}/mine").json["events"] == []


def test_an_annotator_cannot_adjudicate_or_use_anothers_uuid(here):
    """Rights are checked per event, and a replayed uuid of someone else is a conflict."""
    ada, ben = here.person("Ada", "annotator"), here.person("Ben", "annotator")
    item = ada.post(f"{PROJECT}/next").json["item"]["id"]
    ben.post(f"{PROJECT}/next")
    sent = {"uuid": str(uuid4()), "type": "judge", "item": item, "value": 3}
    assert ada.post(f"{PROJECT}/events", sent).status == 200
    assert ben.post(f"{PROJECT}/events", sent).status == 409
    verdict = {**sent, "uuid": str(uuid4()), "type": "adjudicate"}
    assert ada.post(f"{PROJECT}/events", verdict).status == 403


def test_instructions_that_are_not_there_cannot_have_been_read(here):
    """A version that the study does not have is refused, and nothing is written."""
    person = here.person("Ada", "annotator")
    item = person.post("/api/v1/projects/1/next").json["item"]["id"]
    event = {"uuid": str(uuid4()), "type": "judge", "item": item, "value": 3, "guideline": 99}
    reply = person.post("/api/v1/projects/1/events", event)
    assert (reply.status, reply.json["code"]) == (422, "invalid")
    assert person.get("/api/v1/projects/1/mine").json["events"] == []


def test_joins_and_writes_are_limited(serving):
    """Beyond the limits the server says when to come back."""
    here = serving(prepare(), joins_per_minute=5, writes_per_second=2)
    ada = here.person("Ada", "annotator")
    replies = [here.client().post("/api/v1/join", {"token": "x"}) for _ in range(10)]
    assert {reply.status for reply in replies} == {401, 429}
    assert int(replies[-1].headers["retry-after"]) >= 1
    writes = [ada.post(f"{PROJECT}/next").status for _ in range(10)]
    assert writes.count(429) >= 4


def test_queries_are_refused_that_name_what_is_not_there(here):
    """Columns come from a fixed list."""
    owner = here.owner()
    for path in ("/api/v1/answers?sort=1;drop", f"{PROJECT}/dashboard?least=x", f"{PROJECT}/mine?limit=-1"):
        assert owner.get(path).status in {404, 422}
    assert owner.get(f"{PROJECT}/mine?limit=1&limit=2").status == 422
    assert owner.get(f"{PROJECT}/mine?unknown=1").status == 422


def test_nothing_private_is_logged(here, caplog, capfd, monkeypatch):
    """Neither tokens nor texts reach the log, also when something breaks."""
    caplog.set_level(logging.DEBUG)
    ada = here.person("Ada", "annotator")
    item = ada.post(f"{PROJECT}/next").json["item"]["id"]
    secret = "a text that nobody may read"
    sent = {"uuid": str(uuid4()), "type": "comment", "item": item, "text": secret}
    assert ada.post(f"{PROJECT}/events", sent).status == 200
    monkeypatch.setattr(here.server.dashboards, "get", lambda *_: json.loads(secret))
    assert here.owner().get(f"{PROJECT}/dashboard").status == 500
    printed = capfd.readouterr()
    logged = caplog.text + printed.out + printed.err
    assert secret not in logged
    assert ada.invitation not in logged
    assert ada.cookie.partition("=")[2] not in logged
    assert here.client().get("/healthz").status == 200
