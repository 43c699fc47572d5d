"""Scored answers as people read them: the worst first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from qassay.records import Example
    from qassay.report.explain.evidence import Evidence

UNNAMED, EVERYTHING = "unnamed", "all answers"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer with its scores."""

    example: Example
    scores: Mapping[str, float | None]
    """By canonical spec; `None` where there is none."""
    unscored: Mapping[str, str]
    """Why a score is missing."""
    evidence: Evidence | None = None
    """What the scores are made of, where that was gathered."""

    def mean(self, maxima: Mapping[str, float]) -> float | None:
        """Return the mean of the known scores, each as a share of its metric's maximum; `None` without any."""
        shares = [value / maxima.get(spec, 1.0) for spec, value in self.scores.items() if value is not None]
        return sum(shares) / len(shares) if shares else None


Row = TypeVar("Row", bound=AnswerRow)


def system_names(systems: Iterable[str]) -> dict[str, str]:
    """Return each system the name that people read, in the order of their first appearance."""
    distinct = list(dict.fromkeys(systems))
    return {system: system or (UNNAMED if len(distinct) > 1 else EVERYTHING) for system in distinct}


def worst_first(rows: Iterable[Row], maxima: Mapping[str, float], limit: int = 2000) -> list[Row]:
    """Select the answers with the lowest mean share of the metrics' maxima, in bounded memory.

    Answers without any score are not the worst: they follow at the end, and take at most a tenth of the places when
    there are more answers than places. Equal means keep the order in which the answers came.
    """
    scored: list[tuple[float, int, Row]] = []
    unscored: list[Row] = []
    for i, row in enumerate(rows):
        mean = row.mean(maxima)
        if mean is None:
            if len(unscored) < limit:
                unscored.append(row)
        elif len(scored) < limit:
            heapq.heappush(scored, (-mean, -i, row))
        elif scored and (-mean, -i) > scored[0][:2]:
            heapq.heapreplace(scored, (-mean, -i, row))
    places = min(len(unscored), max(limit - len(scored), limit // 10))
    worst = [row for _, _, row in sorted(scored, key=lambda each: (-each[0], -each[1]))]
    return worst[: limit - places] + unscored[:places]
