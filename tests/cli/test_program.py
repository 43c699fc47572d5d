"""The program itself: help, completion, messages and mistakes that no command is needed for."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import answers, qassay, write_rows
from qassay.cli import main, terminal
from qassay.cli.program import COMMANDS, execute, load

EVERYTHING = ["Input", "Metrics", "Output", "Statistics", "Models", "Running"]
PANELS = {
    "score": EVERYTHING,
    "compare": EVERYTHING,
    "correlate": EVERYTHING,
    "agree": ["Input", "Metrics", "Output", "Statistics", "Running"],
    "accuracy": ["Input", "Metrics", "Output", "Statistics", "Running"],
    "summary": EVERYTHING,
    "verify": EVERYTHING,
    "explain": ["Input", "Metrics", "Output", "Models", "Running"],
}
IMPORTED = """
import sys
sys.argv = ["qassay", "--version"]
from qassay.cli.main import run
try:
    run()
except SystemExit:
    print(*(name for name in ("numpy", "rich", "msgspec", "qassay.api") if name in sys.modules))
"""


@pytest.mark.parametrize("command", PANELS)
def test_help_has_panels_in_one_order(command):
    """Options are found where they are in every other command."""
    shown = qassay(command, "--help", check=0).stdout
    found = [
        line.split()[1] for line in shown.splitlines() if line.startswith("\N{BOX DRAWINGS LIGHT ARC DOWN AND RIGHT}")
    ]
    assert [each for each in found if each not in {"Arguments", "Options"}] == PANELS[command]


@pytest.mark.parametrize("command", PANELS)
def test_help_has_examples(command):
    """Commands to copy."""
    assert f"qassay {command}" in qassay(command, "--help", check=0).stdout.partition("Examples:")[2]


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS), ["build", "ava"], ["train", "judge"]])
def test_help_names_no_types_of_python(words):
    """A reader is told what to give."""
    shown = qassay(*words, "--help", check=0).stdout
    assert [kind for kind in ("<bool>", "<str>", "<int>", "<float>", "<list", "<path>") if kind in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_list_is_there(name):
    """Each is imported by its name."""
    assert load(name).name == name


def test_a_group_has_the_commands_of_its_heads():
    """They stand in a module of their own."""
    assert {"chunker", "reader", "judge", "keyphrase", "ava"} <= set(load("train").commands)


def test_completion_can_be_installed():
    """By the program itself."""
    assert "--install-completion" in qassay("--help", check=0).stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scor"], "no such command 'scor'"),
        (["score", "--nope"], "no such option: --nope"),
        (["score"], "missing argument"),
        (["score", "a.jsonl", "--batch", "99999999999999999999"], "--batch"),
        (["score", "a.jsonl", "--language", "xx"], "ISO 639-1"),
        (["score", "a.jsonl", "-m", "token_f1", "--report", "r.txt"], "ends in .html"),
        (["explain", "a.jsonl", "--id", "q", "--html", "r.txt"], "ends in .html"),
        (["score", "a.jsonl", "--resume"], "--resume needs -o"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_mistakes_have_one_style(refused, words, says):
    """One line, which begins with error: and names flags."""
    message = refused(*words)
    assert message.startswith("error: ")
    assert says in message


def test_quiet_says_nothing(tmp_path):
    """Neither what was written nor what was skipped."""
    file = write_rows(tmp_path / "a.jsonl", [*answers(3), {"id": "bad"}])
    words = ["score", file, "-m", "token_f1", "--on-error", "skip", "-o", tmp_path / "o.jsonl"]
    assert "wrote" in qassay(*words, check=0).stderr
    assert qassay(*words, "--quiet", check=0).stderr == ""


def test_quiet_keeps_errors(refused):
    """Or nobody would know."""
    assert "there is no such file" in refused("score", "none.jsonl", "-m", "token_f1", "--quiet")


def test_an_id_cannot_write_to_the_terminal(refused, tmp_path):
    """Escape sequences are written out."""
    row = {"id": "\x1b[31mq\r", "references": ["a"], "candidate": "b"}
    message = refused("score", write_rows(tmp_path / "a.jsonl", [row, row]), "-m", "token_f1")
    assert "\x1b[31mq" not in message
    assert r"\x1b[31mq\r" in message


def test_a_message_is_short(refused, tmp_path):
    """However long an id is."""
    row = {"id": "x" * 9000, "references": ["a"], "candidate": "b"}
    assert len(refused("score", write_rows(tmp_path / "a.jsonl", [row, row]), "-m", "token_f1")) < 800


def test_a_model_too_long_for_a_path_is_refused(refused, tmp_path):
    """In one message."""
    file = write_rows(tmp_path / "a.jsonl", answers(2))
    message = refused("score", file, "-m", "ava", "--model", "m" * 5000)
    assert message.startswith("error: ")
    assert len(message) < 2500


def test_help_may_be_cut_short():
    """As `| head` does: nothing is wrong."""
    reading, writing = os.pipe()
    os.close(reading)
    code = "from qassay.cli.main import run; run()"
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code, "score", "--help"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_version_loads_nothing_that_takes_time():
    """No numpy, no Rich, no metric."""
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.splitlines()[1:] == [""]


class _Interrupted(type(os)):
    def __getattr__(self, name):
        raise KeyboardInterrupt


def test_an_interruption_of_the_imports_is_no_traceback(monkeypatch, capsys):
    """The exit status says it."""
    monkeypatch.setitem(sys.modules, "qassay.cli.program", _Interrupted("qassay.cli.program"))
    with pytest.raises(SystemExit) as stop:
        main.run()
    assert stop.value.code == 130
    assert capsys.readouterr().err == ""


def _no_home(_path):
    raise RuntimeError("Could not determine home directory.")


def test_an_account_without_a_home_is_no_error(monkeypatch):
    """`data list` looks into the user's cache."""
    monkeypatch.setattr("pathlib.Path.expanduser", _no_home)
    for name in ("XDG_CACHE_HOME", "QASSAY_DATA"):
        monkeypatch.delenv(name, raising=False)
    qassay("data", "list", check=0)


class _ReaderThatLeaves(io.StringIO):
    """Standard output whose reader has seen enough: a line end by itself is the last that help writes."""

    def write(self, text):
        if text == "\n":
            raise BrokenPipeError(errno.EPIPE, "gone")
        return super().write(text)


@pytest.mark.parametrize("words", [["score", "--help"], ["train", "--help"], ["--help"]])
def test_help_whose_reader_leaves_is_no_error(monkeypatch, words):
    """Typer would end with 1; the program ends with 0 where this error reaches it."""
    monkeypatch.setattr(sys, "stdout", _ReaderThatLeaves())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with pytest.raises(BrokenPipeError):
        execute(words)


def test_a_version_that_nobody_reads_is_no_error():
    """`qassay --version | true` ends with 0 and no message."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "qassay", "--version"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)  # noqa: S603 - our own
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_quiet_keeps_the_way_to_resume(monkeypatch, capsys):
    """Whoever interrupts a long run needs it."""
    monkeypatch.setattr(sys, "argv", ["qassay", "score", "a.jsonl", "-q", "-o", "out.jsonl"])
    monkeypatch.setattr(terminal.messages, "hushed", True)
    with pytest.raises(KeyboardInterrupt), terminal.resumable(Path("out.jsonl")):
        raise KeyboardInterrupt
    assert "resume with: qassay score a.jsonl -q -o out.jsonl --resume" in capsys.readouterr().err
