"""A real HTTP server that answers as an OpenAI-compatible endpoint does, and misbehaves as told."""

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def data_of(body):
    """Return the data between the marks of the user's message."""
    text = body["messages"][-1]["content"]
    return json.loads(text[text.index("<data>") + len("<data>") : text.rindex("</data>")])


def truthful(body):
    """Judge as a model does that reads: right if the candidate has a reference in it."""
    data = data_of(body)
    candidate = data["candidate"].casefold()
    if not candidate or "know" in candidate:
        return "not_attempted"
    return "correct" if any(each.casefold() in candidate for each in data["references"]) else "incorrect"


def completion(content, tokens=None, **more):
    """Make the document of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop", **more}
    if tokens is not None:
        choice["logprobs"] = {"content": tokens}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "x", "object": "chat.completion", "model": "served-1", "choices": [choice], "usage": usage}


class LlmServer:
    """What the server was asked, and how it answers: `plan(body, number)` returns an action.

    An action is a dictionary: `status`, `headers`, `body` (bytes, text or a document), `cut` (bytes after which the
    connection ends), `delay` (seconds before the reply), `trickle` (seconds between its bytes).
    """

    def __init__(self, plan=None, verdict=truthful):
        self.plan = plan or (lambda _body, _number: {})
        self.verdict = verdict
        self.bodies, self.headers = [], []
        self.asked = Counter()
        self.lock = threading.Lock()

    @property
    def calls(self):
        """How many requests there were."""
        return len(self.bodies)

    def act(self, body, headers):
        """Note what is asked, and return what to do."""
        with self.lock:
            self.bodies.append(body)
            self.headers.append(dict(headers))
            number = len(self.bodies)
        action = self.plan(body, number) or {}
        if "body" not in action and action.get("status", 200) == 200:
            action["body"] = completion(json.dumps({"verdict": self.verdict(body)}))
        return action


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.split("?")[0].endswith("/chat/completions"):
            self.send_error(404)
            return
        action = self.server.owner.act(body, self.headers)
        time.sleep(action.get("delay", 0))
        content = action.get("body", "{}")
        if isinstance(content, dict):
            content = json.dumps(content)
        content = content.encode() if isinstance(content, str) else content
        try:
            self.send_response(action.get("status", 200))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in action.get("headers", {}).items():
                self.send_header(name, value)
            self.end_headers()
            if "cut" in action:
                self.wfile.write(content[: action["cut"]])
                self.wfile.flush()
                self.close_connection = True
                return
            if "trickle" in action:
                for at in range(len(content)):
                    self.wfile.write(content[at : at + 1])
                    self.wfile.flush()
                    time.sleep(action["trickle"])
                return
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        """Print nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Print nothing about clients that go away."""


@contextmanager
def serving(plan=None, verdict=truthful):
    """Run a server for the duration of the block; it has the address in `url`."""
    owner = LlmServer(plan, verdict)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.owner = owner
    owner.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield owner
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
