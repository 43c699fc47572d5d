"""Files that appear whole or not at all, under names that can be written."""

from __future__ import annotations

import os
import platform
import re
from contextlib import contextmanager, suppress
from itertools import combinations, count
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING

from qassay.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PART, LONGEST_ENDING = ".part", ".part.state.new"
"""Suffixes of the files that a run writes next to its output."""
_NAMED = 40
"""How many characters of an output's name its temporary file's name repeats."""
_HOST = re.sub(r"[^\w-]", "_", platform.node())[:_NAMED]
_numbers = count()


def unwritable(path: Path, problem: OSError | ValueError) -> OutputError:
    """Return the error for an output that cannot be written, with the remedy."""
    reason = getattr(problem, "strerror", None) or problem
    return OutputError(f"cannot be written: {reason}; choose another place, or make room for it", path)


def check_output(path: Path) -> None:
    """Raise `OutputError` if no file can be written under that name, before any work is done."""
    if not path.name:
        raise OutputError("is a folder; give the name of a file in it", path)
    try:
        # The longest name that will be needed beside it.
        with suppress(FileNotFoundError):
            path.with_name(path.name + LONGEST_ENDING).lstat()
        mode = path.stat().st_mode if path.exists() else None
        folder = path.parent.stat()
    except (OSError, ValueError) as problem:
        raise unwritable(path, problem) from problem
    if mode is not None and S_ISDIR(mode):
        raise OutputError("is a folder; give the name of a file in it", path)
    if mode is not None and not S_ISREG(mode):
        raise OutputError("is a device or a pipe, which cannot be replaced by a file; give another name", path)
    if not S_ISDIR(folder.st_mode):
        raise OutputError(f"cannot be written: {path.parent} is no folder; choose another place", path)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OutputError(f"cannot be written: no permission to write in {path.parent}; choose another place", path)


def check_outputs(inputs: Iterable[str | Path], outputs: Sequence[Path]) -> None:
    """Raise `OutputError` if outputs cannot be written, are one file, or would overwrite an input."""
    given = [path for path in map(Path, inputs) if path.exists()]
    for output in outputs:
        check_output(output)
        for path in (output, output.with_name(output.name + PART)):
            if path.exists() and any(path.samefile(each) for each in given):
                raise OutputError("is an input of this run, and would be lost; choose another place", path)
    for first, second in combinations(outputs, 2):
        if _place(first) == _place(second) or (first.exists() and second.exists() and first.samefile(second)):
            raise OutputError("is named for two outputs of this run; give each its own file", second)


def _place(path: Path) -> Path:
    return path.parent.resolve() / path.name


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which is renamed to `path` on success."""
    try:
        check_output(path)
        _remove_stale(path)
        # By process: two programs that write the same file do not mix what they write.
        unfinished = path.with_name(f"{_beginning(path)}{os.getpid()}-{next(_numbers)}{PART}")
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as problem:
        raise unwritable(path, problem) from problem
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as problem:
        raise unwritable(path, problem) from problem
    finally:
        unfinished.unlink(missing_ok=True)


def _beginning(path: Path) -> str:
    return f".{path.name[:_NAMED]}.{_HOST}."


def _remove_stale(path: Path) -> None:
    """Remove temporary files of the same output left by killed processes of this machine."""
    name = re.compile(rf"{re.escape(_beginning(path))}(\d+)-\d+{re.escape(PART)}")
    with os.scandir(path.parent) as entries:
        found = [(entry.name, match) for entry in entries if (match := name.fullmatch(entry.name))]
    for each, match in found:
        if not _runs(int(match[1])):
            path.with_name(each).unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
