"""Mistakes on the command line, tried in this process: starting a new one takes longer than being refused."""

import sys

import pytest

from qassay.cli.main import run


@pytest.fixture
def refused(monkeypatch, capsys, tmp_path):
    """Run `qassay WORDS…` in the test's folder and give its message; it must exit with 2 and print nothing else."""

    def message_of(*words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["qassay", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            run()
        printed = capsys.readouterr()
        assert stop.value.code == 2
        assert printed.out == ""
        return printed.err

    return message_of
