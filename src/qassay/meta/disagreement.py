"""The answers on which a metric and people disagree most (Lee et al. 2021, section 5.4, error analysis)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from qassay.meta.panel import Panel


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One answer's place among all answers by people and by a metric."""

    metric: str
    row: int
    judgement: float
    score: float
    judged: float
    """Share of the answers that people place below it, ties counted half."""
    scored: float
    """Share of the answers that the metric places below it, ties counted half."""

    @property
    def gap(self) -> float:
        """How much higher the metric ranks the answer than people do: 1 is from the bottom to the top."""
        return self.scored - self.judged


def largest_disagreements(panel: Panel, metric: str, most: int = 100) -> list[Disagreement]:
    """Give the answers whose ranks by the metric and by people lie farthest apart, the farthest first.

    Ranks are those of the answers that have both, ties share their mean rank, and of equally far answers the first
    comes first. Seed 000 looks at a hundred of a thousand.
    """
    rows = np.flatnonzero(panel.complete(metric))
    if not len(rows):
        return []
    judgement, score = panel.judgement[rows], panel.score(metric)[rows]
    judged, scored = ((stats.rankdata(values) - 0.5) / len(rows) for values in (judgement, score))
    order = np.lexsort((rows, -np.abs(scored - judged).round(12)))[:most]
    return [
        Disagreement(metric, int(rows[i]), float(judgement[i]), float(score[i]), float(judged[i]), float(scored[i]))
        for i in order
    ]
