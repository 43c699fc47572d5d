"""The program `qassay`: turns mistakes into one message and an exit status.

Nothing is imported here that takes time, so that whatever goes wrong later is caught, and `--version` is quick.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from qassay.errors import QassayError

if TYPE_CHECKING:
    from types import FrameType

INPUT_ERROR, INTERRUPTED = 2, 130


def run() -> NoReturn:
    """Run the program. Exit status: 0 done, 2 wrong use or input, 130 interrupted, 1 a bug."""
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        if sys.stderr is None:
            # Closed: messages go nowhere, and no file that is opened later gets their number.
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until the end; no pathlib yet
        _accept_any_text()
        from qassay.cli.program import execute  # noqa: PLC0415 - an interruption of the imports is caught here

        sys.exit(execute(sys.argv[1:]))
    except QassayError as problem:
        _refuse(problem.message)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong, and nothing can be flushed any more.
        _drop_output()
        sys.exit(0)
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        _drop_output()
        _refuse(f"{problem.strerror}; make room where the output goes, or in the folder for temporary files")


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _accept_any_text() -> None:
    """Let stdout replace what its encoding cannot hold instead of failing; stderr writes escapes by itself."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in {"strict", "surrogateescape"}:
        sys.stdout.reconfigure(errors="replace")


def _drop_output() -> None:
    from qassay.cli.terminal import drop_output  # noqa: PLC0415 - only when something went wrong

    drop_output()


def _refuse(problem: str) -> NoReturn:
    from qassay.cli.terminal import print_error  # noqa: PLC0415 - as above

    print_error(problem)
    sys.exit(INPUT_ERROR)
