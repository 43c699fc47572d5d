"""Running the program as a user does, in its own process."""

import json
import subprocess
import sys
from pathlib import Path


def qassay(*words, folder=None, stdin=None, check=None):
    """Run `qassay WORDS…` and give the finished process; `check` is the exit status that must come back."""
    program = Path(sys.executable).with_name("qassay")
    done = subprocess.run(  # noqa: S603 - our own program
        [program, *map(str, words)], cwd=folder, input=stdin, capture_output=True, text=True, check=False, timeout=300
    )
    if check is not None:
        assert done.returncode == check, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def qassay_json(*words, folder=None, stdin=None):
    """Run a command with --json and give the document it printed."""
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
