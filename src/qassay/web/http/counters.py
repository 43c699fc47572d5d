"""What the server counts of itself, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from qassay.web.http.endpoint import Endpoint

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper limits of the seconds that requests are counted by."""


@dataclass(slots=True)
class Counters:
    """Requests by endpoint and status, their seconds, and what was scored."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """By path: one count per bucket, one beyond, and the sum."""
    scored: int = 0
    """Answers scored."""
    batches: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, endpoint: Endpoint, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self.requests[endpoint.method, endpoint.path, status] += 1
            held = self.seconds.setdefault(endpoint.path, [0.0] * (len(BUCKETS) + 2))
            held[bisect_left(BUCKETS, seconds)] += 1
            held[-1] += seconds

    def add_batch(self, answers: int) -> None:
        """Count a batch that was scored."""
        with self._lock:
            self.scored += answers
            self.batches += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return everything, with further figures of the moment."""
        lines = ["# TYPE qassay_requests_total counter"]
        with self._lock:
            for (method, path, status), count in sorted(self.requests.items()):
                lines.append(f'qassay_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}')
            lines.append("# TYPE qassay_request_seconds histogram")
            for path, held in sorted(self.seconds.items()):
                total = 0.0
                for limit, inside in zip((*map(str, BUCKETS), "+Inf"), held[:-1], strict=True):
                    total += inside
                    lines.append(f'qassay_request_seconds_bucket{{path="{path}",le="{limit}"}} {total:.0f}')
                lines.append(f'qassay_request_seconds_sum{{path="{path}"}} {held[-1]:.6f}')
                lines.append(f'qassay_request_seconds_count{{path="{path}"}} {total:.0f}')
            counts = {"qassay_scored_answers_total": self.scored, "qassay_scored_batches_total": self.batches}
        for name, value in counts.items():
            lines += [f"# TYPE {name} counter", f"{name} {value}"]
        for name, figure in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {figure:g}"]
        return "\n".join([*lines, ""])


class Counted:
    """Counts one request when it is done."""

    def __init__(self, counters: Counters, endpoint: Endpoint) -> None:
        self._counters = counters
        self._endpoint = endpoint
        self._start = perf_counter()
        self.status = 500

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._counters.add(self._endpoint, self.status, perf_counter() - self._start)
