"""Starting worker processes."""

import os
from threading import Thread

from qassay.scoring.engines.local import _with_threads


def test_runs_that_start_workers_at_once_do_not_change_each_others_environment(monkeypatch):
    """Each worker gets its own run's share of threads, and nothing is left behind."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    seen = []

    def start_another():
        with _with_threads(3):
            seen.append(os.environ["OMP_NUM_THREADS"])

    other = Thread(target=start_another)
    with _with_threads(2):
        other.start()
        other.join(0.1)
        seen.append(os.environ["OMP_NUM_THREADS"])
    other.join()
    assert seen == ["2", "3"]
    assert "OMP_NUM_THREADS" not in os.environ


def test_what_the_environment_says_of_threads_stays(monkeypatch):
    """A user's number of threads holds for workers too."""
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    with _with_threads(2):
        assert os.environ["OMP_NUM_THREADS"] == "5"
    assert os.environ["OMP_NUM_THREADS"] == "5"
