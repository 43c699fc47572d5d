"""One run at a time for an output: a lock that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from qassay.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HELD = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})


@contextmanager
def sole_writer(output: Path) -> Iterator[None]:
    """Keep other runs from writing the same output meanwhile; refuse where another one does already.

    The lock is on `OUT.part.lock`, which goes with the run. Left behind by a kill, the file is without a lock, and the
    next run takes it. Where the file system knows no locks, the run goes on without.
    """
    path = output.with_name(output.name + ".part.lock")
    held = _taken(path, output)
    try:
        yield
    finally:
        _release(held, path)


def _taken(path: Path, output: Path) -> int:
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as problem:
            raise OutputError(
                f"cannot be written: {problem.strerror}; choose another place, or make room for it", output
            ) from problem
        try:
            _lock(file)
        except OSError as problem:
            if problem.errno in _HELD:
                os.close(file)
                raise OutputError(
                    "another run is writing it; wait until that one is done, or choose another place with -o", output
                ) from problem
        # The run before may have removed the file between the opening and the lock: that lock would hold nobody back.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _release(file: int, path: Path) -> None:
        os.close(file)
        # Another run may have it open by now, and then keeps it.
        with suppress(OSError):
            path.unlink()

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(file: int, path: Path) -> None:
        # Removed while the lock is held: nobody else can have taken it yet.
        with suppress(OSError):
            path.unlink()
        os.close(file)
