"""Many machines: a Ray cluster of several nodes on this machine, answers and scores on an S3 server."""

import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import boto3
import pyarrow as pa
import pytest
from moto.server import ThreadedMotoServer
from pyarrow import parquet
from ray.cluster_utils import Cluster

from commands import PROGRAM, qassay, qassay_json, qassay_process, write_rows
from qassay.errors import ClusterWarning
from qassay.scoring.engines.ray import RayCluster

pytestmark = pytest.mark.filterwarnings("ignore")

SHARDS, ROWS = 20, 150
METRICS = ["-m", "rouge_l", "-m", "bleu", "-m", "token_f1"]
BUCKET, ANSWERS, SCORES = "answers-and-scores", "s3://answers-and-scores/answers/*", "s3://answers-and-scores/scores/"
MOST_MEMORY = 500 << 20


def rows_of(shard):
    """Make a shard's answers of two systems to the same questions, with people's judgements."""
    return [
        {
            "id": f"q{(shard * ROWS + i) // 2}",
            "question": f"What is number {(shard * ROWS + i) // 2}?",
            "references": [f"it is number {i // 2} of list {shard}", f"number {i // 2 * 7 % 31}"],
            "candidate": f"it is number {i if i % 3 else i + 1} of" + " the list" * (i % 5),
            "system": "AB"[i % 2],
            "judgement": float(i % 3 != 0),
        }
        for i in range(ROWS)
    ]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Shards of answers, JSON lines and Parquet in turn, with a row that is no answer and an id in two shards."""
    folder = tmp_path_factory.mktemp("answers")
    for shard in range(SHARDS):
        rows = rows_of(shard)
        if shard % 2:
            parquet.write_table(pa.Table.from_pylist(rows), folder / f"{shard:03}.parquet")
            continue
        if shard == 6:
            rows[3] = {"id": "poison", "candidate": 7}
            rows[5] = rows_of(1)[4]
        write_rows(folder / f"{shard:03}.jsonl", rows)
    return folder


@pytest.fixture(scope="module")
def s3(answers):
    """An S3 server on this machine that holds the answers."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        for file in answers.iterdir():
            client.upload_file(file, BUCKET, f"answers/{file.name}")
        yield client
    server.stop()


@pytest.fixture(scope="module")
def cluster(s3):  # noqa: ARG001 - whose address the nodes must know
    """Two nodes of one CPU, and a head that scores nothing; dead nodes are noticed within seconds."""
    noticing = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_failure_threshold": 4}
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": noticing}
    found = Cluster(initialize_head=True, head_node_args=head)
    for node in (2, 3):
        # Addresses of their own: drivers, which have the head's, belong to none of these nodes.
        found.add_node(wait=False, num_cpus=1, node_ip_address=f"127.0.0.{node}")
    found.wait_for_nodes()
    yield found
    found.shutdown()


@pytest.fixture(scope="module")
def local(answers, tmp_path_factory):
    """What one process makes of the same answers: the file of rows, and what is printed."""
    out = tmp_path_factory.mktemp("local") / "scores.jsonl"
    return out, qassay_json("score", *sorted(answers.iterdir()), *METRICS, "-o", out, "--on-error", "skip")


class Driver:
    """`qassay score --engine ray` in a process of its own."""

    def __init__(self, cluster, folder, *more):
        self.printed, self.said = (folder / f"{each}{len(list(folder.iterdir()))}" for each in ("printed", "said"))
        command = [PROGRAM, "score", ANSWERS, *METRICS, "-o", SCORES, "--engine", "ray", "--on-error", "skip", "--json"]
        environment = {**os.environ, "RAY_ADDRESS": cluster.address}
        with self.printed.open("wb") as out, self.said.open("wb") as err:
            self.process = subprocess.Popen([*command, *more], env=environment, stdout=out, stderr=err)  # noqa: S603

    def kill(self):
        """Kill it as the system does where memory is short."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def finish(self):
        """Wait for the end and return what was printed, what was said, and the most memory it held in bytes."""
        most = 0
        while self.process.poll() is None:
            most = max(most, self.memory())
            time.sleep(0.05)
        said = self.said.read_text()
        assert self.process.returncode == 0, said
        assert most
        return json.loads(self.printed.read_text()), said, most

    def memory(self):
        """Return the most memory it held so far; what `wait4` returns counts the process that started it, too."""
        with suppress(OSError):
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
            return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:")), 0)
        return 0


def records(s3):
    """Return the shards that are done, with when their records were written."""
    found = s3.list_objects_v2(Bucket=BUCKET, Prefix="scores/shards/").get("Contents", ())
    return {each["Key"]: each["LastModified"] for each in found}


def wait_for(s3, count):
    """Wait until so many shards are done."""
    until = time.monotonic() + 300
    while len(records(s3)) < count:
        assert time.monotonic() < until, "the cluster is too slow"
        time.sleep(0.02)


def rows_in(s3):
    """Return all rows that the cluster wrote, in order."""
    names = sorted(each["Key"] for each in s3.list_objects_v2(Bucket=BUCKET, Prefix="scores/rows/")["Contents"])
    return b"".join(s3.get_object(Bucket=BUCKET, Key=name)["Body"].read() for name in names)


@pytest.fixture(scope="module")
def scored(s3, cluster, tmp_path_factory):
    """A run whose driver is killed, and which loses a node after it is resumed."""
    folder = tmp_path_factory.mktemp("drivers")
    first = Driver(cluster, folder)
    wait_for(s3, 3)
    first.kill()
    time.sleep(1)
    before = records(s3)
    second = Driver(cluster, folder, "--resume")
    wait_for(s3, min(len(before) + 3, SHARDS))
    cluster.remove_node(list(cluster.worker_nodes)[-1], allow_graceful=False)
    return before, second.finish()


def test_rows_and_aggregates_are_those_of_one_process(s3, scored, local):
    """None is lost and none comes twice, although a node and the driver were killed."""
    out, document = local
    assert scored[1][0] == document
    assert rows_in(s3) == out.read_bytes()


def test_what_was_done_is_not_done_again(s3, scored):
    """The resumed run scores the other shards, and of the older ones that alone which repeats an id."""
    before, _ = scored
    now = records(s3)
    assert 3 <= len(before) < SHARDS
    assert len(now) == SHARDS
    kept = {name for name, written in before.items() if now[name] == written}
    assert before.keys() - kept <= {"scores/shards/000006.json"}


def test_rows_that_cannot_be_read_are_listed(scored):
    """With their places, as one process lists them."""
    _, (document, said, _) = scored
    assert document["skipped"] == 2
    assert "answers/006.jsonl:4: " in said
    assert 'answers/006.jsonl:6: the id "q77" of system "A" appears twice' in said


def test_the_driver_stays_small(scored):
    """No row passes through it."""
    assert scored[1][2] < MOST_MEMORY


@pytest.mark.parametrize(
    "command",
    [
        ("compare",),
        ("correlate", "--bootstrap", "100"),
        ("accuracy", "--judge", "token_f1"),
    ],
)
def test_commands_read_the_folder(command, scored, local):
    """As they read the file that one process writes."""
    assert scored
    assert qassay_json(command[0], SCORES, *command[1:]) == qassay_json(command[0], local[0], *command[1:])


def test_a_file_of_the_folder_that_changed_is_scored_again(s3, scored, cluster, tmp_path, local):
    """The manifest has the hashes: what was damaged afterwards is found and made anew, and nothing else."""
    assert scored
    before = records(s3)
    s3.put_object(Bucket=BUCKET, Key="scores/rows/000002.jsonl", Body=b"{}\n")
    document, _, _ = Driver(cluster, tmp_path, "--resume").finish()
    now = records(s3)
    assert document == local[1]
    assert rows_in(s3) == local[0].read_bytes()
    assert {name for name in before if now[name] != before[name]} <= {"scores/shards/000002.json"}


def test_a_bad_row_stops_the_run_with_its_place(cluster, tmp_path):
    """Without --on-error skip, as everywhere: one message and no traceback."""
    file = write_rows(tmp_path / "bad.jsonl", [*rows_of(0), {"id": "x", "candidate": "y"}])
    done = subprocess.run(  # noqa: S603 - our own program
        [PROGRAM, "score", file, *METRICS, "--engine", "ray", "-o", tmp_path / "scores"],
        env={**os.environ, "RAY_ADDRESS": cluster.address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f'{file}:{ROWS + 1}: "references" is missing' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def web_server():
    """The address of a server that is none of Ray's, such as its dashboard."""
    with socketserver.TCPServer(("127.0.0.1", 0), _NotRay) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "127.0.0.1:{1}".format(*server.server_address)
        server.shutdown()


class _NotRay(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(1 << 10)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.fixture
def closed_port():
    """An address where nothing answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return "127.0.0.1:{1}".format(*server.getsockname())


@pytest.mark.parametrize(
    ("address", "reason"), [("closed_port", "Connection refused"), ("web_server", "what answers at .* is not Ray")]
)
def test_an_address_without_a_cluster_is_an_error(address, reason, request, tmp_path, monkeypatch):
    """At once, where Ray itself tries for minutes."""
    monkeypatch.setenv("RAY_ADDRESS", request.getfixturevalue(address))
    file = write_rows(tmp_path / "a.jsonl", rows_of(0))
    done = qassay("score", file, "-m", "rouge_l", "--engine", "ray", "-o", tmp_path / "scores", check=2)
    assert re.search(rf"no Ray cluster can be reached \({reason}\); check RAY_ADDRESS", done.stderr)


def test_workers_that_this_machine_has_no_room_for_are_refused(tmp_path):
    """Ray itself would wait for a machine that never comes."""
    file = write_rows(tmp_path / "a.jsonl", rows_of(0))
    words = ["score", file, "-m", "rouge_l", "--engine", "ray", "--ray-gpus", "64", "-o", tmp_path / "scores"]
    done = qassay_process(*words, env={"RAY_ADDRESS": ""}, check=2)
    assert "no machine of the cluster has room for a worker with 1 CPU and 64 GPUs (they have " in done.stderr
    assert "ask for less with --ray-cpus or --ray-gpus" in done.stderr
    assert not Path(tmp_path / "scores").exists()


def test_workers_wait_for_machines_with_a_warning(cluster, monkeypatch):
    """A cluster that was there before may grow; no node has the CPUs of both."""
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    message = (
        r"room for a worker with 2 CPUs and 0 GPUs \(they have 1 CPU and 0 GPUs; 0 CPUs and 0 GPUs\); the run waits"
    )
    with pytest.warns(ClusterWarning, match=message), RayCluster(cpus=2):
        pass


def test_a_bucket_that_is_not_there_is_an_error(cluster, tmp_path):
    """One message, no traceback."""
    file = write_rows(tmp_path / "a.jsonl", rows_of(0))
    words = ["score", file, "-m", "rouge_l", "--engine", "ray", "-o", "s3://no-such-bucket/scores"]
    done = qassay_process(*words, env={"RAY_ADDRESS": cluster.address}, check=2)
    assert "s3://no-such-bucket/scores/rows: cannot be emptied" in done.stderr
    assert "NO_SUCH_BUCKET" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name it with -o"),
        (("-o", "scores.jsonl"), "writes a folder"),
        (("-o", "new", "-m", "cider"), "qassay frequencies"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_first(words, message, cluster, tmp_path, monkeypatch):
    """Before anything is scored."""
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    file = write_rows(tmp_path / "a.jsonl", rows_of(0))
    done = qassay("score", file, "-m", "rouge_l", "--engine", "ray", *words, folder=tmp_path, check=2)
    assert message in done.stderr
    assert not Path(tmp_path / "new").exists()
