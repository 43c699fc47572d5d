"""Whether one metric agrees with people significantly better than another, and which are tied with the best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import stats

from qassay.arrays import Floats
from qassay.errors import DataError
from qassay.meta.correlation.correlate import level_statistics
from qassay.meta.correlation.levels import Level, ResamplingUnit, draw, system_pairs
from qassay.meta.correlation.resampling import FEWEST_FOR_TEST, cannot_resample, default_unit, resample
from qassay.meta.statistics.coefficients import estimate
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient

DRAWS_A_PAIR = 80
"""With so many draws for each pair tested, the smallest possible p-value is below 5 % after Holm's correction."""


class DifferenceTest(StrEnum):
    """How a difference between two metrics is tested."""

    BOOTSTRAP = "bootstrap"
    """Paired bootstrap (Koehn 2004), as Yang et al. 2018 uses it for correlations."""
    WILLIAMS = "williams"
    """Williams' t test of two dependent correlations that share a variable."""
    PERM_BOTH = "perm-both"
    PERM_SYSTEMS = "perm-systems"
    PERM_INPUTS = "perm-inputs"
    """Permutation tests of Deutsch et al. (2021)."""


class Alternative(StrEnum):
    """The alternative hypothesis."""

    GREATER = "greater"
    """The first is better than the second."""
    TWO_SIDED = "two-sided"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better metric `a` agrees with people than metric `b`, with its p-value."""

    a: str
    b: str
    level: Level
    coefficient: Coefficient
    test: DifferenceTest
    alternative: Alternative
    difference: float | None
    p: float | None
    n: int
    """How many pairs the two values are based on, over the answers that both metrics scored."""
    missing: int
    """Answers left out because a score or the judgement is missing."""
    draws: int = 0
    undefined: int = 0
    """Draws in which a value was undefined, left out of p."""
    reason: str | None = None
    adjusted: float | None = None
    """p after Holm's correction for all comparisons made together."""


_ROUNDING = 1e-12
"""Permutations that repeat the data give the observed difference but for this."""


HALF_A_HIT = 0.5
"""What a tie counts between correlations: where they take few values (Kendall's τ of sixteen systems), whole hits would
make a test reject too rarely; halves give the mid-p-value (Lancaster 1961)."""


def monte_carlo_p(hits: float, draws: int) -> float:
    """Return (hits + 1) / (draws + 1), which is never 0 (Davison and Hinkley 1997, eq. 4.11)."""
    return (hits + 1) / (draws + 1)


def bootstrap_p(differences: Floats, alternative: Alternative) -> float:
    """Return the share of resampled differences on the wrong side of 0; twice the smaller share when two-sided."""
    worse, better = int((differences < 0).sum()), int((differences > 0).sum())
    draws = len(differences)
    ties = draws - worse - better
    not_better, not_worse = (monte_carlo_p(each + HALF_A_HIT * ties, draws) for each in (worse, better))
    return not_better if alternative is Alternative.GREATER else min(1.0, 2 * min(not_better, not_worse))


def permutation_p(differences: Floats, observed: float, alternative: Alternative, *, tie: float) -> float:
    """Return the share of permuted differences larger than the observed one, in either direction when two-sided.

    A tie counts as this share of a hit: with 1 the test never rejects more often than it says.
    """
    if alternative is Alternative.TWO_SIDED:
        differences, observed = np.abs(differences), abs(observed)
        if observed <= _ROUNDING:
            return 1.0
    ties = int((np.abs(differences - observed) <= _ROUNDING).sum())
    return monte_carlo_p(int((differences > observed + _ROUNDING).sum()) + tie * ties, len(differences))


def bootstrap_difference(
    panel: Panel,
    a: str,
    b: str,
    *,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: ResamplingUnit | None = None,
    alternative: Alternative = Alternative.GREATER,
    size: int = 30,
    times: int = 100,
) -> Difference:
    """Resample the data and correlate both metrics on each resample (Koehn 2004; Yang et al. 2018, section 4.2).

    The p-value is the share of resamples in which `a` is worse than `b`. Only answers that both scored count.
    """
    (difference,) = bootstrap_differences(
        panel,
        [(a, b)],
        level=level,
        coefficient=coefficient,
        rng=rng,
        draws=draws,
        unit=unit,
        alternative=alternative,
        size=size,
        times=times,
    )
    return difference


def bootstrap_differences(
    panel: Panel,
    pairs: Sequence[tuple[str, str]],
    *,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: ResamplingUnit | None = None,
    alternative: Alternative = Alternative.GREATER,
    size: int = 30,
    times: int = 100,
) -> list[Difference]:
    """Test several pairs of metrics on the same resamples, over the answers that all of these metrics scored."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    prepared = level_statistics(panel, names, level, (coefficient,), together=True, rng=rng, size=size, times=times)
    statistics = {metric: statistic for metric, _, _, statistic in prepared}
    estimates = {metric: statistic.estimate() for metric, statistic in statistics.items()}
    defined = [metric for metric, found in estimates.items() if found.value is not None]
    drawn: dict[str, Floats] = {}
    unit = unit or default_unit(panel, level)
    unsure = cannot_resample(panel, unit, FEWEST_FOR_TEST)
    if len(defined) > 1 and unsure is None:
        blocks = draw(panel, unit, draws, rng)
        drawn = dict(zip(defined, resample([statistics[metric] for metric in defined], blocks), strict=True))
    differences = []
    for a, b in pairs:
        first, second = estimates[a], estimates[b]
        missing = prepared[0][2]
        result = Difference(
            a, b, level, coefficient, DifferenceTest.BOOTSTRAP, alternative, None, None, statistics[a].n, missing, draws
        )
        if first.value is None or second.value is None:
            differences.append(replace(result, reason=first.reason or second.reason))
            continue
        result = replace(result, difference=first.value - second.value, reason=unsure)
        differences.append(result if unsure else _with_bootstrap_p(result, drawn[a] - drawn[b]))
    return differences


def _with_bootstrap_p(result: Difference, drawn: Floats) -> Difference:
    defined = drawn[~np.isnan(drawn)]
    result = replace(result, undefined=len(drawn) - len(defined))
    if 2 * len(defined) < len(drawn):
        return replace(result, reason="undefined in most resamples")
    return replace(result, p=bootstrap_p(defined, result.alternative))


def williams(r_a: float, r_b: float, r_ab: float, n: int) -> tuple[float, float]:
    """Test r_a against r_b, two correlations with one variable, given the correlation r_ab between the two others.

    t with n - 3 degrees of freedom and its one-sided p for r_a > r_b (Williams 1959; Steiger 1980, eq. 7; used for
    metrics by Graham and Baldwin 2014).
    """
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    variance = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
    t = (r_a - r_b) * np.sqrt((n - 1) * (1 + r_ab) / variance)
    return float(t), float(stats.t.sf(t, n - 3))


def williams_difference(
    panel: Panel,
    a: str,
    b: str,
    *,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    alternative: Alternative = Alternative.GREATER,
) -> Difference:
    """Test two metrics' Pearson correlations with the same judgements by Williams' test.

    It takes the answers (or systems) for independent and the scores for normally distributed; where one question
    has several answers, the bootstrap and permutation tests are the safer ones.
    """
    rows = np.flatnonzero(panel.complete(a, b))
    result = Difference(
        a, b, level, coefficient, DifferenceTest.WILLIAMS, alternative, None, None, len(rows), len(panel) - len(rows)
    )
    if coefficient is not Coefficient.PEARSON or level not in {Level.ANSWER, Level.SYSTEM}:
        reason = "Williams' test is about Pearson's r of answers or systems; use bootstrap or permutation"
        return replace(result, reason=reason)
    x, y, z = panel.score(a)[rows], panel.score(b)[rows], panel.judgement[rows]
    if level is Level.SYSTEM:
        (x, z), (y, _) = system_pairs(panel, a, rows), system_pairs(panel, b, rows)
        present = ~(np.isnan(x) | np.isnan(y) | np.isnan(z))
        x, y, z = x[present], y[present], z[present]
        result = replace(result, n=len(x))
    first, second = estimate(coefficient, x, z), estimate(coefficient, y, z)
    if first.value is None or second.value is None:
        return replace(result, reason=first.reason or second.reason)
    result = replace(result, difference=first.value - second.value)
    if len(x) <= 3:  # noqa: PLR2004 - n - 3 degrees of freedom
        return replace(result, reason=f"{len(x)} pairs; at least 4 are needed")
    between = estimate(coefficient, x, y).value
    if between is None or between > 1 - 1e-12:
        return replace(result, reason="the two metrics are the same up to scale")
    _, p = williams(first.value, second.value, between, len(x))
    return replace(result, p=p if alternative is Alternative.GREATER else 2 * min(p, 1 - p))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values for multiple comparisons (Holm 1979); undefined ones stay undefined and are not counted."""
    known = [(p, i) for i, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(sorted(known)):
        largest = max(largest, min(1.0, p * (len(known) - rank)))
        adjusted[i] = largest
    return adjusted


def tied_with_best(
    values: Sequence[float | None], p_better: Sequence[float | None], alpha: float = 0.05
) -> list[bool | None]:
    """Mark the values that the best one does not beat for sure, and the best one where there are such, as papers do.

    `p_better[i]` is the one-sided p-value of the best being better than entry i (its own entry is not read). An
    undefined value is never marked; of one that could not be tested nothing is known, nor of the best where none was.
    """
    if len(values) != len(p_better):
        raise DataError(f"{len(values)} values and {len(p_better)} p-values; give one for each")
    known = [value for value in values if value is not None]
    if not known:
        return [False] * len(values)
    best = max(known)
    marks = [
        False if value is None else None if p is None else p >= alpha for value, p in zip(values, p_better, strict=True)
    ]
    others = [mark for mark, value in zip(marks, values, strict=True) if value is not None and value != best]
    untested = bool(others) and set(others) == {None}
    shared = known.count(best) > 1 or True in others
    return [
        (True if shared else None if untested else False) if value == best else mark
        for value, mark in zip(values, marks, strict=True)
    ]
