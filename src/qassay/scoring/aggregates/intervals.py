"""Intervals for a share of right answers, whose limits stay between 0 and 1."""

from statistics import NormalDist

import numpy as np

from qassay.errors import DataError


def check_confidence(confidence: float) -> float:
    """Raise `DataError` unless the confidence lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise DataError(f"the confidence is {confidence:g}; give a number between 0 and 1, such as 0.95")
    return confidence


def quantile(confidence: float, freedom: float | None = None) -> float:
    """Return the two-sided quantile of the normal distribution, or of Student's t with degrees of freedom."""
    upper = (1 + check_confidence(confidence)) / 2
    if freedom is None:
        return NormalDist().inv_cdf(upper)
    from scipy import stats  # noqa: PLC0415 - heavy, loaded when needed

    return float(stats.t.ppf(upper, freedom))


def wilson(share: float, size: float, reach: float) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a share seen in `size` answers; `reach` is the quantile.

    `size` need not be whole: for an estimate with variance v it is the effective size share·(1 - share) / v, the
    usual extension to samples that are not simple (Kott and Carr 1997).
    """
    if np.isinf(size):
        return share, share
    shrink = 1 + reach**2 / size
    centre = (share + reach**2 / (2 * size)) / shrink
    half = reach / shrink * np.sqrt(share * (1 - share) / size + reach**2 / (4 * size**2))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def around(share: float, variance: float, reach: float, otherwise: float) -> tuple[float, float]:
    """Return the interval of an estimate with this variance; `otherwise` is the size where it has none.

    An estimate of 0 or 1, or without variance, has no effective size of its own.
    """
    size = share * (1 - share) / variance if variance > 0 and 0 < share < 1 else otherwise
    low, high = wilson(share, size, reach)
    return min(low, share), max(high, share)
