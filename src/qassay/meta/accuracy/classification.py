"""A metric as a judge of right and wrong: decisions at a threshold, ranking quality and calibration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.statistics.panel import finite_or_missing


class ThresholdGoal(StrEnum):
    """What a threshold is chosen for."""

    ACCURACY = "accuracy"
    F1 = "f1"


@dataclass(frozen=True, slots=True)
class Classification:
    """How well scores at or above a threshold separate right from wrong; None where a measure does not exist."""

    threshold: float
    n: int
    missing: int
    """Items left out because the score or the label is missing."""
    positives: int
    accuracy: float | None
    majority: float | None
    """Accuracy of always predicting the more frequent label."""
    precision: float | None
    recall: float | None
    f1: float | None
    auc: float | None
    mse: float | None
    """Mean squared difference between the score and the label as 0 or 1."""
    undefined: Mapping[str, str]
    """For each measure that is None, why."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of scores: their mean and the true share of right answers."""

    low: float
    high: float
    n: int
    confidence: float | None
    """Mean score in the bin; None when it is empty."""
    accuracy: float | None
    """Share of right answers in the bin."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far scores can be read as probabilities."""

    error: float | None
    """Expected calibration error: mean gap between claim and truth, weighted by the bins' sizes."""
    bins: tuple[ReliabilityBin, ...]
    n: int
    missing: int
    reason: str | None = None


def _complete(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, Bools, int]:
    values, truth = finite_or_missing(scores, "scores"), finite_or_missing(labels, "labels")
    if len(values) != len(truth):
        raise DataError(f"{len(values)} scores and {len(truth)} labels; give one of each for every item")
    present = ~(np.isnan(values) | np.isnan(truth))
    other = np.flatnonzero(present & (truth != 0) & (truth != 1))
    if len(other):
        raise DataError(f"label {truth[other[0]]:g} in row {other[0] + 1} is neither 0 nor 1; give right or wrong")
    return values[present], truth[present] == 1, int((~present).sum())


def auc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Return the chance that a right item scores above a wrong one, ties counting half; None with one class only."""
    values, truth, _ = _complete(scores, labels)
    positives = int(truth.sum())
    negatives = len(truth) - positives
    if not positives or not negatives:
        return None
    ranks = stats.rankdata(values)
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def classify(scores: ArrayLike, labels: ArrayLike, threshold: float) -> Classification:
    """Call items with a score of at least `threshold` right, and compare with the labels."""
    values, truth, missing = _complete(scores, labels)
    called = values >= threshold
    n, positives = len(values), int(truth.sum())
    hits = int((called & truth).sum())
    undefined: dict[str, str] = {}

    def share(name: str, part: float, whole: float, reason: str) -> float | None:
        if whole:
            return part / whole
        undefined[name] = reason
        return None

    area = auc(values, truth) if n else None
    if area is None:
        undefined["auc"] = "only one class" if n else "no items"
    return Classification(
        threshold=threshold,
        n=n,
        missing=missing,
        positives=positives,
        accuracy=share("accuracy", int((called == truth).sum()), n, "no items"),
        majority=share("majority", max(positives, n - positives), n, "no items"),
        precision=share("precision", hits, int(called.sum()), "nothing is called right"),
        recall=share("recall", hits, positives, "nothing is right"),
        f1=share("f1", 2 * hits, int(called.sum()) + positives, "nothing is right or called right"),
        auc=area,
        mse=share("mse", float(((values - truth) ** 2).sum()), n, "no items"),
        undefined=undefined,
    )


def _candidates(distinct: Floats) -> Floats:
    """Return one threshold for every way to cut the sorted distinct scores, from calling all right to none."""
    middle = distinct[:-1] + np.diff(distinct) / 2
    # Between neighbouring floats there is no middle; the upper one cuts in the same place.
    middle = np.where(middle > distinct[:-1], middle, distinct[1:])
    return np.concatenate([distinct[:1], middle, [np.nextafter(distinct[-1], np.inf)]])


def best_threshold(scores: ArrayLike, labels: ArrayLike, objective: ThresholdGoal = ThresholdGoal.ACCURACY) -> float:
    """Choose the threshold with the highest accuracy or F1; the lowest of equally good ones.

    Thresholds lie half-way between neighbouring scores, so that they carry over to another set. Report the result
    on the set it was chosen on only as the best that is possible there (as Deutsch and Roth 2022, Table 1, does).
    """
    values, truth, _ = _complete(scores, labels)
    if not len(values):
        raise DataError("no item has a score and a label; a threshold needs at least one")
    distinct, place = np.unique(values, return_inverse=True)
    right_below = np.concatenate([[0], np.cumsum(np.bincount(place, truth, len(distinct)))])
    below = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(distinct)))])
    positives, n = right_below[-1], below[-1]
    hits, called = positives - right_below, n - below
    if objective is ThresholdGoal.ACCURACY:
        quality = hits + (below - right_below)
    else:
        quality = 2 * hits / np.maximum(called + positives, 1)
    return float(_candidates(distinct)[np.argmax(quality)])


def rate_threshold(scores: ArrayLike, labels: ArrayLike, system: Sequence[str]) -> float:
    """Choose the threshold at which the systems' rates of answers called right are closest to the true rates.

    Closest in root mean squared error over the systems, on a development set (Vu 2021, section 6.4); the lowest of
    equally good thresholds.
    """
    values, truth = finite_or_missing(scores, "scores"), finite_or_missing(labels, "labels")
    present = ~(np.isnan(values) | np.isnan(truth))
    if not present.any():
        raise DataError("no item has a score and a label; a threshold needs at least one")
    values, truth = values[present], truth[present]
    _, code = np.unique(np.asarray(system)[present], return_inverse=True)
    distinct, place = np.unique(values, return_inverse=True)
    sizes = np.bincount(code)
    counts = np.zeros((len(sizes), len(distinct) + 1))
    np.add.at(counts, (code, place + 1), 1)
    rates = 1 - np.cumsum(counts, axis=1) / sizes[:, None]
    errors = rates - (np.bincount(code, truth) / sizes)[:, None]
    return float(_candidates(distinct)[np.argmin((errors**2).mean(axis=0).round(12))])


def calibrate(scores: ArrayLike, labels: ArrayLike, bins: int = 10) -> Calibration:
    """Compare claimed and true shares of right answers in `bins` equal bins of the score, (low, high].

    Expected calibration error as in Guo et al. (2017). Scores must be probabilities.
    """
    values, truth, missing = _complete(scores, labels)
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise DataError(f"score {outside[0]:g} is no probability; calibration needs scores between 0 and 1")
    edges = np.linspace(0, 1, bins + 1)
    place: Ints = np.searchsorted(edges[1:-1], values)
    sizes = np.bincount(place, minlength=bins)
    claimed, right = (np.bincount(place, column, bins) for column in (values, truth))
    curve = tuple(
        ReliabilityBin(
            float(low),
            float(high),
            int(size),
            float(claim / size) if size else None,
            float(hits / size) if size else None,
        )
        for low, high, size, claim, hits in zip(edges[:-1], edges[1:], sizes, claimed, right, strict=True)
    )
    if not len(values):
        return Calibration(None, curve, 0, missing, "no item has a score and a label")
    return Calibration(float(np.abs(claimed - right).sum() / len(values)), curve, len(values), missing)
