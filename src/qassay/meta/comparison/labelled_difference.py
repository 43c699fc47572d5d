"""The difference of two systems' accuracies from a judge and people's verdicts on some answers (PPI)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError
from qassay.meta.accuracy.label_design import design_of_rounds
from qassay.meta.accuracy.ppi import MISJUDGED
from qassay.scoring.aggregates.intervals import quantile

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from qassay.arrays import Bools, Floats
    from qassay.meta.accuracy.estimates import JudgedAnswers

FEWEST = 10
"""The fewest labels of a system by which the judge's scores are scaled; with fewer they are taken as they are."""


@dataclass(frozen=True, slots=True)
class LabelledDifference:
    """How much more accurate one system is than another."""

    baseline: str
    new: str
    difference: float
    low: float
    high: float
    error: float
    """The standard error."""
    freedom: int
    """Degrees of freedom: labelled questions, or clusters of answers, less two."""
    labels: int
    n: int
    """Questions, or clusters of answers."""

    def p_above(self, margin: float) -> float:
        """Return the p-value of the new system being better by more than the margin."""
        return _upper_tail((self.difference - margin) / self.error, self.freedom)

    def p_below(self, margin: float) -> float:
        """Return the p-value of the new system being worse by more than the margin."""
        return _upper_tail((-self.difference - margin) / self.error, self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `compare --json` prints them."""
        names = ("baseline", "new", "difference", "low", "high", "labels", "n")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One system: its accuracy, and what each question adds to the error of it."""

    estimate: float
    labels: int
    labelled: frozenset[Hashable]
    """Questions with labels."""
    parts: dict[Hashable, float]
    """By question, what its judged scores and its labels add, less the mean."""


def labelled_difference(
    answers: JudgedAnswers, baseline: str, new: str, *, confidence: float = 0.95
) -> LabelledDifference:
    """Estimate how much more accurate the new system is, on questions like these.

    Each system's accuracy is the judge's mean, corrected by its error on labelled answers (prediction-powered
    inference with the tuned weight of PPI++; Angelopoulos, Duchi and Zrnic 2023). What a question adds to both is
    paired: its judged scores and its labels count as one, so that what the systems share cancels.
    """
    sides = [_side(answers, name) for name in (baseline, new)]
    asked = sides[0].parts.keys() | sides[1].parts.keys()
    labelled = sides[0].labelled | sides[1].labelled
    correction = len(labelled) / max(1, len(labelled) - 1)
    variance = correction * sum((sides[1].parts.get(each, 0.0) - sides[0].parts.get(each, 0.0)) ** 2 for each in asked)
    freedom = max(1, len(labelled) - 2)
    least = MISJUDGED / min(side.labels for side in sides) ** 2
    error = float(np.sqrt(max(variance, least)))
    difference = sides[1].estimate - sides[0].estimate
    reach = quantile(confidence, freedom) * error
    labels = sum(side.labels for side in sides)
    low, high = (max(-1.0, min(1.0, each)) for each in (difference - reach, difference + reach))
    return LabelledDifference(baseline, new, difference, low, high, error, freedom, labels, len(asked))


def _side(answers: JudgedAnswers, name: str) -> _Side:
    systems = np.asarray(answers.system, dtype=object)
    rows = np.flatnonzero((systems == name) & ~np.isnan(answers.scores))
    labels = answers.labels
    known: Bools = np.zeros(len(rows), bool) if labels is None else labels.labelled[rows]
    if labels is None or not known.any():
        raise DataError(f'no answer of system "{name}" has a label; label some answers of both systems')
    scores = answers.scores[rows]
    design = design_of_rounds(known, labels.round[rows], labels.probability[rows], labels.waiting[rows])
    weight = design.weight[known] / design.weight[known].sum()
    label, score = labels.value[rows][known], scores[known]
    power, leverage = _power(label, score, weight)
    correction = label - power * score
    parts = power * (scores - scores.mean()) / len(rows)
    # As the jackknife does: each label as if it had had no part in the fit.
    parts[known] += weight * (correction - weight @ correction) / np.maximum(1 - leverage, 1 / len(label))
    questions = [answers.question[row] for row in rows.tolist()]
    return _Side(
        min(1.0, max(0.0, float(power * scores.mean() + weight @ correction))),
        int(known.sum()),
        frozenset(questions[at] for at in np.flatnonzero(known).tolist()),
        _by_question(questions, parts),
    )


def _power(label: Floats, score: Floats, weight: Floats) -> tuple[float, Floats]:
    """Return λ, the slope of the labels on the judge's scores between 0 and 1, and how much each label moves the fit.

    With few labels the judge's scale is trusted, and λ is 1.
    """
    centred = score - weight @ score
    spread = float(weight @ centred**2)
    if len(label) < FEWEST or spread <= 0:
        return (1.0 if len(label) < FEWEST else 0.0), weight
    slope = float(weight @ (centred * label)) / spread
    return min(1.0, max(0.0, slope)), weight * (1 + centred**2 / spread)


def _by_question(questions: Sequence[Hashable], parts: Floats) -> dict[Hashable, float]:
    found: dict[Hashable, float] = {}
    for question, part in zip(questions, parts.tolist(), strict=True):
        found[question] = found.get(question, 0.0) + part
    return found


def _upper_tail(statistic: float, freedom: int) -> float:
    from scipy import stats  # noqa: PLC0415 - heavy, loaded when needed

    return float(stats.t.sf(statistic, freedom))
