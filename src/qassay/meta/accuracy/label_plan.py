"""How many labels an interval of a wanted width takes."""

from dataclasses import dataclass

from qassay.errors import DataError
from qassay.meta.accuracy.ppi import FEWEST_LABELS, MISJUDGED, AccuracyEstimate, Method
from qassay.scoring.aggregates.intervals import around, quantile


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """How many labels an interval of a wanted width takes, in total and in addition to the present ones."""

    width: float
    """The wanted distance between the limits."""
    labels: int | None
    """With the judge's help; None where no number of labels is enough."""
    more: int | None
    without_judge: int | None
    """With the labels alone, drawn at random."""
    assumed: bool
    """Whether there are no labels yet, so that the judge's scores are taken as probabilities."""


def plan(estimate: AccuracyEstimate, width: float) -> LabelPlan:
    """Return how many labels the interval around an estimate needs to be at most `width` wide.

    Further labels are taken to be chosen like the present ones and the judge to be as good on them. A plan is a
    forecast: the interval that the labels then give differs a little.
    """
    if not 0 < width < 1:
        raise DataError(f"the wanted width is {width:g}; give a distance between the limits, such as 0.05")
    needed = _fewest(estimate, width, judge=True)
    return LabelPlan(
        width,
        needed,
        None if needed is None else max(0, needed - estimate.labels),
        _fewest(estimate, width, judge=False),
        assumed=estimate.method is Method.JUDGE,
    )


def halving(estimate: AccuracyEstimate) -> LabelPlan | None:
    """Return how many labels halve the interval of an estimate; None where it has no labels or no width."""
    if not estimate.labels or estimate.width <= 0:
        return None
    return plan(estimate, estimate.width / 2)


def _fewest(estimate: AccuracyEstimate, width: float, *, judge: bool) -> int | None:
    if _width(estimate, estimate.n, judge=judge) > width:
        return None
    # Wider than wanted with `few` labels, narrow enough with `enough`.
    few, enough = 0, estimate.n
    while enough - few > 1:
        middle = (few + enough) // 2
        if _width(estimate, middle, judge=judge) > width:
            few = middle
        else:
            enough = middle
    return enough


def _width(estimate: AccuracyEstimate, labels: int, *, judge: bool) -> float:
    """Forecast the width with so many labels, by the rules that `ppi_accuracy` and `label_accuracy` follow."""
    share, n = estimate.estimate, estimate.n
    left = 1 - labels / n
    alone = share * (1 - share) / labels
    helped = judge and labels >= FEWEST_LABELS
    variance = max(estimate.unit_variance / labels, min(MISJUDGED / labels**2, alone)) if helped else alone
    reach = quantile(estimate.confidence, labels - 2 if helped else None)
    fixed = estimate.fixed_variance
    low, high = around(share, variance * left + fixed, reach, labels / left if left else float("inf"))
    return high - low
