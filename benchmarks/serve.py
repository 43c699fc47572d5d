"""Time the scoring API of `qassay serve`: 1, 8 and 32 clients, batched and one by one.

    python benchmarks/serve.py [--metrics rouge_l rouge_l:kpqa ava] [--clients 1 8 32] [--seconds 5] [--json]

A server runs in a process of its own; clients are threads with a connection each that send one answer, wait for its
scores and send the next, for some seconds. The answers are KPQA's on MS MARCO. "One by one" is a server that never
scores answers of several requests together. The median, the 99th percentile, and answers per second.
"""

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import numpy as np

from qassay.io.input_stream import Reader

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
ANSWERS = "bench/kpqa_human/marco_all.csv"
BATCHED, ONE_BY_ONE = 32, 1


@dataclass(frozen=True)
class Line:
    """How one kind of load went."""

    metric: str
    clients: int
    batch: int
    median_ms: float
    p99_ms: float
    per_second: float


def serve(port: int, batch: int, token_file: Path, folder: Path) -> None:
    """Be the server."""
    from qassay.web.launch import read_token  # noqa: PLC0415 - only the server needs them
    from qassay.web.run import listen  # noqa: PLC0415
    from qassay.web.server import Server  # noqa: PLC0415
    from qassay.web.settings import Settings  # noqa: PLC0415
    from qassay.web.store.database import Database  # noqa: PLC0415
    from qassay.web.study import people  # noqa: PLC0415

    database = Database(folder / f"server{batch}.db")
    token = read_token(token_file)
    database.write(lambda connection: people.program_token(connection, token))
    listen(Server(Settings(port=port, batch_answers=batch), database), lambda: None)


def bodies(metric: str) -> list[bytes]:
    """Return a request per answer."""
    return [
        json.dumps(
            {
                "metrics": [metric],
                "answers": [
                    {
                        "question": each.question,
                        "references": [reference.text for reference in each.references],
                        "candidate": each.candidate,
                    }
                ],
            }
        ).encode()
        for each in Reader([str(DATA / ANSWERS)])
    ]


def load(port: int, token: str, requests: list[bytes], clients: int, seconds: float) -> list[float]:
    """Return the seconds of every request of some clients at once."""
    times: list[list[float]] = [[] for _ in range(clients)]
    deadline = time.perf_counter() + seconds
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    def work(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for body in cycle(requests[number::clients]):
            begun = time.perf_counter()
            if begun > deadline:
                break
            connection.request("POST", "/api/v1/score", body, headers)
            reply = connection.getresponse()
            content = reply.read()
            if reply.status != 200:  # noqa: PLR2004 - the status of success
                raise RuntimeError(content.decode())
            times[number].append(time.perf_counter() - begun)
        connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return [second for each in times for second in each]


def measure(options: argparse.Namespace, batch: int) -> list[Line]:
    """Time one kind of server under all loads."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port = tried.getsockname()[1]
        tried.close()
        folder = Path(name)
        words = [sys.executable, __file__, "--server", str(port), str(batch), str(folder)]
        server = subprocess.Popen(words)  # noqa: S603 - this script
        try:
            token = _wait(port, folder / "token")
            lines = []
            for metric in options.metrics:
                requests = bodies(metric)
                load(port, token, requests, 1, 0.5)
                for clients in options.clients:
                    times = load(port, token, requests, clients, options.seconds)
                    median, p99 = (float(each) * 1000 for each in np.percentile(times, (50, 99)))
                    lines.append(Line(metric, clients, batch, median, p99, len(times) / options.seconds))
            return lines
        finally:
            server.terminate()
            server.wait()


def _wait(port: int, token_file: Path) -> str:
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            connection.close()
            return token_file.read_text(encoding="utf-8").strip()
        except OSError:
            time.sleep(0.1)


def main() -> None:
    """Print a line per metric, number of clients and kind of server."""
    if sys.argv[1:2] == ["--server"]:
        folder = Path(sys.argv[4])
        serve(int(sys.argv[2]), int(sys.argv[3]), folder / "token", folder)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", nargs="+", default=["rouge_l", "rouge_l:kpqa", "ava"])
    parser.add_argument("--clients", nargs="+", type=int, default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lines = [line for batch in (BATCHED, ONE_BY_ONE) for line in measure(options, batch)]
    if options.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
        return
    print(f"{'metric':14} clients  {'':10} median ms    p99 ms  answers/s")
    for line in sorted(lines, key=lambda each: (each.metric, each.clients, -each.batch)):
        kind = "batched" if line.batch == BATCHED else "one by one"
        print(
            f"{line.metric:14} {line.clients:7}  {kind:10} {line.median_ms:9.1f} {line.p99_ms:9.1f} "
            f"{line.per_second:10.0f}"
        )


if __name__ == "__main__":
    main()
