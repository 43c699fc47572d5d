"""Rankings: of two systems' answers, of systems, and of the candidates to a question."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.meta.statistics.coefficients import estimate
from qassay.meta.statistics.panel import Panel, finite_or_missing
from qassay.meta.statistics.weighted import Coefficient

_ROUNDING = 1e-9
"""Means of ratings carry rounding errors far smaller than this."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How often a metric orders two systems' answers to one question as people do."""

    metric: str
    share: float | None
    """Pairs ordered alike among all clear pairs; None when there are none."""
    agree: int
    disagree: int
    ties: int
    """Pairs to which the metric gives equal scores, counted as not agreeing."""
    pairs: int
    """Pairs whose judgements differ by at least `gap`, with both scores present."""
    missing: int
    """Clear pairs left out because a score is missing."""
    gap: float


def pair_agreement(panel: Panel, metric: str, gap: float = 2.0) -> PairAgreement:
    """Count pairs of answers to one question that a metric ranks as people do (Lee et al. 2021, Table 7).

    Only pairs of different systems whose judgements are at least `gap` apart count. The paper says "greater than 2"
    on a scale from 1 to 5, but its 93 pairs on MS-MARCO are those at least 2 apart (89 are more than 2 apart).
    """
    order = np.argsort(panel.question, kind="stable")
    first, second = _pairs_within(panel.question[order])
    first, second = order[first], order[second]
    other = panel.system[first] != panel.system[second]
    first, second = first[other], second[other]
    judgement = panel.judgement[first] - panel.judgement[second]
    clear = np.abs(judgement) >= gap - _ROUNDING
    scored = (panel.score(metric)[first] - panel.score(metric)[second])[clear]
    present = ~np.isnan(scored)
    alike = np.sign(scored[present]) * np.sign(judgement[clear][present])
    agree, ties, pairs = int((alike > 0).sum()), int((alike == 0).sum()), len(alike)
    return PairAgreement(
        metric=metric,
        share=agree / pairs if pairs else None,
        agree=agree,
        disagree=pairs - agree - ties,
        ties=ties,
        pairs=pairs,
        missing=int((~present).sum()),
        gap=gap,
    )


def _pairs_within(groups: Ints) -> tuple[Ints, Ints]:
    """List all pairs of places in the same group, for sorted groups."""
    firsts, seconds = [], []
    distance = 1
    # One step a distance: as many steps as the largest group has members.
    while True:
        same = np.flatnonzero(groups[distance:] == groups[:-distance]) if distance < len(groups) else np.empty(0, int)
        if not len(same):
            break
        firsts.append(same)
        seconds.append(same + distance)
        distance += 1
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *firsts]), np.concatenate([empty, *seconds])


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """How close estimated measures of systems come to the true ones, and whether they rank the systems alike."""

    rmse: float | None
    sigma: float | None
    """Standard deviation of the absolute errors (dividing by n), which is what Vu's tables print after ±."""
    kendall: float | None
    kendall_p: float | None
    n: int
    missing: int
    """Systems left out because one of the two numbers is missing."""
    reason: str | None = None


def system_agreement(estimated: ArrayLike, true: ArrayLike) -> SystemAgreement:
    """Compare systems' estimated measures (accuracy, MAP, MRR) with the true ones (Vu 2021, section 6.1)."""
    estimates, truths = finite_or_missing(estimated, "estimates"), finite_or_missing(true, "true values")
    if len(estimates) != len(truths):
        raise DataError(f"{len(estimates)} estimates and {len(truths)} true values; give one of each for every system")
    present = ~(np.isnan(estimates) | np.isnan(truths))
    estimates, truths = estimates[present], truths[present]
    n, missing = len(estimates), int((~present).sum())
    if not n:
        return SystemAgreement(None, None, None, None, 0, missing, "no system has both numbers")
    errors = estimates - truths
    ranked = estimate(Coefficient.KENDALL, estimates, truths)
    return SystemAgreement(
        float(np.sqrt((errors**2).mean())),
        float(np.abs(errors).std()),
        ranked.value,
        ranked.p,
        n,
        missing,
        ranked.reason,
    )


class Ties(StrEnum):
    """In which order candidates with equal scores are taken."""

    WORST = "worst"
    """Right candidates last."""
    MEAN = "mean"
    """The exact expectation over all orders, each as likely as the others (McSherry and Najork 2008)."""
    BEST = "best"
    """Right candidates first."""


@dataclass(frozen=True, slots=True)
class RankingQuality:
    """How well candidates are ranked: means over questions, and what was left out."""

    p_at_1: float | None
    map: float | None
    mrr: float | None
    questions: int
    without_correct: int
    """Questions that have no correct candidate."""
    missing: int
    """Candidates left out because the score or the label is missing."""
    tied: int
    """Questions whose numbers depend on how ties are broken."""
    ties: Ties
    reason: str | None = None


def rank_candidates(
    question: Sequence[Hashable],
    scores: ArrayLike,
    correct: ArrayLike,
    *,
    ties: Ties = Ties.MEAN,
    keep_without_correct: bool = False,
) -> RankingQuality:
    """Rank each question's candidates by score and average P@1, average precision and reciprocal rank.

    Questions without a correct candidate are left out and counted, or count as 0 with `keep_without_correct`.
    """
    values, labels = finite_or_missing(scores, "scores"), finite_or_missing(correct, "correct")
    if not len(question) == len(values) == len(labels):
        raise DataError("give a question, a score and a label for every candidate")
    present = ~(np.isnan(values) | np.isnan(labels))
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(each, len(numbers)) for each in question), np.int64, len(question))
    code, value, right = codes[present], values[present], labels[present] > 0
    by_rule = {rule: _measures(code, value, right, rule, len(numbers)) for rule in Ties}
    correct_ones = np.bincount(code, right, len(numbers))
    counted = (correct_ones > 0) | keep_without_correct
    top, average, reciprocal = (float(column[counted].mean()) if counted.any() else None for column in by_rule[ties])
    open_to_ties = (by_rule[Ties.BEST] > by_rule[Ties.WORST]).any(axis=0)
    return RankingQuality(
        p_at_1=top,
        map=average,
        mrr=reciprocal,
        questions=int(counted.sum()),
        without_correct=int((correct_ones == 0).sum()),
        missing=int((~present).sum()),
        tied=int((open_to_ties & counted).sum()),
        ties=ties,
        reason=None if counted.any() else "no question has a correct candidate",
    )


def _measures(question: Ints, value: Floats, correct: NDArray[np.bool_], ties: Ties, questions: int) -> Floats:
    """Return P@1, average precision and reciprocal rank of every question: (3, questions), 0 without a correct one."""
    if not len(question):
        return np.zeros((3, questions))
    order = np.lexsort((~correct if ties is Ties.BEST else correct, -value, question))
    question, value, right = question[order], value[order], correct[order].astype(np.float64)
    rows = np.arange(len(question))
    new_question = np.concatenate([[True], question[1:] != question[:-1]])
    # With the ties broken, every candidate is a group of its own.
    new_group = new_question | np.concatenate([[True], value[1:] != value[:-1]]) | (ties is not Ties.MEAN)
    start_of_question = np.maximum.accumulate(np.where(new_question, rows, 0))
    group = np.cumsum(new_group) - 1
    start_of_group = np.flatnonzero(new_group)[group]
    size = np.bincount(group)[group]
    right_in_group = np.bincount(group, right)[group]
    before = np.concatenate([[0.0], np.cumsum(right)])
    right_before = before[start_of_group] - before[start_of_question]
    place = rows - start_of_group + 1
    rank = rows - start_of_question + 1
    total = np.bincount(question, right, questions)

    chance = right_in_group / size
    # Given a right candidate at a place of its group, the others of its group are spread evenly over the rest.
    ahead = (place - 1) * (right_in_group - 1) / np.maximum(size - 1, 1)
    precision = chance * (right_before + 1 + ahead) / rank
    average = np.bincount(question, precision, questions) / np.maximum(total, 1)

    first_group = (right_before == 0) & (right_in_group > 0)
    possible = first_group & (place <= size - right_in_group + 1)
    first_here = np.zeros(len(rows))
    s, r, p = size[possible], right_in_group[possible], place[possible]
    first_here[possible] = np.exp(_log_choose(s - p, r - 1) - _log_choose(s, r))
    reciprocal = np.bincount(question, first_here / rank, questions)

    top = np.bincount(question, np.where(rank == 1, chance, 0.0), questions)
    return np.stack([top, average, reciprocal])


def _log_choose(n: Floats | Ints, k: Floats) -> Floats:
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))
