"""Time and peak memory of a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

_STARTER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status)]))
"""
_UNIT = 1 if sys.platform == "darwin" else 1024


class Usage(NamedTuple):
    """What a command took."""

    seconds: float
    processor: float
    """Seconds of all cores together, of the command and the processes that it started."""
    peak: int
    """Bytes of its largest process."""


def run_measured(command: list[str], **environment: str) -> Usage:
    """Run a command without its output and return what it took; raise `SystemExit` if it fails.

    Linux counts the peak of the process that starts another as the other's too, so a small one does it here.
    """
    done = subprocess.run(  # noqa: S603 - our own programs
        [sys.executable, "-I", "-S", "-c", _STARTER, *command],
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
        check=True,
    )
    seconds, processor, peak, status = json.loads(done.stdout)
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    return Usage(seconds, processor, peak * _UNIT)
