"""The commands and the code that the documentation shows: found, run, and held against what it says they print.

`$ cat FILE` in a `console` block shows a file: one that is not there yet is put there for the commands after it, one
that a command wrote is compared. `$ qassay …` is run as the program would run it. `python` blocks are run, and the
`text` block that follows is what they print. A line `…` stands for any lines. `python tests/snippets.py` writes the
present outputs into the pages.
"""

import io
import os
import re
import shlex
import signal
import sys
import tempfile
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = [ROOT / "README.md", ROOT / "docs" / "python.md"]
"""The pages whose `python` blocks are whole programs."""
WIDTH = 80
MORE = "…"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d+\.\d+")
_MODELS = re.compile(r":kpqa|:kp\b|bert_score|lerc|qaeval|feqa|factcc|faithful|qassay summary|qassay verify")
_TOLERANCE = 0.02
"""Quantised models differ a little from one processor to another."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    start: int
    """Where its text begins in the page."""


@dataclass(frozen=True)
class Step:
    """A command of a console block and what it is shown to print."""

    command: str
    shown: str
    start: int
    """Where the shown output begins in the block."""


def name(page):
    """Name a page by its place in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """Find the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(found[1], found[2], found.start(2)) for found in _FENCE.finditer(text)]


def prose(page):
    """Return a page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def steps(block):
    """Cut a console block into commands with their outputs; a command may go on after a backslash."""
    found, position = [], 0
    for part in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
        command = re.match(r"\$ ((?:.*\\\n)*.*)\n", part)
        if command:
            text = command[1].replace("\\\n", "")
            found.append(Step(text, part[command.end() :], position + command.end()))
        position += len(part)
    return found


def is_program(step):
    """Whether a command runs Qassay."""
    return step.command.startswith("qassay ")


def run_steps(block, folder):
    """Put the shown files into a folder, run the program's commands there; give each with what it printed."""
    for step in steps(block):
        words = shlex.split(step.command)
        if words[0] == "cat" and (folder / words[1]).exists():
            yield step, 0, (folder / words[1]).read_text(encoding="utf-8")
        elif words[0] == "cat":
            (folder / words[1]).write_text(step.shown, encoding="utf-8")
        elif is_program(step):
            yield step, *run_program(words, folder)


def run_program(words, folder):
    """Run `qassay` in this process as its entry point does; give its exit status and what a terminal shows."""
    from qassay.cli import terminal  # noqa: PLC0415 - the pages are also read without the program
    from qassay.cli.main import run  # noqa: PLC0415 - as above

    printed = io.StringIO()
    with chdir(folder), patch.object(sys, "argv", words), _narrow(terminal.output), _narrow(terminal.messages):
        handler = signal.getsignal(signal.SIGTERM)
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                run()
        except SystemExit as end:
            status = end.code or 0
        finally:
            signal.signal(signal.SIGTERM, handler)
    return status, printed.getvalue()


@contextmanager
def _narrow(console):
    with patch.object(console, "_width", WIDTH), patch.dict(os.environ, {"NO_COLOR": "1"}):
        yield


def run_python(code, namespace, folder):
    """Run a block of Python; give what it printed."""
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), namespace)  # noqa: S102 - our own documentation
    return printed.getvalue()


def programs(page):
    """Pair each `python` block of a page with the `text` block right after it, if there is one."""
    found = blocks(page)
    following = [*found[1:], None]
    return [
        (block, after if after is not None and after.language == "text" else None)
        for block, after in zip(found, following, strict=True)
        if block.language == "python"
    ]


def lines(text):
    """Return the lines as they are compared: no blanks at their ends, none before the first or after the last."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").splitlines()


def same(shown, printed, command):
    """Return whether the shown output is what was printed; numbers that come from a model may differ a little."""
    tolerance = _TOLERANCE if _MODELS.search(command + shown) else 0.0
    return _holds(lines(printed), _pieces(shown), tolerance)


def _pieces(shown):
    """Return the runs of lines between the lines that stand for any."""
    pieces = [[]]
    for line in lines(shown):
        if line.strip() == MORE:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def _holds(printed, pieces, tolerance):
    if len(pieces) == 1:
        return _alike(printed, pieces[0], tolerance)
    first, *middle, last = pieces
    if len(printed) < len(first) + len(last) or not _alike(printed[: len(first)], first, tolerance):
        return False
    end = len(printed) - len(last)
    if not _alike(printed[end:], last, tolerance):
        return False
    at = len(first)
    for piece in middle:
        places = (i for i in range(at, end - len(piece) + 1) if _alike(printed[i : i + len(piece)], piece, tolerance))
        found = next(places, None)
        if found is None:
            return False
        at = found + len(piece)
    return True


def _alike(printed, shown, tolerance):
    ours, theirs = "\n".join(printed), "\n".join(shown)
    if not tolerance:
        return ours == theirs
    numbers = [[float(each) for each in _NUMBER.findall(text)] for text in (ours, theirs)]
    return _NUMBER.sub("#", ours) == _NUMBER.sub("#", theirs) and all(
        abs(left - right) <= tolerance for left, right in zip(*numbers, strict=True)
    )


def refresh(page):
    """Write what the commands and programs of a page print now into the page; shortened outputs stay as short."""
    text = page.read_text(encoding="utf-8")
    changes = []
    namespace = {"__name__": "snippet"}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for block in blocks(page):
            if block.language == "console":
                changes += [
                    (block.start + step.start, step.shown, _as_shown(printed, step.shown))
                    for step, _, printed in run_steps(block, folder)
                ]
        for code, shown in programs(page) if page in RUN else []:
            printed = run_python(code.text, namespace, folder)
            if shown is not None:
                changes.append((shown.start, shown.text, _as_shown(printed, "")))
    for start, before, after in sorted(changes, reverse=True):
        text = text[:start] + after + text[start + len(before) :]
    page.write_text(text, encoding="utf-8")


def _as_shown(printed, before):
    now, (first, *others) = lines(printed), _pieces(before)
    if len(others) == 1:
        now = [*now[: len(first)], MORE, *now[len(now) - len(others[0]) :]]
    return before if len(others) > 1 else "".join(f"{line}\n" for line in now)


if __name__ == "__main__":
    for each in PAGES:
        refresh(each)
