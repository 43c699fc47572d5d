"""Running the program: inside the test's own process, or as a user does, in a process of its own."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from unittest import mock

from qassay.cli.main import run

PROGRAM = Path(sys.executable).with_name("qassay")


def qassay(*words, folder=None, stdin=None, check=None):
    """Run `qassay WORDS…` in this process and return what it printed; `check` is the exit status that must come back.

    Models stay loaded from one call to the next. What depends on the process itself (signals, encodings, pipes, start
    time) is tested with `qassay_process`.
    """
    words = list(map(str, words))
    streams = [_text_stream() for _ in range(2)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", [str(PROGRAM), *words]))
        stack.enter_context(mock.patch.object(sys, "stdin", _text_stream(stdin or "")))
        stack.enter_context(contextlib.redirect_stdout(streams[0]))
        stack.enter_context(contextlib.redirect_stderr(streams[1]))
        stack.enter_context(_signal_handlers())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("default")
        if folder is not None:
            stack.enter_context(contextlib.chdir(folder))
        status = _exit_status()
    done = subprocess.CompletedProcess(words, status, *(each.buffer.getvalue().decode() for each in streams))
    return _checked(done, check)


def qassay_process(*words, folder=None, stdin=None, check=None, env=None):
    """Run `qassay WORDS…` in a process of its own and return it, finished; `env` is added to the environment."""
    done = subprocess.run(  # noqa: S603 - our own program
        [PROGRAM, *map(str, words)],
        cwd=folder,
        input=stdin,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return _checked(done, check)


def qassay_json(*words, folder=None, stdin=None):
    """Run a command with --json and return the document it printed."""
    return json.loads(qassay(*words, "--json", folder=folder, stdin=stdin, check=0).stdout)


def write_rows(path, rows):
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def answers(count, system="A"):
    """Make rows of answers, each different from the last."""
    return [
        {
            "id": f"q{i}",
            "question": f"What is number {i}?",
            "references": [f"it is number {i} of the list", f"number {i}"],
            "candidate": f"it is number {i if i % 3 else i + 1}" + " and more" * (i % 7),
            "system": system,
        }
        for i in range(count)
    ]


def _exit_status():
    try:
        run()
    except SystemExit as leaving:
        return leaving.code or 0
    except Exception:  # noqa: BLE001 - as a process would end
        traceback.print_exc()
        return 1


def _text_stream(text=""):
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)


@contextlib.contextmanager
def _signal_handlers():
    """Put the handlers that the program sets back to what they were."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _checked(done, status):
    if status is not None:
        assert done.returncode == status, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done
