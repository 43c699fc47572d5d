"""One coefficient of two columns, with its p-value or the reason why there is none."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import stats

from qassay.arrays import Floats
from qassay.meta.statistics.weighted import Coefficient

FEWEST = 3
"""With two pairs every coefficient is 1 or -1."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its two-sided p-value, or the reason why it is undefined."""

    value: float | None
    p: float | None
    reason: str | None = None


def undefined(reason: str) -> Estimate:
    """Return why there is no value."""
    return Estimate(None, None, reason)


def too_few(count: int, what: str = "pair") -> str:
    """Return the reason that there are not enough pairs (or systems) for a coefficient."""
    return f"{count} {what}{'' if count == 1 else 's'}; at least {FEWEST} are needed"


def is_constant(values: Floats) -> bool:
    """Whether all values are equal, up to rounding of their mean."""
    return bool(np.ptp(values) <= 1e-13 * np.abs(values).max())


def estimate(coefficient: Coefficient, x: Floats, y: Floats) -> Estimate:
    """Correlate two columns without missing values.

    Definitions and p-values are scipy's: Pearson's t test, Spearman's t approximation, and for Kendall's τ-b the
    exact distribution for few pairs without ties and the normal approximation otherwise.
    """
    if len(x) < FEWEST:
        return undefined(too_few(len(x)))
    for values, side in ((x, "scores"), (y, "judgements")):
        if is_constant(values):
            return undefined(f"all {side} are equal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        if coefficient is Coefficient.PEARSON:
            pearson = stats.pearsonr(x, y)
            return Estimate(float(pearson.statistic), float(pearson.pvalue))
        ranked = stats.spearmanr(x, y) if coefficient is Coefficient.SPEARMAN else stats.kendalltau(x, y)
        return Estimate(float(ranked.statistic), float(ranked.pvalue))
