"""Two runs with the same output: the second is refused, the first is not disturbed."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import answers, qassay, write_rows
from qassay.io.locking import sole_writer

PAIRS = [{"id": f"p{i}", "question": "Who?", "answer": "Ann", "prediction": "Ann Lee"} for i in range(600)]
SUMMARIES = [
    {"id": f"s{i}", "system": "A", "summary": "Anna won.", "references": ["Anna won the race in Oslo."]}
    for i in range(2)
]
COMMANDS = [
    (("score", "-m", "token_f1"), answers(3000)),
    (("verify", "-m", "em"), PAIRS),
    (("summary", "-m", "qaeval,verify=em"), SUMMARIES),
]


def start(words, rows):
    """Start a run that waits for the end of its input."""
    process = subprocess.Popen(  # noqa: S603 - our own program
        [Path(sys.executable).with_name("qassay"), *words, "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(rows)
    process.stdin.flush()
    return process


def wait_for(path):
    """Wait until a file is there."""
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert path.exists()


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_the_second_run_is_refused_and_the_first_finishes(tmp_path, resume):
    """The rows are those of the first run alone."""
    command, rows = COMMANDS[0]
    given = write_rows(tmp_path / "given.jsonl", rows)
    out, alone = tmp_path / "out.jsonl", tmp_path / "alone.jsonl"
    first = start([*command, "-o", out], given.read_bytes())
    wait_for(tmp_path / "out.jsonl.part")
    second = qassay(*command, given, "-o", out, *resume, check=2)
    _, messages = first.communicate(timeout=60)
    assert "out.jsonl: another run is writing it; wait until that one is done" in " ".join(second.stderr.split())
    assert first.returncode == 0, messages
    qassay(*command, given, "-o", alone, check=0)
    assert out.read_bytes() == alone.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["alone.jsonl", "given.jsonl", "out.jsonl"]


@pytest.mark.parametrize(("command", "rows"), COMMANDS, ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_every_command_that_resumes_holds_its_output(tmp_path, command, rows):
    """While someone else writes the output, nothing of it is touched."""
    given = write_rows(tmp_path / "given.jsonl", rows)
    partial = tmp_path / "out.jsonl.part"
    partial.write_bytes(b"rows of another run\n")
    with sole_writer(tmp_path / "out.jsonl"):
        done = qassay(*command, given, "-o", tmp_path / "out.jsonl", check=2)
    assert "another run is writing it" in " ".join(done.stderr.split())
    assert partial.read_bytes() == b"rows of another run\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["given.jsonl", "out.jsonl.part"]
