"""Whether a new system may replace a baseline: one-sided tests with a margin, for continuous integration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, log2
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from qassay.meta.comparison.systems import finish_of, shared_rows
from qassay.meta.correlation.significance import Alternative, holm, monte_carlo_p, permutation_p
from qassay.scoring.aggregates.clusters import summed_by_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.scoring.table import ScoreTable

FailIf = Literal["worse", "not-better"]
_BLOCK = 1_000_000
"""Weights handled at a time, which bounds memory."""


@dataclass(frozen=True, slots=True)
class GateTest:
    """One system against the baseline under one metric."""

    metric: str
    baseline: str
    new: str
    difference: float | None
    """The new system's score less the baseline's."""
    p: float | None
    """Of the one-sided test; under several tests for `worse` corrected by Holm."""
    n: int
    """Questions, or clusters of answers, that both have."""
    left_out: int
    """Questions that both answered, without a score of one or both."""
    failed: bool
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Gate:
    """What a gate tests, and the outcome."""

    fail_if: FailIf
    margin: float
    alpha: float
    tests: tuple[GateTest, ...]

    @property
    def failed(self) -> bool:
        """Whether some test failed."""
        return any(each.failed for each in self.tests)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `compare --json` prints them."""
        return {
            "fail_if": self.fail_if,
            "margin": self.margin,
            "alpha": self.alpha,
            "failed": self.failed,
            "tests": [each.to_dict() for each in self.tests],
        }


@dataclass(frozen=True, slots=True)
class RawTest:
    """A test before it is decided: the difference, the p-value and the size."""

    metric: str
    baseline: str
    new: str
    difference: float | None
    p: float | None
    n: int
    left_out: int = 0
    permuted: bool = False
    """Whether the p-value is that of a permutation, which cannot be smaller than one of all `2 ** n`."""


def gate_table(
    table: ScoreTable,
    *,
    fail_if: FailIf,
    margin: float,
    draws: int,
    codes: Ints | None = None,
) -> list[RawTest]:
    """Test every later system against the first, metric by metric; `codes` are the answers' clusters."""
    baseline, *others = dict.fromkeys(example.system for example in table.examples)
    tests = []
    for new in others:
        left, right, _ = shared_rows(table, baseline, new)
        for spec, stats in table.stats.items():
            rng = np.random.default_rng(table.seed)
            clusters = None if codes is None else codes[left]
            found = one_sided(
                stats[left],
                stats[right],
                finish_of(table, spec),
                fail_if,
                margin,
                rng=rng,
                draws=draws,
                clusters=clusters,
            )
            missing = int(np.isnan(table.scores[spec][left] + table.scores[spec][right]).sum())
            tests.append(RawTest(spec, baseline, new, *found, missing, permuted=True))
    return tests


def one_sided(
    baseline: Floats,
    new: Floats,
    finish: Callable[[Floats], Floats],
    fail_if: FailIf,
    margin: float,
    *,
    rng: np.random.Generator,
    draws: int,
    clusters: Ints | None = None,
) -> tuple[float | None, float | None, int]:
    """Return the difference, the p-value of the new system being worse (or better) beyond the margin, and the size.

    The p-value is the larger of two: that of the paired permutation, which is exact for systems without a difference
    whatever the number of questions (Noreen 1989), and the share of bootstrap differences within the margin (Koehn
    2004). So a system that is no worse fails no more often than it should.
    """
    known = ~(np.isnan(_scores(baseline, finish)) | np.isnan(_scores(new, finish)))
    baseline, new = baseline[known], new[known]
    if clusters is not None:
        baseline, new = (summed_by_cluster(each, clusters[known]) for each in (baseline, new))
    n = len(baseline)
    if not n:
        return None, None, 0
    worse = fail_if == "worse"
    # What is tested is that `good` exceeds `bad` by more than the margin.
    good, bad = (baseline, new) if worse else (new, baseline)
    totals = good.sum(0, keepdims=True), bad.sum(0, keepdims=True)
    gap = float(_scores(totals[0], finish)[0] - _scores(totals[1], finish)[0])
    difference = 0.0 - gap if worse else gap
    if n < 2:  # noqa: PLR2004 - one question cannot be resampled
        return difference, None, n
    resampled, permuted = [], []
    block = max(1, min(draws, _BLOCK // n))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
        resampled.append(_scores(counts @ good, finish) - _scores(counts @ bad, finish))
        moved = rng.integers(0, 2, (size, n)).astype(np.float64) @ (bad - good)
        permuted.append(_scores(totals[0] + moved, finish) - _scores(totals[1] - moved, finish))
    exact = permutation_p(np.concatenate(permuted), gap, Alternative.GREATER, tie=1)
    within = int((np.concatenate(resampled) <= margin).sum()) if margin else 0
    return difference, max(exact, monte_carlo_p(within, draws)), n


def decide(tests: Sequence[RawTest], *, fail_if: FailIf, margin: float, alpha: float) -> Gate:
    """Decide which tests fail.

    `worse` fails where a system is shown to be worse by more than the margin, Holm's correction over all tests keeping
    the chance of a false alarm at alpha; `not-better` fails wherever a system is not shown to be better. What cannot be
    tested, since so few questions have scores of both that nothing could be shown at alpha, has not passed.
    """
    p_values = holm([each.p for each in tests]) if fail_if == "worse" else [each.p for each in tests]
    decided = []
    for each, p in zip(tests, p_values, strict=True):
        least = least_questions(alpha) if each.permuted else 2
        tested = p is not None and each.n >= least
        shown = tested and p is not None and p <= alpha
        failed = shown or not tested if fail_if == "worse" else not shown
        decided.append(
            GateTest(
                each.metric,
                each.baseline,
                each.new,
                each.difference,
                p,
                each.n,
                each.left_out,
                failed,
                _reason(each, p, fail_if, margin, shown=shown) if tested else _untested(each, least, alpha),
            )
        )
    return Gate(fail_if, margin, alpha, tuple(decided))


def least_questions(alpha: float) -> int:
    """Return how many questions a paired permutation needs so that it can show anything at level alpha."""
    return max(2, ceil(-log2(alpha)))


def _untested(test: RawTest, least: int, alpha: float) -> str:
    needed = f"at level {alpha:g} at least {least} are needed"
    return f"{test.new} cannot be tested under {test.metric}: questions with scores of both: {test.n}, {needed}"


def _reason(test: RawTest, p: float | None, fail_if: FailIf, margin: float, *, shown: bool) -> str:
    word = "worse" if fail_if == "worse" else "better"
    by = f" by more than {margin:g}" if margin else ""
    verb = "is" if shown else "is not shown to be"
    without = f", {test.left_out:,} without a score of both left out" if test.left_out else ""
    tested = f"difference {test.difference or 0.0:+.4f}, p = {1.0 if p is None else p:.3g}, n = {test.n:,}{without}"
    return f"{test.new} {verb} {word} than {test.baseline}{by} under {test.metric} ({tested})"


def _scores(stats: Floats, finish: Callable[[Floats], Floats]) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(finish(stats), dtype=np.float64)
