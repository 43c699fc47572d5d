"""All metrics against each other: which one agrees best with people, and which are tied with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from qassay.meta.correlation.correlate import Correlation, correlate
from qassay.meta.correlation.levels import Level, ResamplingUnit
from qassay.meta.correlation.permutation import permutation_difference
from qassay.meta.correlation.significance import (
    Alternative,
    Difference,
    DifferenceTest,
    bootstrap_difference,
    bootstrap_differences,
    holm,
    tied_with_best,
    williams_difference,
)
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient


@dataclass(frozen=True, slots=True)
class RankedMetric:
    """One metric's place in a table: its agreement with people, and whether it is tied with the best."""

    correlation: Correlation
    tied: bool | None
    """Whether it is the best or not significantly worse; None where that could not be tested."""
    p: float | None
    """One-sided: the best is better than this one, corrected for the number of metrics; None for the best."""


def metric_difference(
    panel: Panel,
    a: str,
    b: str,
    *,
    test: DifferenceTest,
    level: Level,
    coefficient: Coefficient,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: ResamplingUnit | None = None,
    alternative: Alternative = Alternative.GREATER,
    size: int = 30,
    times: int = 100,
) -> Difference:
    """Test one pair of metrics by any of the tests; `unit` is the bootstrap's, `size` and `times` level overall's."""
    if test is DifferenceTest.WILLIAMS:
        return williams_difference(panel, a, b, level=level, coefficient=coefficient, alternative=alternative)
    if test is DifferenceTest.BOOTSTRAP:
        return bootstrap_difference(
            panel,
            a,
            b,
            level=level,
            coefficient=coefficient,
            rng=rng,
            draws=draws,
            unit=unit,
            alternative=alternative,
            size=size,
            times=times,
        )
    return permutation_difference(
        panel,
        a,
        b,
        level=level,
        coefficient=coefficient,
        test=test,
        rng=rng,
        draws=draws,
        alternative=alternative,
    )


def compare_metrics(
    panel: Panel,
    metrics: Sequence[str] | None = None,
    *,
    test: DifferenceTest = DifferenceTest.BOOTSTRAP,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: ResamplingUnit | None = None,
    alternative: Alternative = Alternative.TWO_SIDED,
    size: int = 30,
    times: int = 100,
) -> list[Difference]:
    """Test every pair of metrics, with p-values corrected for the number of pairs (Holm 1979).

    Where all metrics scored the same answers, the bootstrap's resamples serve all pairs.
    """
    names = tuple(panel.scores) if metrics is None else tuple(metrics)
    pairs = list(combinations(names, 2))
    if test is DifferenceTest.BOOTSTRAP and len({panel.complete(name).tobytes() for name in names}) == 1:
        differences = bootstrap_differences(
            panel,
            pairs,
            level=level,
            coefficient=coefficient,
            rng=rng,
            draws=draws,
            unit=unit,
            alternative=alternative,
            size=size,
            times=times,
        )
        return _corrected(differences)
    differences = [
        metric_difference(
            panel,
            a,
            b,
            test=test,
            level=level,
            coefficient=coefficient,
            rng=rng,
            draws=draws,
            unit=unit,
            alternative=alternative,
            size=size,
            times=times,
        )
        for a, b in pairs
    ]
    return _corrected(differences)


def _corrected(differences: Sequence[Difference]) -> list[Difference]:
    adjusted = holm([difference.p for difference in differences])
    return [replace(each, adjusted=p) for each, p in zip(differences, adjusted, strict=True)]


def standings(
    panel: Panel,
    metrics: Sequence[str] | None = None,
    *,
    test: DifferenceTest = DifferenceTest.BOOTSTRAP,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    rng: np.random.Generator,
    draws: int = 1000,
    unit: ResamplingUnit | None = None,
    alpha: float = 0.05,
    size: int = 30,
    times: int = 100,
) -> list[RankedMetric]:
    """Rank the metrics by agreement with people and mark those statistically tied with the best.

    The best is tested against each of the others, one-sided, as in the tables of Deutsch 2022, and the p-values are
    corrected for their number.
    """
    found = correlate(panel, level, (coefficient,), metrics, rng=rng, size=size, times=times)
    ranked = sorted(found, key=lambda each: -np.inf if each.value is None else each.value, reverse=True)
    best = ranked[0]
    p_values = [
        None
        if each is best or each.value is None
        else metric_difference(
            panel,
            best.metric,
            each.metric,
            test=test,
            level=level,
            coefficient=coefficient,
            rng=rng,
            draws=draws,
            unit=unit,
            size=size,
            times=times,
        ).p
        for each in ranked
    ]
    adjusted = holm(p_values)
    marks = tied_with_best([each.value for each in ranked], adjusted, alpha)
    return [RankedMetric(each, tied, p) for each, tied, p in zip(ranked, marks, adjusted, strict=True)]
