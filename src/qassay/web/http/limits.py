"""How often someone may call: a bucket that fills by and by."""

from __future__ import annotations

import math
from collections import OrderedDict
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from qassay.web.http.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_REMEMBERED = 10_000
"""Callers that are remembered; the one that was silent longest is forgotten first."""


class RateLimit:
    """Allows `burst` calls at once per caller, and `per_second` in the long run."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def check(self, caller: Hashable) -> None:
        """Count a call, or raise a `RefusedError` that says when to come back."""
        with self._lock:
            now = self._clock()
            left, then = self._left.get(caller, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._per_second)
            allowed = left >= 1
            self._left[caller] = (left - 1 if allowed else left, now)
            self._left.move_to_end(caller)
            if len(self._left) > _REMEMBERED:
                self._left.popitem(last=False)
        if not allowed:
            wait = math.ceil((1 - left) / self._per_second)
            raise RefusedError(429, "too_many", f"too many requests; try again in {wait} s", retry_after=wait)
