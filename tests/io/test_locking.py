"""An output is written by one run at a time, and a lock never outlives its process."""

import subprocess
import sys

import pytest

from qassay.errors import OutputError
from qassay.io.locking import sole_writer

HOLDER = """
import sys, time
from pathlib import Path
from qassay.io.locking import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that writes the output."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / "out.jsonl"], stdout=subprocess.PIPE)  # noqa: S603 - our own program
    with process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_the_second_writer_is_refused(tmp_path, holder):
    """The message names the file and says what to do."""
    with (
        pytest.raises(OutputError, match=r"out\.jsonl: another run is writing it; wait .* or choose another place"),
        sole_writer(tmp_path / "out.jsonl"),
    ):
        pass
    assert holder.poll() is None


def test_a_killed_process_leaves_no_lock(tmp_path, holder):
    """Its file stays behind and holds nobody back."""
    holder.kill()
    holder.wait()
    assert (tmp_path / "out.jsonl.part.lock").exists()
    with sole_writer(tmp_path / "out.jsonl"):
        pass
    assert not list(tmp_path.iterdir())


def test_threads_of_one_process_are_kept_apart(tmp_path):
    """The lock belongs to the run, not to the process."""
    with sole_writer(tmp_path / "out.jsonl"), pytest.raises(OutputError), sole_writer(tmp_path / "out.jsonl"):
        pass


def test_other_outputs_are_free(tmp_path):
    """Runs with outputs of their own do not meet."""
    with sole_writer(tmp_path / "a.jsonl"), sole_writer(tmp_path / "b.jsonl"):
        assert len(list(tmp_path.iterdir())) == 2


def test_a_file_system_without_locks_is_no_hindrance(tmp_path, monkeypatch):
    """Where a lock cannot be had, the run goes on without."""

    def refuse(*_):
        raise NotImplementedError

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with sole_writer(tmp_path / "out.jsonl"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """The output cannot be written, and the message says so."""
    with pytest.raises(OutputError, match="cannot be written: No such file"), sole_writer(tmp_path / "no" / "o.jsonl"):
        pass
