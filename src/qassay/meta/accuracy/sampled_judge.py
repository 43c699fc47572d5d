"""A costly judge that is asked where a cheap one is unsure, and about a random sample of the other answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError
from qassay.meta.accuracy.ppi import MISJUDGED, AccuracyEstimate, Method, judge_accuracy, ppi_accuracy

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from qassay.arrays import Bools, Floats, Ints

FEWEST_ELSEWHERE = 20
"""Answers outside the doubt that are asked about at least, so that the cheap judge's errors there can be seen."""

_CONFIDENCE = 0.95
_FLAT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SampledJudge:
    """Two judges of the same answers in rows: a cheap one of all of them, a costly one of some."""

    cheap: Floats
    """NaN where the cheap judge has no score."""
    costly: Floats
    """NaN where the costly judge was not asked, or gave no verdict."""
    probability: Floats
    """Of being asked about, for every answer. Answers of one probability were drawn at random among each other."""
    cheap_name: str = "the cheap judge"

    @property
    def combined(self) -> Floats:
        """The costly judge's score where there is one, else the cheap one's."""
        return np.where(np.isnan(self.costly), self.cheap, self.costly)

    @property
    def note(self) -> str:
        """How many answers the costly judge has a verdict on."""
        verdicts = int((~np.isnan(self.costly)).sum())
        return (
            f"the judge has a verdict on {verdicts:,} of {len(self.costly):,} answers; for the others stands "
            f"{self.cheap_name}, corrected by those drawn at random"
        )

    def rows(self, rows: Ints) -> SampledJudge:
        """Return some of the answers."""
        return replace(self, cheap=self.cheap[rows], costly=self.costly[rows], probability=self.probability[rows])


@dataclass(frozen=True, slots=True, eq=False)
class DoubtfulSelection:
    """Which answers the costly judge is asked about."""

    chosen: Bools
    stratum: Ints
    """Numbers the groups, by system and doubt, within which answers are drawn at random."""

    def probability(self, asked: Bools) -> Floats:
        """Return each answer's probability of being asked about, as the share of its group that was."""
        sizes = np.bincount(self.stratum)
        return np.asarray(np.bincount(self.stratum, asked, len(sizes))[self.stratum] / sizes[self.stratum])


def choose_doubtful(
    scores: Floats,
    low: float,
    high: float,
    elsewhere: float,
    rng: np.random.Generator,
    *,
    system: Sequence[Hashable],
) -> DoubtfulSelection:
    """Choose all answers with a score from `low` to `high`, and of each system's others a share at random.

    Answers without a score are in doubt. Of the others, at least `FEWEST_ELSEWHERE` are chosen per system, if there are
    as many.
    """
    doubtful = np.isnan(scores) | ((scores >= low) & (scores <= high))
    codes: dict[Hashable, int] = {}
    code = np.fromiter((codes.setdefault(each, len(codes)) for each in system), np.int64, len(scores))
    chosen = doubtful.copy()
    for number in range(len(codes)):
        others = np.flatnonzero((code == number) & ~doubtful)
        count = min(len(others), max(FEWEST_ELSEWHERE, round(elsewhere * len(others))))
        chosen[rng.permutation(others)[:count]] = True
    _, stratum = np.unique(2 * code + doubtful, return_inverse=True)
    return DoubtfulSelection(chosen, stratum.astype(np.int64))


def sampled_judge_accuracy(
    judges: SampledJudge, *, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95
) -> AccuracyEstimate:
    """Estimate what the costly judge's mean over all answers would be.

    Within each group of answers that had the same probability of being asked about, the cheap judge's mean is corrected
    by its error on those that were asked about, drawn at random; where all were, the mean is known. The groups are
    weighted by their sizes. The interval covers which answers were drawn and, as that of any judge, the sampling of
    questions; not the costly judge's own errors.
    """
    combined = judges.combined
    if np.isnan(combined).any():
        raise DataError(f"{int(np.isnan(combined).sum())} answers have no score; leave them out and count them")
    n = len(combined)
    estimate, below, above = 0.0, 0.0, 0.0
    for probability in np.unique(judges.probability):
        rows = np.flatnonzero(judges.probability == probability)
        part = _part(
            judges.rows(rows), None if clusters is None else [clusters[row] for row in rows.tolist()], confidence
        )
        share = len(rows) / n
        estimate += share * part.estimate
        below = hypot(below, share * (part.estimate - part.low))
        above = hypot(above, share * (part.high - part.estimate))
    whole = judge_accuracy(combined, clusters=clusters, confidence=confidence)
    return replace(
        whole,
        estimate=estimate,
        low=max(0.0, estimate - hypot(below, whole.estimate - whole.low)),
        high=min(1.0, estimate + hypot(above, whole.high - whole.estimate)),
        method=Method.JUDGE,
    )


def _part(judges: SampledJudge, clusters: Sequence[Hashable] | None, confidence: float) -> AccuracyEstimate:
    """Estimate the costly judge's mean in one group; without any verdict, the cheap judge's stands."""
    known = ~np.isnan(judges.costly)
    if not known.any():
        return judge_accuracy(judges.cheap, clusters=clusters, confidence=confidence)
    return ppi_accuracy(_filled(judges.cheap), judges.costly, clusters=clusters, confidence=confidence)


def corrected_scores(judges: SampledJudge, system: Sequence[Hashable]) -> Floats:
    """Return a value per answer whose mean over a system's answers is what `sampled_judge_accuracy` estimates.

    What the costly judge adds to the cheap one on answers that were asked about counts as often as such answers were
    passed over. So means of these values, differences between systems and what is resampled of them include which
    answers were drawn. The value of a single answer is no score: it may lie below 0 and above 1. NaN where neither
    judge has a score.
    """
    combined = judges.combined
    corrected: Floats = np.full(len(combined), np.nan)
    systems = np.asarray(system, dtype=object)
    for name in dict.fromkeys(system):
        of_system = (systems == name) & ~np.isnan(combined)
        for probability in np.unique(judges.probability[of_system]):
            rows = np.flatnonzero(of_system & (judges.probability == probability))
            corrected[rows] = _corrected(judges.rows(rows))
    return corrected


def _corrected(judges: SampledJudge) -> Floats:
    """Return the values of one group, within which answers were drawn at random."""
    known = ~np.isnan(judges.costly)
    count, size = int(known.sum()), len(known)
    if count in {0, size}:
        return judges.combined
    cheap, costly = _filled(judges.cheap), judges.costly[known]
    power = _part(judges, None, _CONFIDENCE).power or 0.0
    residual = costly - power * cheap[known]
    centre = float(residual.mean())
    values: Floats = power * cheap + centre
    values[known] += size / count * _spread(residual - centre, costly - costly.mean(), fitted=1 + (power > 0))
    return values


def _spread(residual: Floats, alone: Floats, *, fitted: int) -> Floats:
    """Return residuals with the squares that their number deserves: as the variance of the estimate has them.

    That few or none of those drawn differ does not mean that none of the others does (`MISJUDGED`).
    """
    count = len(residual)
    squares, most = float(residual @ residual), float(alone @ alone)
    least = min(MISJUDGED, most) if most > _FLAT else MISJUDGED
    wanted = max(squares * count / max(1, count - fitted), least)
    turns = np.resize([1.0, -1.0], count)
    shape = next(each for each in (residual, alone, turns - turns.mean(), turns) if float(each @ each) > _FLAT)
    return np.asarray(shape * np.sqrt(wanted / float(shape @ shape)))


def _filled(cheap: Floats) -> Floats:
    """Return the cheap judge's scores; one that is missing says nothing of how the two judges differ."""
    there = cheap[~np.isnan(cheap)]
    return np.where(np.isnan(cheap), there.mean() if len(there) else 0.0, cheap)
