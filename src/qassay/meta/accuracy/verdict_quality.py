"""How well scores decide whether two answers mean the same: accuracy and squared error, with permutation tests.

The form is that of Deutsch and Roth (2022, Table 1): the accuracy at each method's best threshold, the mean squared
error of its scores, and which methods cannot be told apart from the best.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError
from qassay.meta.accuracy.classification import auc, best_threshold
from qassay.meta.comparison.paired_test import compare_means
from qassay.meta.correlation.significance import tied_with_best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Floats

MAJORITY = "majority class"
DRAWS = 10_000


@dataclass(frozen=True, slots=True)
class Verification:
    """One method compared with people's verdicts."""

    method: str
    n: int
    accuracy: float
    threshold: float | None
    """Scores from here on mean the same; chosen on the same pairs, so the accuracy is the best that is possible."""
    mse: float
    auc: float | None = None
    """The chance that a pair of the same meaning scores above one of another; None for the majority class."""
    accuracy_p: float | None = None
    """That the best method is no more accurate than this one; None for the best itself."""
    mse_p: float | None = None
    accuracy_tied: bool = False
    """Whether it is the most accurate, or not significantly worse."""
    mse_tied: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `verify --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MethodDifference:
    """How much better one method is than another, with p-values."""

    a: str
    b: str
    accuracy: float
    accuracy_p: float | None
    mse: float
    """How much lower the squared error of `a` is."""
    mse_p: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `verify --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """How often a method's scores fall into each tenth from 0 to 1, by verdict (Deutsch and Roth 2022, Figure 2)."""

    method: str
    same: tuple[int, ...]
    """Of pairs with the same meaning; a score beyond 0 or 1 counts in the outer tenth."""
    different: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `verify --json` prints them."""
        return {"method": self.method, "same": list(self.same), "different": list(self.different)}


@dataclass(frozen=True, slots=True)
class _MethodDecisions:
    right: Floats
    """1 where the decision at the best threshold is right."""
    closeness: Floats
    """Minus the squared error."""
    threshold: float | None


def are_verdicts(judgements: Sequence[float | None]) -> bool:
    """Whether judgements are verdicts, 0 or 1, instead of ratings."""
    known = [value for value in judgements if value is not None]
    return bool(known) and all(value in {0, 1} for value in known)


def score_distributions(
    scores: Mapping[str, Floats], judgements: Sequence[float | None], bins: int = 10
) -> list[ScoreDistribution]:
    """Count every method's scores by verdict; pairs without a verdict or without the score are left out."""
    labels = np.array([np.nan if value is None else value for value in judgements], np.float64)

    def counted(values: Floats, verdict: int) -> tuple[int, ...]:
        chosen = values[(labels == verdict) & ~np.isnan(values)]
        return tuple(np.histogram(np.clip(chosen, 0, 1), bins=bins, range=(0, 1))[0].tolist())

    return [ScoreDistribution(method, counted(values, 1), counted(values, 0)) for method, values in scores.items()]


def verification_quality(
    scores: Mapping[str, Floats], judgements: Sequence[float | None], rng: np.random.Generator, draws: int = DRAWS
) -> tuple[list[Verification], list[MethodDifference]]:
    """Compare every method with the verdicts, after the majority class, and every two methods with each other.

    Pairs without a verdict or without a score of some method are left out. The tests are single-tailed pairwise
    permutation tests of decisions and of squared errors.
    """
    labels = np.array([np.nan if value is None else value for value in judgements], np.float64)
    complete = ~np.isnan(labels) & ~np.any([np.isnan(values) for values in scores.values()], axis=0)
    if not complete.any():
        raise DataError('no pair has both scores and a "judgement"; write 1 for the same meaning and 0 for another')
    truth = labels[complete]
    decisions = {MAJORITY: _majority(truth)}
    decisions |= {method: _judge(values[complete], truth) for method, values in scores.items()}
    accuracy_p = _behind_best({method: each.right for method, each in decisions.items()}, rng, draws)
    mse_p = _behind_best({method: each.closeness for method, each in decisions.items()}, rng, draws)
    rows = [
        Verification(
            method,
            len(truth),
            float(each.right.mean()),
            each.threshold,
            -float(each.closeness.mean()),
            None if each.threshold is None else auc(scores[method][complete], truth),
            accuracy_p[method],
            mse_p[method],
        )
        for method, each in decisions.items()
    ]
    accurate = tied_with_best([row.accuracy for row in rows], list(accuracy_p.values()))
    close = tied_with_best([-row.mse for row in rows], list(mse_p.values()))
    marked = [
        Verification(**{**asdict(row), "accuracy_tied": bool(accurate[i]), "mse_tied": bool(close[i])})
        for i, row in enumerate(rows)
    ]
    return marked, _leads(decisions, rng, draws)


def _majority(truth: Floats) -> _MethodDecisions:
    commoner = float(truth.mean() >= 0.5)  # noqa: PLR2004 - one half
    return _MethodDecisions((truth == commoner).astype(np.float64), -((truth - commoner) ** 2), None)


def _judge(values: Floats, truth: Floats) -> _MethodDecisions:
    threshold = best_threshold(values, truth)
    return _MethodDecisions(
        ((values >= threshold) == (truth == 1)).astype(np.float64), -((values - truth) ** 2), threshold
    )


def _behind_best(columns: Mapping[str, Floats], rng: np.random.Generator, draws: int) -> dict[str, float | None]:
    best = max(columns, key=lambda method: columns[method].mean())
    return {
        method: None if method == best else compare_means(columns[best], values, rng=rng, draws=draws).p_permutation
        for method, values in columns.items()
    }


def _leads(decisions: Mapping[str, _MethodDecisions], rng: np.random.Generator, draws: int) -> list[MethodDifference]:
    found = []
    methods = list(decisions)
    for i, first in enumerate(methods):
        for second in methods[i + 1 :]:
            # The more accurate of the two goes first, and among equals the closer one.
            a, b = sorted(
                (first, second),
                key=lambda method: (-decisions[method].right.mean(), -decisions[method].closeness.mean()),
            )
            found.append(
                MethodDifference(
                    a,
                    b,
                    float(decisions[a].right.mean() - decisions[b].right.mean()),
                    compare_means(decisions[a].right, decisions[b].right, rng=rng, draws=draws).p_permutation,
                    float(decisions[a].closeness.mean() - decisions[b].closeness.mean()),
                    compare_means(decisions[a].closeness, decisions[b].closeness, rng=rng, draws=draws).p_permutation,
                )
            )
    return found
