"""How many threads to work with."""

import os

_MOST_THREADS = 32


def default_threads() -> int:
    """Count the processors that this process may use, up to a number beyond which Python itself is the limit."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_THREADS)
