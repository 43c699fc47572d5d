"""A server of its own for each test, on a free port, in this process; requests go over real sockets."""

import contextlib
import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass, field

import pytest
import uvicorn

from qassay.web.http.connection import TimedConnection
from qassay.web.routes.table import app_of
from qassay.web.server import Server
from qassay.web.settings import Settings
from qassay.web.store.database import Database
from qassay.web.study import people


@dataclass
class Answer:
    """A reply of the server."""

    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Client:
    """One caller with its own cookie."""

    port: int
    cookie: str = ""
    token: str = ""
    headers: dict = field(default_factory=dict)

    def request(self, method, path, body=None, headers=None, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        given = dict(self.headers)
        if self.cookie:
            given["Cookie"] = self.cookie
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            given["Content-Type"] = "application/json"
        given |= headers or {}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, path, data, given)
            reply = connection.getresponse()
            return Answer(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.request("POST", path, {} if body is None else body, **more)

    def join(self, token):
        reply = self.post("/api/v1/join", {"token": token})
        assert reply.status == 200, reply.body
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        return self


@dataclass
class Running:
    """A server that listens."""

    server: Server
    port: int
    owner_token: str

    def client(self, **more):
        return Client(self.port, **more)

    def owner(self):
        token = self.server.database.write(people.owner_token)
        return self.client().join(token)

    def person(self, name, role, project=1):
        with self.server.database.read() as c:
            known = c.execute("SELECT count(*) FROM annotator WHERE name GLOB ?", (f"{name}*",)).fetchone()[0]
        name = f"{name} {known + 1}" if known else name
        _, token = self.server.database.write(lambda c: people.invite(c, name, people.Role(role), project))
        client = self.client(token=token) if role == "program" else self.client().join(token)
        client.invitation = token
        return client


def free_port():
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


@contextlib.contextmanager
def running(path, prepare=None, **settings):
    port = free_port()
    database = Database(path)
    settings = {"writes_per_second": 1e6, "joins_per_minute": 10_000, **settings}
    server = Server(Settings(port=port, **settings), database)
    if prepare is not None:
        prepare(server)
    token = database.write(people.owner_token)
    config = uvicorn.Config(
        app_of(server),
        host="127.0.0.1",
        port=port,
        log_level="warning",
        access_log=False,
        ws="none",
        http=TimedConnection,
    )
    listening = uvicorn.Server(config)
    thread = threading.Thread(target=listening.run)
    thread.start()
    while not listening.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Running(server, port, token)
    finally:
        listening.should_exit = True
        thread.join()


@pytest.fixture
def serving(tmp_path):
    """Start servers: `serving(prepare=…, **settings)`."""
    with contextlib.ExitStack() as stack:
        yield lambda prepare=None, **settings: stack.enter_context(
            running(tmp_path / "study.qassay.db", prepare, **settings)
        )
