"""Permutation tests of the difference between two metrics' correlations (Deutsch, Dror and Roth 2021)."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.meta.levels import Level, rows_by_question
from qassay.meta.panel import Panel
from qassay.meta.significance import Alternative, Difference, DifferenceTest, permutation_p
from qassay.meta.weighted import Coefficient, Judged, dense

Swapped = Callable[[Ints], Floats]
"""(draws, all rows) of 1 where the metrics trade places -> the coefficient of the first metric's column."""

_BLOCK = 400_000
"""Swaps handled at a time, which bounds memory."""


def _standardised(values: Floats) -> Floats | None:
    spread = values.std()
    return None if spread == 0 else (values - values.mean()) / spread


def _answers(coefficient: Coefficient, x: Floats, y: Floats, z: Floats) -> Swapped:
    # Choosing between two values of a row is weighting two rows with 0 and 1.
    kernel = Judged(np.concatenate([z, z])).against(coefficient, np.concatenate([x, y]))
    return lambda swaps: kernel(np.concatenate([1 - swaps, swaps], axis=1))


def _systems(coefficient: Coefficient, x: Floats, y: Floats, z: Floats, system: Ints) -> Swapped:
    present, code = np.unique(system, return_inverse=True)
    sizes = np.bincount(code)
    base, judged = (np.bincount(code, values) / sizes for values in (x, z))
    gain = y - x
    rows = [np.flatnonzero(code == each) for each in range(len(present))]
    ones = np.ones((1, 1, len(present)), dtype=np.int64)

    def swapped(swaps: Ints) -> Floats:
        gained = np.column_stack([swaps[:, each].astype(np.float64) @ gain[each] for each in rows])
        means = base + gained / sizes
        return dense(coefficient, means, np.broadcast_to(judged, means.shape), ones)[:, 0]

    return swapped


def _inputs(coefficient: Coefficient, x: Floats, y: Floats, z: Floats, layout: tuple[Ints, Ints]) -> Swapped:
    row, present = layout
    scores = np.concatenate([x[row], y[row]], axis=1)
    judged = np.concatenate([z[row], z[row]], axis=1)

    def swapped(swaps: Ints) -> Floats:
        chosen = np.moveaxis(swaps[:, row], 0, 1)
        weights = np.concatenate([present[:, None, :] * (1 - chosen), present[:, None, :] * chosen], axis=2)
        each = dense(coefficient, scores, judged, weights)
        defined = ~np.isnan(each)
        total = defined.sum(axis=0)
        return np.where(total > 0, np.where(defined, each, 0.0).sum(axis=0) / np.maximum(total, 1), np.nan)

    return swapped


def _swaps(panel: Panel, test: DifferenceTest, draws: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Toss a coin for every answer, every system or every question, in blocks."""
    block = max(1, _BLOCK // len(panel))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        if test is DifferenceTest.PERM_BOTH:
            yield rng.integers(0, 2, (size, len(panel)))
        elif test is DifferenceTest.PERM_SYSTEMS:
            yield np.take(rng.integers(0, 2, (size, len(panel.systems))), panel.system, axis=1)
        else:
            yield np.take(rng.integers(0, 2, (size, len(panel.questions))), panel.question, axis=1)


def permutation_difference(
    panel: Panel,
    a: str,
    b: str,
    *,
    level: Level = Level.ANSWER,
    coefficient: Coefficient = Coefficient.PEARSON,
    test: DifferenceTest = DifferenceTest.PERM_BOTH,
    rng: np.random.Generator,
    draws: int = 1000,
    alternative: Alternative = Alternative.GREATER,
) -> Difference:
    """Swap the two metrics' values at random and see how often the difference is as large as it is.

    Both metrics are standardised first, because a swap only makes sense between values on one scale. PERM-BOTH
    tosses a coin for every answer, PERM-SYSTEMS for every system and PERM-INPUTS for every question. Systems are
    scored by their mean, and only answers that both metrics scored count.
    """
    if test not in {DifferenceTest.PERM_BOTH, DifferenceTest.PERM_SYSTEMS, DifferenceTest.PERM_INPUTS}:
        raise DataError(f"{test} is no permutation test; use perm-both, perm-systems or perm-inputs")
    complete = panel.complete(a, b)
    missing = int((~complete).sum())
    result = Difference(a, b, level, coefficient, test, alternative, None, None, 0, missing, draws)
    if level is Level.OVERALL:
        return replace(result, reason="permutation tests are for answers, systems and inputs; use bootstrap")
    if not complete.any():
        return replace(result, reason="0 pairs; at least 3 are needed")
    kept = panel.where(complete)
    x, y = (_standardised(kept.score(name)) for name in (a, b))
    if x is None or y is None:
        return replace(result, n=len(kept), reason="all scores are equal")
    z = kept.judgement
    if level is Level.ANSWER:
        swapped, n = _answers(coefficient, x, y, z), len(kept)
    elif level is Level.SYSTEM:
        swapped, n = _systems(coefficient, x, y, z, kept.system), len(kept.systems)
    else:
        layout = rows_by_question(kept, np.arange(len(kept)))
        swapped, n = _inputs(coefficient, x, y, z, layout), len(kept.questions)
    result = replace(result, n=n)
    none = np.zeros((1, len(kept)), dtype=np.int64)
    observed = float((swapped(none) - swapped(1 - none))[0])
    if np.isnan(observed):
        return replace(result, reason="no coefficient: too few pairs, or all scores or judgements are equal")
    differences = np.concatenate([swapped(swaps) - swapped(1 - swaps) for swaps in _swaps(kept, test, draws, rng)])
    defined = differences[~np.isnan(differences)]
    return replace(
        result,
        difference=observed,
        p=permutation_p(defined, observed, alternative),
        undefined=draws - len(defined),
    )
