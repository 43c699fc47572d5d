"""Killed processes, outputs that cannot be, and files that must not be lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import answers, write_rows
from snippets import run_program

METRICS = ["-m", "token_f1", "-m", "bleu", "-m", "rouge_l", "-m", "rouge_2"]
ROWS = 30_000
HAS_PROC = Path("/proc/self/stat").exists()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file that takes seconds to score."""
    return write_rows(tmp_path_factory.mktemp("many") / "a.jsonl", answers(ROWS))


@pytest.fixture
def few(tmp_path):
    return write_rows(tmp_path / "a.jsonl", answers(3))


@pytest.fixture
def run(tmp_path):
    """Run `qassay WORDS…` in the test's folder; return its exit status and what it printed."""
    return lambda *words: run_program(["qassay", *map(str, words)], tmp_path)


@pytest.fixture
def started(many, tmp_path):
    """A run with two workers, in a group of its own, that has written its first rows."""
    program = Path(sys.executable).with_name("qassay")
    process = subprocess.Popen(  # noqa: S603 - our own program
        [program, "score", many, *METRICS, "-o", tmp_path / "out.jsonl", "--workers", "2", "--batch", "200"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    part = tmp_path / "out.jsonl.part"
    wait_until(lambda: part.exists() and part.stat().st_size > 0)
    yield process
    process.kill()
    process.communicate()


def wait_until(holds):
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert holds()


def children(process):
    """Return the worker processes of a run."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            command = (each / "cmdline").read_text()
        except OSError:
            continue
        if parent == process.pid and "spawn_main" in command:
            found.append(int(each.name))
    return found


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_a_killed_worker_ends_the_run_with_the_way_to_resume(started, tmp_path):
    """One message, no traceback, and what was scored stays for the resumed run."""
    os.kill(children(started)[0], signal.SIGKILL)
    _, messages = started.communicate(timeout=60)
    assert started.returncode == 130
    assert messages.startswith("a worker process was killed")
    assert messages.rstrip().endswith("--resume")
    assert messages.count("\n") == 1
    assert (tmp_path / "out.jsonl.part.state").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_group_ends_all_without_tracebacks(started, number):
    """Ctrl-C reaches the workers too, and they leave it to the main process."""
    os.killpg(started.pid, number)
    _, messages = started.communicate(timeout=60)
    assert (started.returncode, messages.count("\n")) == (130, 1), messages


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_workers_end_with_their_parent(started):
    """A killed run leaves no process behind."""
    workers = children(started)
    started.kill()
    started.communicate()
    wait_until(lambda: not any(Path(f"/proc/{each}").exists() for each in workers))
    assert len(workers) >= 2


def test_an_interrupt_does_not_wait_for_rows(tmp_path):
    """Ctrl-C ends a run that reads nothing but blank lines."""
    read, write = os.pipe()
    program = Path(sys.executable).with_name("qassay")
    process = subprocess.Popen(  # noqa: S603 - our own program
        [program, "score", "-", "--format", "jsonl", "-m", "token_f1", "-o", tmp_path / "o.jsonl"],
        stdin=read,
        stderr=subprocess.PIPE,
    )
    os.close(read)
    os.write(write, b"\n" * 1000)
    wait_until((tmp_path / "o.jsonl.part").exists)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    os.close(write)
    assert process.returncode == 130


IMPOSSIBLE = {
    "a folder": ("folder", "is a folder"),
    "nothing": ("", "is a folder"),
    "here": (".", "is a folder"),
    "the root": ("/", "is a folder"),
    "a long name": (f"{'x' * 250}.jsonl", "cannot be written: File name too long"),
    "no such folder": ("none/o.jsonl", "cannot be written: No such file"),
    "a pipe": ("pipe.jsonl", "is a device or a pipe"),
    "a file for a folder": ("a.jsonl/o.jsonl", "cannot be written: Not a directory"),
}


@pytest.mark.parametrize(("place", "says"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_output_that_cannot_be_is_refused(few, tmp_path, run, place, says):
    """One message that names the output, before anything is scored; nothing is left or changed."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    before = sorted(tmp_path.rglob("*"))
    status, printed = run("score", few.name, "-m", "token_f1", "-o", place)
    assert (status, says in printed) == (2, True), printed
    assert sorted(tmp_path.rglob("*")) == before


def test_two_outputs_of_one_name_are_refused(few, run):
    """Neither of two outputs is written over the other."""
    status, printed = run("score", few.name, "-m", "token_f1", "-o", "s.jsonl", "--report", "./s.jsonl")
    assert (status, "is named for two outputs" in printed) == (2, True), printed


def test_an_input_that_has_the_name_of_the_part_is_not_lost(few, tmp_path, run):
    """`score x.jsonl.part -o x.jsonl` would write over its input."""
    part = few.rename(tmp_path / "x.jsonl.part")
    before = part.read_bytes()
    status, printed = run("score", part.name, "-m", "token_f1", "-o", "x.jsonl")
    assert (status, "is an input of this run" in printed) == (2, True), printed
    assert part.read_bytes() == before


def test_a_foreign_part_is_not_written_over(few, tmp_path, run):
    """A file that no unfinished run wrote stays as it is."""
    (tmp_path / "x.jsonl.part").write_text("a diary", encoding="utf-8")
    status, printed = run("score", few.name, "-m", "token_f1", "-o", "x.jsonl")
    assert (status, "is in the way" in printed) == (2, True), printed
    assert (tmp_path / "x.jsonl.part").read_text(encoding="utf-8") == "a diary"


def test_a_link_in_the_place_of_the_part_is_not_followed(few, tmp_path, run):
    """Whoever puts a link there does not get another file written over."""
    (tmp_path / "diary").write_text("a diary", encoding="utf-8")
    (tmp_path / "x.jsonl.part").symlink_to(tmp_path / "diary")
    status, printed = run("score", few.name, "-m", "token_f1", "-o", "x.jsonl")
    assert (status, "is in the way" in printed) == (2, True), printed
    assert (tmp_path / "diary").read_text(encoding="utf-8") == "a diary"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")  # noqa: S108 - a place to write
def test_a_table_may_lie_on_another_file_system(few, run):
    """What is written on the way to a CSV lies beside it, and is gone afterwards."""
    folder = Path("/dev/shm") / f"qassay-{os.getpid()}"  # noqa: S108 - as above
    folder.mkdir()
    try:
        status, printed = run("score", few.name, "-m", "token_f1", "-o", folder / "o.csv")
        found = [each.name for each in folder.iterdir()]
    finally:
        for each in folder.iterdir():
            each.unlink()
        folder.rmdir()
    assert (status, found) == (0, ["o.csv"]), printed


def test_what_a_killed_process_left_is_removed(few, tmp_path, run):
    """The unfinished file of a dead process goes with the next writing of the same output."""
    from qassay.io.atomic_output import _beginning  # noqa: PLC0415 - the name that a killed process leaves

    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale = tmp_path / f"{_beginning(Path('o.csv'))}{ended.pid}-0.part"
    stale.write_text("half", encoding="utf-8")
    run("score", few.name, "-m", "token_f1", "-o", "o.csv")
    assert not stale.exists()


def stop(folder):
    """Make the files of a run that was stopped after its first rows."""
    from qassay.io.input_stream import Reader  # noqa: PLC0415 - beside its use
    from qassay.scoring.engines.local import LocalEngine  # noqa: PLC0415 - as above
    from qassay.scoring.file_run import Run  # noqa: PLC0415 - as above
    from qassay.scoring.scorer import Scorer  # noqa: PLC0415 - as above

    class Stopping(LocalEngine):
        def score(self, scorer, chunks):
            for number, result in enumerate(super().score(scorer, chunks)):
                if number == 3:
                    raise KeyboardInterrupt
                yield result

    with (
        pytest.raises(KeyboardInterrupt),
        Run(
            lambda: Reader([folder / "a.jsonl"]),
            Scorer(["token_f1"]),
            Stopping(),
            output=folder / "o.jsonl",
            batch=2,
        ) as run,
    ):
        run.score()


RESUMED = ("score", "a.jsonl", "-m", "token_f1", "-o", "o.jsonl", "--resume")


@pytest.mark.parametrize("field", ["model", "some-package"])
def test_a_metric_that_changed_is_not_resumed(tmp_path, run, monkeypatch, field):
    """Another model, or another version of a package, would put two kinds of scores under one signature."""
    from qassay.metrics.base import Metric  # noqa: PLC0415 - beside its use

    write_rows(tmp_path / "a.jsonl", answers(10))
    monkeypatch.setattr(Metric, "identity", lambda *_: {field: "old"})
    stop(tmp_path)
    monkeypatch.setattr(Metric, "identity", lambda *_: {field: "new"})
    status, printed = run(*RESUMED)
    assert status == 2
    assert f"the {field} of token_f1 is another one now (new, before old)" in " ".join(printed.split())


def test_rows_that_changed_places_are_not_resumed(tmp_path, run):
    """The same rows in another order are another input."""
    rows = answers(10)
    write_rows(tmp_path / "a.jsonl", rows)
    stop(tmp_path)
    write_rows(tmp_path / "a.jsonl", [rows[1], rows[0], *rows[2:]])
    status, printed = run(*RESUMED)
    assert (status, "is not the one that the unfinished run read" in printed) == (2, True), printed


@pytest.mark.parametrize(
    ("file", "at", "says"),
    [("o.jsonl.part", 30, "is not what the unfinished run wrote"), ("o.jsonl.part.state", -9, "is damaged")],
)
def test_a_flipped_bit_is_noticed(tmp_path, run, file, at, says):
    """Neither a changed row nor a changed total goes into the result."""
    write_rows(tmp_path / "a.jsonl", answers(10))
    stop(tmp_path)
    content = bytearray((tmp_path / file).read_bytes())
    content[at] ^= 1
    (tmp_path / file).write_bytes(content)
    status, printed = run(*RESUMED)
    assert (status, says in printed) == (2, True), printed
    status, _ = run(*RESUMED[:-1])
    assert status == 0


def test_a_stopped_run_is_resumed(tmp_path, run):
    """What was scored before is not scored again, and the result is the same."""
    write_rows(tmp_path / "a.jsonl", answers(10))
    stop(tmp_path)
    status, _ = run(*RESUMED)
    resumed = (tmp_path / "o.jsonl").read_bytes()
    run(*RESUMED[:-1])
    assert (status, resumed) == (0, (tmp_path / "o.jsonl").read_bytes())
    assert len([json.loads(line) for line in resumed.splitlines()]) == 10
