"""The answers on which a metric and people disagree most (Lee et al. 2021, section 5.4, error analysis)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats
    from qassay.meta.statistics.panel import Panel


@dataclass(frozen=True, slots=True)
class RankPosition:
    """The rank of one answer among all answers, as shares of them."""

    above: float
    """The share of answers that it ranks above."""
    level: float
    """The share of the others that tie with it."""

    @property
    def middle(self) -> float:
        """The share that it ranks above, ties counting half."""
        return self.above + self.level / 2


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One answer's ranks by people and by a metric."""

    metric: str
    row: int
    judgement: float
    score: float
    judged: RankPosition
    scored: RankPosition

    @property
    def gap(self) -> float:
        """How much higher the metric ranks the answer than people do: 1 is from the bottom to the top."""
        return self.scored.middle - self.judged.middle


def largest_disagreements(panel: Panel, metric: str, most: int = 100) -> list[Disagreement]:
    """Return the answers whose ranks by the metric and by people lie farthest apart, the farthest first.

    Ranks are those of the answers that have both, ties share their mean rank, and of equally far answers the first
    comes first. Where both agree (`_can_agree`) an answer is left out, however far apart the means of tied ranks lie:
    few answers judged 0 and many scored 0 have unlike means. Seed 000 looks at a hundred of a thousand.
    """
    rows = np.flatnonzero(panel.complete(metric))
    judgement, score = panel.judgement[rows], panel.score(metric)[rows]
    judged, scored = _ranks(judgement), _ranks(score)
    differing = np.flatnonzero(~_can_agree(judged, scored))
    gap = np.abs(scored.sum(axis=0) - judged.sum(axis=0))[differing]
    order = differing[np.lexsort((differing, -gap))][:most]
    return [
        Disagreement(
            metric,
            int(rows[i]),
            float(judgement[i]),
            float(score[i]),
            *(
                RankPosition(float(low[i] - 1) / len(rows), float(high[i] - low[i]) / len(rows))
                for low, high in (judged, scored)
            ),
        )
        for i in order
    ]


def _ranks(values: Floats) -> Floats:
    """Return each value's lowest and highest rank, which differ where it is tied: (2, values)."""
    return np.stack([stats.rankdata(values, method) for method in ("min", "max")])


def _can_agree(judged: Floats, scored: Floats) -> Bools:
    """Return for which answers both can have the same rank, depending on how ties are broken.

    That holds of answers that both put first, or last. It may hold as well of what one puts first and the other last,
    when nearly all answers are tied, and that is no agreement.
    """
    (judged_low, judged_high), (scored_low, scored_high) = judged, scored
    last, first = 1, len(judged_low)
    opposite = ((judged_high == first) & (scored_low == last)) | ((judged_low == last) & (scored_high == first))
    same = ((judged_high == first) & (scored_high == first)) | ((judged_low == last) & (scored_low == last))
    meet = (judged_low <= scored_high) & (scored_low <= judged_high)
    return np.asarray(meet & (same | ~opposite))
