"""What commands share of the terminal: where messages go, progress, JSON."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from qassay.cli.wording import in_flags
from qassay.errors import OutputError, StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from qassay.io.reader import Reader
    from qassay.io.readers.read_context import Skipped


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
_REFRESH = 128
_NAMED = 3
"""Inputs that a report's title names, and reasons that a summary of skipped rows gives."""
_LISTED = 20
"""Skipped rows that are listed one by one."""


class Left(Protocol):
    """Whatever read rows and knows which it left out."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The first rows that were left out."""

    @property
    def skipped_total(self) -> int:
        """How many there were."""


class ProgressBar:
    """Shows how far a run has come on stderr, when that is a terminal."""

    def __init__(self, every: int = _REFRESH) -> None:
        self._every = every
        """Answers between two looks at the clock."""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[done]:,} answers, {task.fields[rate]:,.0f} a second"),
            TimeRemainingColumn(),
            console=messages,
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._reader: Reader | None = None
        self._done = 0

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, what: str, reader: Reader) -> None:
        """Start a new line for a new pass over the input."""
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._task = self._bar.add_task(what, total=reader.total_bytes, done=0, rate=0.0)
        self._reader, self._done = reader, 0

    def advance(self, examples: int) -> None:
        """Count examples; look at the clock only now and then."""
        self._done += examples
        if self._done % self._every == 0 and self._reader is not None:
            elapsed = self._bar.tasks[0].elapsed or 1e-9
            self._bar.update(self._task, completed=self._reader.bytes_read, done=self._done, rate=self._done / elapsed)


def accept_any_text() -> None:
    """Let stdout replace what its encoding cannot hold instead of failing; stderr writes escapes by itself."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in {"strict", "surrogateescape"}:
        sys.stdout.reconfigure(errors="replace")


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
        messages.print(in_flags(text), highlight=False, markup=False, soft_wrap=True)


def list_skipped(left: Left) -> None:
    """Name the first rows that were left out, and sum up the rest."""
    for skipped in left.skipped[:_LISTED]:
        say(f"skipped {skipped}")
    if left.skipped_total > _LISTED:
        reasons = Counter(each.reason for each in left.skipped).most_common(_NAMED)
        say(f"skipped {left.skipped_total - _LISTED} more; most often: {'; '.join(reason for reason, _ in reasons)}")


def title_of(inputs: Sequence[str]) -> str:
    """Title a report by what it was made from."""
    names = ["standard input" if each == "-" else Path(each).name for each in inputs]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


@contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """Print how to carry on with a run that is interrupted, or that lost a worker process."""
    try:
        yield
    except (KeyboardInterrupt, StoppedError) as problem:
        what = str(problem) if isinstance(problem, StoppedError) else "interrupted"
        if out is None:
            say(f"{what}; nothing was kept (with -o a run can be resumed)")
        else:
            words = [word for word in sys.argv[1:] if word != "--resume"]
            say(f"{what}; carry on with: qassay {shlex.join([*words, '--resume'])}")
        raise KeyboardInterrupt from problem


@contextmanager
def startable(more_words: Callable[[], Sequence[str | Path]]) -> Iterator[None]:
    """Tell whoever interrupts a training which words make its command carry on; without any, nothing was kept."""
    try:
        yield
    except KeyboardInterrupt:
        more = [str(word) for word in more_words()]
        words = [word for word in sys.argv[1:] if word != "--resume"]
        told = f"carry on with: qassay {shlex.join([*words, *more])}" if more else "nothing was written"
        say(f"interrupted; {told}")
        raise
