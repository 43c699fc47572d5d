"""A run that is stopped, by a kill or by Ctrl-C, goes on where it was."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import answers, qassay, write_rows

ROWS = 12_000
MANY_ROWS = 90_000
METRICS = ["-m", "token_f1", "-m", "bleu", "-m", "rouge_l", "-m", "rouge_2"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file of answers and what an undisturbed run makes of it."""
    folder = tmp_path_factory.mktemp("whole")
    file = write_rows(folder / "a.jsonl", answers(ROWS))
    started = time.monotonic()
    done = qassay("score", file, *METRICS, "-o", folder / "whole.jsonl", "--json", check=0)
    return file, (folder / "whole.jsonl").read_bytes(), done.stdout, time.monotonic() - started


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file that takes seconds to score, and what an undisturbed run makes of it."""
    folder = tmp_path_factory.mktemp("many")
    file = write_rows(folder / "a.jsonl", answers(MANY_ROWS))
    qassay("score", file, *METRICS, "-o", folder / "whole.jsonl", "--json", check=0)
    return file, (folder / "whole.jsonl").read_bytes()


def start(file, out, *words):
    program = Path(sys.executable).with_name("qassay")
    return subprocess.Popen(  # noqa: S603 - our own program
        [program, "score", file, *METRICS, "-o", out, "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


ATTEMPTS = [*range(5), *(pytest.param(attempt, marks=pytest.mark.long) for attempt in range(5, 20))]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_killed_run_resumes_to_the_same_bytes(whole, tmp_path, attempt):
    """Killed at a random moment and resumed, the output and the aggregates are those of a whole run."""
    file, expected, document, seconds = whole
    out = tmp_path / "out.jsonl"
    process = start(file, out)
    time.sleep(random.Random(attempt).uniform(0.2, 1.0) * seconds)
    process.kill()
    process.communicate()
    done = qassay("score", file, *METRICS, "-o", out, "--json", "--resume", check=0)
    assert out.read_bytes() == expected
    assert done.stdout == document
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_run_says_how_to_resume(many, tmp_path, workers):
    """Ctrl-C exits with 130, keeps what was scored and prints the command that goes on."""
    file, expected = many
    out = tmp_path / "out.jsonl"
    process = start(file, out, "--workers", workers)
    partial = tmp_path / "out.jsonl.part"
    deadline = time.monotonic() + 30
    while (not partial.exists() or partial.stat().st_size == 0) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in messages
    assert not out.exists()
    assert partial.exists()
    qassay("score", file, *METRICS, "-o", out, "--resume", check=0)
    assert out.read_bytes() == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b'{"id": "new", "references": ["x"], "candidate": "y"}\n' + text,
        lambda text: text.replace(b"{", b'{"context": "another", ', 1),
    ],
    ids=["a row more", "another context"],
)
def test_changed_input_is_not_resumed(many, tmp_path, change):
    """When the input is another than before, resuming is refused with a remedy."""
    file, _ = many
    copy = tmp_path / "a.jsonl"
    copy.write_bytes(file.read_bytes())
    out, part, state = (tmp_path / f"out.jsonl{ending}" for ending in ("", ".part", ".part.state"))
    process = start(copy, out)
    deadline = time.monotonic() + 30
    while (not part.exists() or part.stat().st_size == 0) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert state.exists()
    copy.write_bytes(change(file.read_bytes()))
    done = qassay("score", copy, *METRICS, "-o", out, "--resume", check=2)
    assert "without --resume" in done.stderr
