"""Two systems on the same questions: by how much one is better, how sure that is, and on how many questions."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.meta.correlation.resampling import FEWEST_FOR_INTERVAL, FEWEST_FOR_TEST, too_few
from qassay.meta.correlation.significance import Alternative, bootstrap_p, permutation_p
from qassay.meta.statistics.panel import mean_pooling
from qassay.scoring.aggregates.clusters import summed_by_cluster

_BLOCK = 1_000_000
"""Weights handled at a time, which bounds memory."""
_TIE = 1e-12
"""Scores closer than this differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """System A against system B on the questions that both answered."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    """Percentile interval of the difference, over resampled questions."""
    p_bootstrap: float | None
    p_permutation: float | None
    wins: int
    """Questions on which A scores higher."""
    ties: int
    losses: int
    n: int
    missing: int
    """Questions left out because one of the two has no score."""
    draws: int
    confidence: float
    alternative: Alternative
    reason: str | None = None


def compare_systems(
    a: Floats,
    b: Floats,
    finish: Callable[[Floats], Floats],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    confidence: float = 0.95,
    alternative: Alternative = Alternative.TWO_SIDED,
    clusters: Ints | None = None,
    shown: tuple[Floats, Floats] | None = None,
) -> Comparison:
    """Compare two systems from additive statistics (questions, k) of one metric, row by row the same question.

    The paired bootstrap (Koehn 2004) resamples questions and scores both systems on the sums; the paired
    permutation (approximate randomisation, Noreen 1989) swaps the two systems' answers to a question at random. So
    both are exact for pooled metrics (BLEU) as for means. Rows of one cluster are summed, and resampled and swapped
    together: they count as one question. Wins and losses are by the `shown` scores, where the statistics of single rows
    are none.
    """
    if a.shape != b.shape:
        raise DataError(f"statistics of shape {a.shape} and {b.shape}; give one row for the same question in both")
    each_a, each_b = _scores(a, finish), _scores(b, finish)
    both = ~(np.isnan(each_a) | np.isnan(each_b))
    missing = int((~both).sum())
    a, b = a[both], b[both]
    apart = None if shown is None else (shown[0] - shown[1])[both]
    if clusters is not None:
        a, b = summed_by_cluster(a, clusters[both]), summed_by_cluster(b, clusters[both])
        apart = None if apart is None else summed_by_cluster(apart[:, None], clusters[both])[:, 0]
    gaps = _scores(a, finish) - _scores(b, finish) if apart is None else apart
    n = len(a)
    wins, losses = int((gaps > _TIE).sum()), int((gaps < -_TIE).sum())
    result = Comparison(
        a=None,
        b=None,
        difference=None,
        low=None,
        high=None,
        p_bootstrap=None,
        p_permutation=None,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        n=n,
        missing=missing,
        draws=draws,
        confidence=confidence,
        alternative=alternative,
    )
    if not n:
        return replace(result, reason="no question has a score of both systems")
    total_a, total_b = a.sum(axis=0, keepdims=True), b.sum(axis=0, keepdims=True)
    score_a, score_b = float(_scores(total_a, finish)[0]), float(_scores(total_b, finish)[0])
    result = replace(result, a=score_a, b=score_b, difference=score_a - score_b)
    if n < 2:  # noqa: PLR2004 - one question cannot be resampled
        return replace(result, reason="one question; at least two are needed for a test")
    resampled, permuted = [], []
    block = max(1, min(draws, _BLOCK // n))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        drawn = rng.integers(0, n, (size, n))
        counts = np.stack([np.bincount(row, minlength=n) for row in drawn]).astype(np.float64)
        resampled.append(_scores(counts @ a, finish) - _scores(counts @ b, finish))
        moved = rng.integers(0, 2, (size, n)).astype(np.float64) @ (b - a)
        permuted.append(_scores(total_a + moved, finish) - _scores(total_b - moved, finish))
    p = permutation_p(np.concatenate(permuted), score_a - score_b, alternative, tie=1)
    result = replace(result, p_permutation=p)
    if n < FEWEST_FOR_INTERVAL:
        return replace(result, reason=f"no interval: {too_few(n, 'question', FEWEST_FOR_INTERVAL)}")
    differences = np.concatenate(resampled)
    differences = differences[~np.isnan(differences)]
    differences[np.abs(differences) < _TIE] = 0.0
    low, high = np.quantile(differences, [(1 - confidence) / 2, (1 + confidence) / 2])
    result = replace(result, low=float(low), high=float(high))
    if n < FEWEST_FOR_TEST:
        return replace(result, reason=f"no bootstrap test: {too_few(n, 'question', FEWEST_FOR_TEST)}")
    return replace(result, p_bootstrap=bootstrap_p(differences, alternative))


def _scores(stats: Floats, finish: Callable[[Floats], Floats]) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(finish(stats), dtype=np.float64)


def compare_means(
    a: Floats,
    b: Floats,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    confidence: float = 0.95,
    alternative: Alternative = Alternative.GREATER,
) -> Comparison:
    """Compare two columns of numbers about the same items, such as right-or-wrong decisions.

    This is the single-tailed pairwise permutation test of Deutsch 2022, Table 1: for accuracies give 1 where a decision
    is right, for errors give minus the squared error, so that greater is better.
    """
    first, second = mean_pooling(a), mean_pooling(b)
    return compare_systems(
        first.stats,
        second.stats,
        first.finish,
        rng=rng,
        draws=draws,
        confidence=confidence,
        alternative=alternative,
    )
