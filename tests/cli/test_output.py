"""Standard output that cannot hold a character, or nothing at all: what can be written is, and no traceback follows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from commands import qassay_process as qassay
from commands import write_rows

ROW = {"id": "q1", "question": "長江?", "references": ["Paris ≥ 長江 😀"], "candidate": "Café 長江", "system": "Ä"}


@pytest.fixture
def file(tmp_path):
    return write_rows(tmp_path / "answers.jsonl", [ROW])


def printed_to(place, *words):
    """Run `qassay WORDS…` with standard output going to a file, and give the finished process."""
    program = Path(sys.executable).with_name("qassay")
    with Path(place).open("wb") as stdout:
        return subprocess.run(  # noqa: S603 - our own program
            [program, *map(str, words)], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, timeout=300
        )


@pytest.mark.parametrize("words", [("metrics", "bleu"), ("--help",), ("correlate", "--help")], ids=" ".join)
def test_an_encoding_that_lacks_a_character_replaces_it(monkeypatch, words):
    """Definitions and help are printed as far as ASCII holds them."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert qassay(*words, check=0).stdout.isascii()


def test_what_the_encoding_holds_is_kept(monkeypatch, tmp_path):
    """Windows-1252 has the dot of the formula, and no product sign."""
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    done = printed_to(tmp_path / "out", "metrics", "bleu")
    assert (done.returncode, done.stderr) == (0, "")
    assert "`BP · (? P_i)^(1/n)`" in (tmp_path / "out").read_text("cp1252")


@pytest.mark.parametrize("command", [("score",), ("explain", "--id", "q1")], ids=lambda words: words[0])
def test_answers_in_any_script_are_printed_in_any_encoding(monkeypatch, file, command):
    """What ASCII lacks of an answer is replaced, and the rest of it is there."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    printed = qassay(*command, file, "-m", "token_f1", check=0).stdout
    assert "Paris ? ?? ?" in printed


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_loses_no_character_in_any_encoding(monkeypatch, tmp_path, file, encoding):
    """Escapes stand for what is beyond ASCII unless stdout is UTF-8, so that every JSON reader takes the document."""
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    done = printed_to(tmp_path / "out", "explain", file, "--id", "q1", "-m", "token_f1", "--json")
    document = json.loads((tmp_path / "out").read_bytes())
    assert (done.returncode, done.stderr) == (0, "")
    assert (document["candidate"], document["references"][0]["text"]) == (ROW["candidate"], ROW["references"][0])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    "words", [("score", "-m", "token_f1"), ("score", "-m", "token_f1", "--json"), ("metrics", "--json")], ids=" ".join
)
def test_a_full_disk_is_one_message(file, words):
    """Standard output is named, and the exit status is 2."""
    done = printed_to("/dev/full", *words, *([file] if "score" in words else []))
    (message,) = done.stderr.splitlines()
    assert message.startswith("error: stdout: cannot be written (No space left on device)")
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_on_a_full_disk_is_one_message(option):
    """The same holds for what no command prints."""
    done = printed_to("/dev/full", option)
    (message,) = done.stderr.splitlines()
    assert message.startswith("error: ")
    assert "No space left on device" in message
    assert done.returncode == 2
