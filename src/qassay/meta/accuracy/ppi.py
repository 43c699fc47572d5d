"""Accuracy from many judged and few labelled answers: prediction-powered inference, with what it is compared to.

The estimate is `mean of the labels + λ · (judge's mean over all answers - judge's mean over the labelled ones)`.
λ = 0 ignores the judge, λ = 1 trusts its scale; tuned, it is the slope of the labels on the judge's scores, which
minimises the variance: the power tuning of PPI++ (Angelopoulos, Duchi and Zrnic 2023), known to survey statistics as
the regression estimator. Whatever the judge is worth, the estimate stays right on average; a bad judge costs width.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.accuracy.label_design import LabelDesign, simple_random
from qassay.meta.statistics.panel import finite_or_missing
from qassay.scoring.aggregates.intervals import around, quantile, wilson

FEWEST_LABELS = 10
"""The fewest labels for a slope; with fewer, the labels alone are averaged."""
FEWEST_ANSWERS = 10
"""The fewest answers for which the spread of the judge's scores is used."""
EVEN = 0.5
"""The probability from which an answer is more likely right than wrong."""
MISJUDGED = 3.0
"""As many labels count as misjudged at least: that none is seen among n means only that 3/n may be (rule of three)."""
_FLAT = 1e-12
"""Spread of the judge's scores below which they are all equal."""


class Population(StrEnum):
    """Whose accuracy is estimated."""

    ANSWERS = "answers"
    """That of these answers, as if a person had judged all of them."""
    QUESTIONS = "questions"
    """That of the population of questions from which these are a sample."""


class Method(StrEnum):
    """What an estimate rests on."""

    JUDGE = "judge"
    PPI = "ppi"
    LABELS = "labels"


@dataclass(frozen=True, slots=True)
class AccuracyEstimate:
    """A share of right answers with its interval, and what it rests on."""

    estimate: float
    low: float
    high: float
    method: Method
    labels: int
    n: int
    """Answers whose accuracy is estimated."""
    confidence: float
    unit_variance: float
    """What one label leaves open: the variance is this / labels · (1 - labels / n), and `fixed_variance`.

    Without labels it is what the judge's scores claim, taken as probabilities."""
    fixed_variance: float = 0.0
    """The part of the variance that labels do not reduce: the sampling of the questions."""
    power: float | None = None
    """λ: the weight of the judge's difference."""
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """The distance between the limits."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class _Labelled:
    """The labelled answers of one system, with weights that add up to 1."""

    label: Floats
    score: Floats
    weight: Floats
    open: Floats
    cluster: Ints | None

    @property
    def units(self) -> int:
        """Labels or clusters of them: what is independent."""
        return len(self.label) if self.cluster is None else len(np.unique(self.cluster))

    @property
    def constant(self) -> bool:
        """Whether all labels are equal."""
        return bool((self.label == self.label[0]).all())

    def mean(self, values: Floats) -> float:
        return float(self.weight @ values)

    def variance(self, residual: Floats, leverage: Floats) -> float:
        """Add up squared residuals as the jackknife does: each as if its label had had no part in the fit."""
        part = self.weight * residual / np.maximum(1 - leverage, 1 / len(residual)) * np.sqrt(self.open)
        if self.cluster is None:
            return float(part @ part)
        _, code = np.unique(self.cluster, return_inverse=True)
        sums = np.bincount(code, part)
        return float(sums @ sums) * len(sums) / max(1, len(sums) - 1)


def judge_accuracy(
    scores: ArrayLike, *, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95
) -> AccuracyEstimate:
    """Average the judge's scores.

    The interval covers the sampling of questions, not the judge's own errors. Of few answers, or of answers that the
    judge all calls right or all wrong, the spread of its scores says nothing: the interval is then that of as many
    verdicts with the same share of right ones.
    """
    values = _scores(scores)
    n = len(values)
    code = _codes(clusters, n)
    deviations = (values - values.mean()) / n
    sums = deviations if code is None else np.bincount(code, deviations)
    units = len(sums)
    variance = float(sums @ sums) * units / max(1, units - 1)
    estimate = float(values.mean())
    if units < FEWEST_ANSWERS or len(np.unique(values >= EVEN)) == 1:
        low, high = wilson(estimate, units, quantile(confidence))
    else:
        low, high = around(estimate, variance, quantile(confidence, max(1, units - 1)), n)
    # Scores of 0 and 1 alone say nothing of their own certainty, so that labels have everything to tell.
    verdicts = bool(((values == 0) | (values == 1)).all())
    claimed = estimate * (1 - estimate) if verdicts else float((values * (1 - values)).mean())
    return AccuracyEstimate(estimate, low, high, Method.JUDGE, 0, n, confidence, claimed)


def label_accuracy(
    labels: ArrayLike,
    *,
    design: LabelDesign | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    population: Population = Population.ANSWERS,
) -> AccuracyEstimate:
    """Average the labels alone (NaN where there is none).

    Labels drawn at random have Wilson's interval, shortened by the share of answers that is labelled; weighted or
    clustered ones have Wilson's with the effective size that their variance stands for and Student's quantile.
    """
    values = _labels(labels)
    n = len(values)
    design = simple_random(~np.isnan(values)) if design is None else design
    sample = _labelled(values, np.zeros(n), design, clusters)
    count = len(sample.label)
    # Weights add up to 1 but for rounding: equal labels must have no spread at all, however small.
    estimate = float(sample.label[0]) if sample.constant else _share(sample.mean(sample.label))
    share_open = float(sample.open.mean())
    plain = design.simple and sample.cluster is None
    if plain:
        variance = estimate * (1 - estimate) / count * share_open
        reach = quantile(confidence)
    else:
        variance = sample.variance(sample.label - estimate, sample.weight)
        reach = quantile(confidence, max(1, sample.units - 1))
    unit_variance = variance * count / share_open if share_open else estimate * (1 - estimate)
    fixed = _beyond(population, estimate, n, np.zeros(n), _codes(clusters, n))
    low, high = around(estimate, variance + fixed, reach, _size_of_constant(sample, population))
    notes = () if high == low else _cautions(sample.label, n)
    return AccuracyEstimate(estimate, low, high, Method.LABELS, count, n, confidence, unit_variance, fixed, notes=notes)


def ppi_accuracy(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    design: LabelDesign | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    population: Population = Population.ANSWERS,
    power: float | None = None,
) -> AccuracyEstimate:
    """Correct the judge's mean over all answers by its error on the labelled ones (NaN where there is no label).

    `clusters` names the question of each answer, where one system gives several answers to a question: they are not
    independent. `design` says how the labelled answers were chosen, unless at random. `power` fixes λ.

    The interval is Wilson's with the effective size that the jackknifed variance of the corrected mean stands for,
    and Student's quantile: with 50 to 200 labels it holds what it promises (benchmarks/accuracy_simulation.py).
    Where the judge has nothing to add (constant scores, constant labels, fewer than ten labels, all answers
    labelled) the labels stand alone, and the method says so.
    """
    values, known = _scores(scores), _labels(labels)
    n = len(values)
    if len(known) != n:
        raise DataError(f"{n} scores and {len(known)} labels; give one of each for every answer, NaN for no label")
    labelled = ~np.isnan(known)
    design = simple_random(labelled) if design is None else design
    alone = label_accuracy(known, design=design, clusters=clusters, confidence=confidence, population=population)
    sample = _labelled(known, values, design, clusters)
    count = len(sample.label)
    if _judge_adds_nothing(sample, n, power):
        return alone
    fit = _Fit.of(sample, float(values.mean()), power)
    if fit.power == 0:
        return alone
    estimate = _share(fit.estimate)
    share_open = float(sample.open.mean())
    least = min(MISJUDGED / count**2 * share_open, alone.unit_variance / count * share_open)
    variance = max(sample.variance(fit.factor * fit.residual, fit.leverage), least)
    unit_variance = variance * count / share_open
    fixed = _beyond(population, estimate, n, values, _codes(clusters, n))
    reach = quantile(confidence, max(1, sample.units - 2))
    low, high = around(estimate, variance + fixed, reach, _size_of_constant(sample, population))
    notes = _cautions(sample.label, n)
    return AccuracyEstimate(
        estimate, low, high, Method.PPI, count, n, confidence, unit_variance, fixed, fit.power, notes
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """The corrected mean as a weighted regression of labels on scores, read off at the mean score of all answers."""

    estimate: float
    power: float
    residual: Floats
    factor: Floats
    """By how much a label counts more or less than its weight because the labelled scores miss the mean."""
    leverage: Floats

    @classmethod
    def of(cls, sample: _Labelled, mean_score: float, power: float | None) -> "_Fit":
        score, label = sample.score - sample.mean(sample.score), sample.label - sample.mean(sample.label)
        spread = sample.mean(score**2)
        gap = mean_score - sample.mean(sample.score)
        slope = max(0.0, sample.mean(score * label) / spread) if power is None else power
        tuned = power is None
        return cls(
            estimate=sample.mean(sample.label) + slope * gap,
            power=slope,
            residual=label - slope * score,
            factor=1 + gap * score / spread if tuned else np.ones(len(score)),
            leverage=sample.weight * (1 + score**2 / spread) if tuned else sample.weight,
        )


def _share(value: float) -> float:
    """Take a regression, or a sum with rounding, back between 0 and 1."""
    return min(1.0, max(0.0, value))


def _judge_adds_nothing(sample: _Labelled, n: int, power: float | None) -> bool:
    count = len(sample.label)
    spread = sample.mean((sample.score - sample.mean(sample.score)) ** 2)
    return count == n or spread < _FLAT or (power is None and (count < FEWEST_LABELS or sample.constant))


def _beyond(population: Population, estimate: float, n: int, scores: Floats, cluster: Ints | None) -> float:
    """Return the variance of the answers' own accuracy around that of all questions like theirs."""
    if population is Population.ANSWERS:
        return 0.0
    variance = estimate * (1 - estimate) / n
    if cluster is None:
        return variance
    deviations = scores - scores.mean()
    alone = float(deviations @ deviations)
    sums = np.bincount(cluster, deviations)
    # Without scores to tell how alike a question's answers are, they count as one.
    sizes = np.bincount(cluster)
    alike = float(sums @ sums) / alone if alone > _FLAT else float((sizes**2).sum() / n)
    return variance * max(1.0, alike)


def _size_of_constant(sample: _Labelled, population: Population) -> float:
    """Return the size that stands for labels which all agree: their number, more where few answers are left."""
    count = sample.units * float(1 / (sample.weight @ sample.weight)) / len(sample.label)
    if population is Population.QUESTIONS:
        return count
    share_open = float(sample.open.mean())
    return count / share_open if share_open else np.inf


def _cautions(label: Floats, n: int) -> tuple[str, ...]:
    count = len(label)
    if count > 1 and (label == label[0]).all():
        return (f"all {count} labels are equal: the interval is based on little evidence",)
    if count < min(FEWEST_LABELS, n):
        counted = "1 label" if count == 1 else f"{count} labels"
        more = f"give at least {FEWEST_LABELS} to let the judge help" if n > FEWEST_LABELS else f"label all {n} answers"
        return (f"only {counted}: {more}",)
    return ()


def _labelled(labels: Floats, scores: Floats, design: LabelDesign, clusters: Sequence[Hashable] | None) -> _Labelled:
    known: Bools = ~np.isnan(labels)
    if not known.any():
        raise DataError("no answer has a label; give at least one, or ask for the judge's estimate")
    weight = design.weight[known]
    if len(design.weight) != len(labels) or not (np.isfinite(weight).all() and (weight > 0).all()):
        raise DataError("every labelled answer needs a weight above 0; give a design made for these labels")
    code = _codes(clusters, len(labels))
    return _Labelled(
        labels[known], scores[known], weight / weight.sum(), design.open[known], None if code is None else code[known]
    )


def _scores(scores: ArrayLike) -> Floats:
    values = finite_or_missing(scores, "the judge's scores")
    if not len(values):
        raise DataError("there are no answers; give at least one")
    if np.isnan(values).any():
        raise DataError(f"{int(np.isnan(values).sum())} answers have no score; leave them out and count them")
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise DataError(f"the judge's score {outside[0]:g} is not between 0 and 1; choose another metric")
    return values


def _labels(labels: ArrayLike) -> Floats:
    values = finite_or_missing(labels, "labels")
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise DataError(
            f"label {outside[0]:g} is not between 0 (wrong) and 1 (right); say from which value on it is right"
        )
    return values


def _codes(clusters: Sequence[Hashable] | None, n: int) -> Ints | None:
    """Number the clusters; None where every answer is alone in its own."""
    if clusters is None:
        return None
    if len(clusters) != n:
        raise DataError(f"{len(clusters)} questions for {n} answers; give one for each")
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(each, len(numbers)) for each in clusters), np.int64, n)
    return codes if len(numbers) < n else None
