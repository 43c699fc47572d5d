"""What Ctrl-C leaves of a training, and how it goes on."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from commands import qassay, write_rows
from tiny_bert import write_tiny_bert

ROWS = [
    {"question": f"where {n}", "answer": "it is paris", "spans": [[6, 11]], "source": "s", "group": f"{n}"}
    for n in range(40)
]


@pytest.fixture
def words(tmp_path):
    """Give a command that would train for hours."""
    base = write_tiny_bert(tmp_path / "base")
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", ROWS)
    out = tmp_path / "model"
    return (
        "train",
        "keyphrase",
        "--base",
        base,
        "--data",
        tmp_path,
        "-o",
        out,
        "--preset",
        "cross",
        "--epochs",
        100000,
    )


LISTENING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command that hears Ctrl-C, which a shell's background jobs do not."""
PATIENCE = 300
"""Seconds after which a command that does not stop is killed."""


def interrupt(words, when):
    """Interrupt a command when it has said something twice, and give its exit status and what it said."""
    program = Path(sys.executable).with_name("qassay")
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", LISTENING, program, *map(str, words)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as running:
        watch = threading.Timer(PATIENCE, running.kill)
        watch.start()
        lines = [line for line, _ in zip((line for line in running.stderr if when in line), range(2), strict=False)]
        running.send_signal(signal.SIGINT)
        told = "".join(lines) + running.stderr.read()
        watch.cancel()
    return running.returncode, told


def test_an_interrupted_training_says_how_to_resume(words):
    """Status 130, the command that carries on, and no start over the checkpoint without it."""
    status, told = interrupt(words, "dev_loss")

    assert status == 130
    assert told.splitlines()[-1].startswith("interrupted; carry on with: qassay train keyphrase ")
    assert told.rstrip().endswith("--resume")
    assert "holds an unfinished training; carry on with it (--resume)" in qassay(*words, check=2).stderr


def test_an_interrupted_reader_keeps_what_it_has_learnt(tmp_path):
    """The folder does not look like a trained one, and another training can start from it."""
    base = write_tiny_bert(tmp_path / "base", width=384, heads=12, layers=6)
    row = {"question": "what", "passage": "paris is red", "spans": [[0, 5]], "source": "s", "group": "g"}
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", [row])
    out = tmp_path / "model"
    words = ("train", "reader", "--base", base, "--data", tmp_path, "-o", out)

    status, told = interrupt((*words, "--epochs", 100000), "loss")

    assert status == 130
    assert told.rstrip().endswith(f"--start {out / 'unfinished'}")
    assert [path.name for path in out.iterdir()] == ["unfinished"]
    qassay(*words, "--start", out / "unfinished", check=0)
    assert not (out / "unfinished").exists()
