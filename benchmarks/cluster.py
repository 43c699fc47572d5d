"""Many machines: a Ray cluster of several nodes on this machine, an S3 server, a driver and a node that are killed.

    python benchmarks/cluster.py --rows 2000000

Answers are put on an S3 server (moto's) in shards. `qassay score --engine ray` scores them on four nodes; its driver is
killed when a quarter of the shards is done, and, after the run was resumed, a node when half are. Rows and aggregates
must be those of one process, byte by byte. Prints the time and the driver's memory. Needs the group cluster-test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

METRICS = ("-m", "rouge_l", "-m", "bleu")
BUCKET = "benchmark"
TEXT = (
    "the a of list number it is and more blue red green tower river king city 1912 Paris London was built by in north "
    "south when people came there first again after war old new house stone water light"
)
WORDS = TEXT.split()
PROGRAM = (sys.executable, "-m", "qassay")


def write_shard(path: Path, first: int, rows: int) -> None:
    """Write answers of two systems to the same questions, about 13 words each."""
    draw = random.Random(first)
    with path.open("w", encoding="utf-8") as file:
        for i in range(first, first + rows):
            reference = draw.choices(WORDS, k=draw.randint(4, 22))
            candidate = [word for word in reference if draw.random() < 0.8] + draw.choices(WORDS, k=draw.randint(0, 5))  # noqa: PLR2004
            row = {
                "id": f"q{i // 2}",
                "question": f"What was built in {i // 2}?",
                "references": [" ".join(reference)],
                "candidate": " ".join(candidate),
                "system": "AB"[i % 2],
            }
            file.write(json.dumps(row) + "\n")


class S3:
    """An S3 server in a process of its own."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.environ.update(
            AWS_ACCESS_KEY_ID="any",
            AWS_SECRET_ACCESS_KEY="any",  # noqa: S106 - the server takes any
            AWS_DEFAULT_REGION="us-east-1",
            AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
        )
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        import boto3  # noqa: PLC0415 - after the address is known

        self.client: Any = boto3.client("s3")
        self.client.create_bucket(Bucket=BUCKET)

    def names(self, prefix: str) -> list[str]:
        """Return the names of the objects below a prefix."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return sorted(each["Key"] for page in pages for each in page.get("Contents", ()))

    def digest(self, prefix: str) -> str:
        """Return the hash of all objects below a prefix, one after the other."""
        found = hashlib.sha256()
        for name in self.names(prefix):
            found.update(self.client.get_object(Bucket=BUCKET, Key=name)["Body"].read())
        return found.hexdigest()


@dataclass
class Driver:
    """`qassay score --engine ray`, watched."""

    process: subprocess.Popen[bytes]
    out: Path
    err: Path
    memory: list[tuple[int, int]] = field(default_factory=list)
    """How many shards were done, and the resident megabytes then."""

    @classmethod
    def start(cls, address: str, folder: Path, *more: str) -> Driver:
        """Start it on a cluster."""
        words = ["score", f"s3://{BUCKET}/answers/*", *METRICS, "-o", f"s3://{BUCKET}/scores/", "--engine", "ray"]
        out, err = folder / f"out{len(more)}", folder / f"err{len(more)}"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(  # noqa: S603 - our own program
                [*PROGRAM, *words, "--json", *more],
                env={**os.environ, "RAY_ADDRESS": address},
                stdout=stdout,
                stderr=stderr,
            )
        return cls(process, out, err)

    def watch(self, s3: S3, until: int | None) -> None:
        """Wait until so many shards are done, or for the end."""
        while self.process.poll() is None:
            done = len(s3.names("scores/shards/"))
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
            resident = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")), "0")
            self.memory.append((done, int(resident) >> 10))
            if until is not None and done >= until:
                return
            time.sleep(0.5)
        if until is not None or self.process.returncode:
            sys.exit(f"the driver ended with {self.process.returncode}:\n{self.err.read_text()[-3000:]}")


def main() -> None:
    """Run the benchmark and print what it shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=4)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="qassay-cluster-"))
    s3 = S3()
    try:
        run(given.rows, given.shards, given.nodes, folder, s3)
    finally:
        s3.process.terminate()
        shutil.rmtree(folder)


def run(rows: int, shards: int, nodes: int, folder: Path, s3: S3) -> None:
    """Score the rows on a cluster and in one process, and compare."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - after the server's address is known

    (folder / "answers").mkdir()
    for shard in range(shards):
        path = folder / "answers" / f"{shard:05}.jsonl"
        write_shard(path, shard * (rows // shards), rows // shards)
        s3.client.upload_file(str(path), BUCKET, f"answers/{path.name}")
    print(f"{rows // shards * shards:,} answers in {shards} shards, {nodes} nodes", flush=True)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for node in range(nodes):
        # Addresses of their own: the driver, which has the head's, belongs to none of these nodes.
        cluster.add_node(wait=False, num_cpus=1, node_ip_address=f"127.0.0.{node + 2}")
    cluster.wait_for_nodes()
    begun = time.monotonic()
    first = Driver.start(cluster.address, folder)
    first.watch(s3, shards // 4)
    first.process.kill()
    first.process.wait()
    print(f"driver killed after {time.monotonic() - begun:.0f} s, {first.memory[-1][0]} shards done", flush=True)
    second = Driver.start(cluster.address, folder, "--resume")
    second.watch(s3, shards // 2)
    cluster.remove_node(list(cluster.worker_nodes)[-1], allow_graceful=False)
    print(f"a node killed after {time.monotonic() - begun:.0f} s, {second.memory[-1][0]} shards done", flush=True)
    second.watch(s3, None)
    taken = time.monotonic() - begun
    cluster.shutdown()
    print(f"cluster: {taken:.0f} s, {rows / taken:,.0f} answers per second")
    for driver in (first, second):
        marks = [driver.memory[len(driver.memory) * i // 8] for i in range(8)] + [driver.memory[-1]]
        print("driver's memory:", ", ".join(f"{size} MB at {done} shards" for done, size in marks))
    print(f"most: {max(size for driver in (first, second) for _, size in driver.memory)} MB", flush=True)

    local = folder / "scores.jsonl"
    begun = time.monotonic()
    words = [*PROGRAM, "score", str(folder / "answers"), *METRICS, "-o", str(local), "--json"]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)  # noqa: S603 - our own program
    taken = time.monotonic() - begun
    print(f"one process: {taken:.0f} s, {rows / taken:,.0f} answers per second")
    with local.open("rb") as file:
        same_rows = hashlib.file_digest(file, "sha256").hexdigest() == s3.digest("scores/rows/")
    same = json.loads(done.stdout) == json.loads(second.out.read_bytes())
    print(f"rows identical: {same_rows}; aggregates identical: {same}")
    if not (same_rows and same):
        sys.exit(1)


if __name__ == "__main__":
    main()
