"""One run at a time per output: a lock that the system releases when the process ends."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from qassay.errors import OutputError
from qassay.io.atomic_output import check_output, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def sole_writer(output: Path) -> Iterator[None]:
    """Lock the output for the duration of the block; raise `OutputError` if another run holds the lock.

    The lock is on `OUT.part.lock`, which goes with the run. Left behind by a kill, the file is without a lock, and the
    next run takes it. Where the file system knows no locks, the run goes on without.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - slow to load, and only outputs need it

    check_output(output)
    path = output.with_name(output.name + ".part.lock")
    lock = FileLock(path, timeout=0, thread_local=False, mode=0o666)
    try:
        with suppress(NotImplementedError):
            lock.acquire()
    except Timeout as problem:
        if not path.exists():
            raise OutputError("cannot be written: no file can be made there; choose another place", output) from problem
        raise OutputError(
            "another run is writing it; wait until that one is done, or choose another place", output
        ) from problem
    except OSError as problem:
        raise unwritable(output, problem) from problem
    try:
        yield
    finally:
        # Removed while the lock is held: nobody else can have taken it yet.
        with suppress(OSError):
            path.unlink()
        lock.release()
