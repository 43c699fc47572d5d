"""What commands share of the terminal: where messages go, progress, JSON."""

from __future__ import annotations

import codecs
import json
import os
import re
import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from qassay.cli.wording import in_flags
from qassay.errors import OutputError, StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from qassay.api.inputs import LeftOut


class Output(Console):
    """Standard output, whose reader may go away (`| head`) without anything being wrong."""

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 - as Rich has it
        """Print, or say in one message why that cannot be done."""
        with _written():
            super().print(*objects, **options)

    def on_broken_pipe(self) -> NoReturn:
        """Stop quietly; what is left cannot be flushed any more."""
        drop_output()
        raise SystemExit(0)


class Messages(Console):
    """Standard error: where nobody reads it any more (`2>&1 | head`), the work goes on in silence."""

    hushed = False

    def on_broken_pipe(self) -> None:
        """Send what is left nowhere."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


messages = Messages(stderr=True)
"""Progress and messages; results go to stdout."""
output = Output()

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_NAMED = 3
"""Reasons that a summary of skipped rows gives."""
_LISTED = 20
"""Skipped rows that are listed one by one."""


class ProgressBar:
    """Shows how many answers are done on stderr, when that is a terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.completed:,.0f} answers, {task.fields[rate]:,.0f} per second"),
            TimeRemainingColumn(),
            console=messages,
            transient=True,
            disable=messages.hushed or not sys.stderr.isatty(),
        )

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, what: str, total: int | None) -> None:
        """Start a new line for a new pass over the answers."""
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._task = self._bar.add_task(what, total=total, rate=0.0)

    def advance(self, done: int, total: int | None) -> None:
        """Show how many answers are done, of how many as far as it can be told."""
        elapsed = self._bar.tasks[0].elapsed or 1e-9
        self._bar.update(self._task, completed=done, total=total, rate=done / elapsed)


def drop_output() -> None:
    """Send what is left for stdout nowhere, so that the end of the program does not try it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _written() -> Iterator[None]:
    """Turn what the operating system says against stdout, such as a full disk, into one message."""
    try:
        yield
    except BrokenPipeError:
        output.on_broken_pipe()
    except OSError as problem:
        drop_output()
        raise OutputError(
            f"cannot be written ({problem.strerror or problem}); check where it goes and the room left", "stdout"
        ) from problem


def write_output(text: str) -> None:
    """Write text to stdout as it stands."""
    with _written():
        output.file.write(text)
        output.file.flush()


def print_error(problem: str) -> None:
    """Print what is wrong, in the one style of all errors."""
    messages.print(f"[bold red]error:[/] {escape(in_flags(problem))}", highlight=False, soft_wrap=True)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document on stdout: in UTF-8, or else with escapes, which any encoding holds."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    if codecs.lookup(output.encoding).name != "utf-8":
        text = _BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    write_output(f"{text}\n")


def hush(on: bool) -> None:
    """Print no more messages, and no progress; errors are still printed."""
    messages.hushed = on


def say(text: str) -> None:
    """Print a message on stderr."""
    if not messages.hushed:
        _print_message(text)


def _print_message(text: str) -> None:
    messages.print(in_flags(text), highlight=False, markup=False, soft_wrap=True)


def say_notes(notes: Mapping[str, int]) -> None:
    """Print what happened to texts that could not be taken as they are, with counts."""
    for note, count in notes.items():
        say(f"{note}: {count:,}")


def list_skipped(left_out: LeftOut) -> None:
    """Name the first rows of each input that were left out, and sum up the rest."""
    for each in left_out.inputs:
        for skipped in each.skipped[:_LISTED]:
            say(f"skipped {skipped}")
        if each.skipped_total > _LISTED:
            reasons = Counter(skipped.reason for skipped in each.skipped).most_common(_NAMED)
            often = "; ".join(reason for reason, _ in reasons)
            say(f"skipped {each.skipped_total - _LISTED} more; most often: {often}")


@contextmanager
def resumable(out: str | Path | None) -> Iterator[None]:
    """Print how to resume a run that was interrupted, or that lost a worker process."""
    try:
        yield
    except (KeyboardInterrupt, StoppedError) as problem:
        what = str(problem) if isinstance(problem, StoppedError) else "interrupted"
        if out is None:
            _print_message(f"{what}; nothing was kept (with -o a run can be resumed)")
        else:
            words = [word for word in sys.argv[1:] if word != "--resume"]
            _print_message(f"{what}; resume with: qassay {shlex.join([*words, '--resume'])}")
        raise KeyboardInterrupt from problem


@contextmanager
def startable(more_words: Callable[[], Sequence[str | Path]]) -> Iterator[None]:
    """Print which options resume an interrupted training; without any, nothing was saved."""
    try:
        yield
    except KeyboardInterrupt:
        more = [str(word) for word in more_words()]
        words = [word for word in sys.argv[1:] if word != "--resume"]
        told = f"resume with: qassay {shlex.join([*words, *more])}" if more else "nothing was written"
        _print_message(f"interrupted; {told}")
        raise
