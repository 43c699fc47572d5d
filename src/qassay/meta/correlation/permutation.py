"""Permutation tests of the difference between two metrics' correlations (Deutsch, Dror and Roth 2021)."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.meta.correlation.levels import Level, rows_by_question
from qassay.meta.correlation.significance import HALF_A_HIT, Alternative, Difference, DifferenceTest, permutation_p
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.permuted_coefficients import permuted_coefficients
from qassay.meta.statistics.weighted import Coefficient, JudgedRows, dense, rounded_ties

Swaps = NDArray[np.uint8]
"""(draws, rows): 1 where the two metrics are swapped."""
Differences = Callable[[Swaps], Floats]
"""The difference between the two metrics' coefficients after each set of swaps: (draws,)."""

_BLOCK = 1_000_000
"""Swaps handled at a time, which bounds memory."""
_PIECE = 128
"""Draws of which the systems are correlated at a time."""


def _standardised(values: Floats) -> Floats | None:
    spread = values.std()
    return None if spread == 0 else (values - values.mean()) / spread


def _answers(coefficient: Coefficient, x: Floats, y: Floats, z: Floats) -> Differences:
    # Choosing between two values of a row is weighting two rows with 0 and 1.
    kernel = JudgedRows(np.concatenate([z, z])).against(coefficient, np.concatenate([x, y]))

    def differences(swaps: Swaps) -> Floats:
        chosen = swaps.astype(np.int64)
        return kernel(np.concatenate([1 - chosen, chosen], axis=1)) - kernel(
            np.concatenate([chosen, 1 - chosen], axis=1)
        )

    return differences


def _systems(coefficient: Coefficient, x: Floats, y: Floats, z: Floats, system: Ints) -> Differences:
    """Take rows sorted by system."""
    sizes = np.bincount(system)
    mean_x, mean_y, judgement = (np.bincount(system, values) / sizes for values in (x, y, z))
    ends = np.cumsum(sizes)
    rows = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    gain = (y - x) / sizes[system]
    ones = np.ones((1, 1, len(sizes)), dtype=np.int64)

    def differences(swaps: Swaps) -> Floats:
        gained = np.column_stack([swaps[:, each].astype(np.float64) @ gain[each] for each in rows])
        # What one metric's mean gains by the swaps, the other's loses.
        first, second = rounded_ties(mean_x + gained), rounded_ties(mean_y - gained)
        side = np.broadcast_to(rounded_ties(judgement), first.shape)
        values = []
        # Tables of pairs that fit into the processor's cache.
        for start in range(0, len(swaps), _PIECE):
            part = slice(start, start + _PIECE)
            one, other = (dense(coefficient, each[part], side[part], ones) for each in (first, second))
            values.append((one - other)[:, 0])
        return np.concatenate(values)

    return differences


def _inputs(coefficient: Coefficient, x: Floats, y: Floats, z: Floats, layout: tuple[Ints, Ints]) -> Differences:
    row, present = layout
    first, second, judgement = (np.where(present, column[row], 0.0) for column in (x, y, z))
    kernel = permuted_coefficients(coefficient, first, second, judgement, present)

    def differences(swaps: Swaps) -> Floats:
        chosen = np.take(swaps, row.ravel(), axis=1).reshape(-1, *row.shape)
        sides = kernel(np.ascontiguousarray(chosen.swapaxes(0, 1), dtype=np.float64))
        return _mean_of_defined(sides[0]) - _mean_of_defined(sides[1])

    return differences


def _mean_of_defined(each: Floats) -> Floats:
    defined = ~np.isnan(each)
    total = defined.sum(axis=0)
    return np.where(total > 0, np.where(defined, each, 0.0).sum(axis=0) / np.maximum(total, 1), np.nan)


def _swaps(panel: Panel, test: DifferenceTest, draws: int, rng: np.random.Generator) -> Iterator[Swaps]:
    """Yield random swaps for every answer, every system or every question, in blocks."""
    block = max(1, _BLOCK // len(panel))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        if test is DifferenceTest.PERM_BOTH:
            yield _tosses(size, len(panel), rng)
        elif test is DifferenceTest.PERM_SYSTEMS:
            yield np.take(_tosses(size, len(panel.systems), rng), panel.system, axis=1)
        else:
            yield np.take(_tosses(size, len(panel.questions), rng), panel.question, axis=1)


def _tosses(draws: int, coins: int, rng: np.random.Generator) -> Swaps:
    """Return random bits."""
    bits = np.frombuffer(rng.bytes(-(-draws * coins // 8)), dtype=np.uint8)
    return np.unpackbits(bits, count=draws * coins).reshape(draws, coins)


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
    """Swap the two metrics' values at random and count how often the difference is at least as large as observed.

    Both metrics are standardised first, because a swap only makes sense between values on one scale. PERM-BOTH
    tosses a coin for every answer, PERM-SYSTEMS for every system and PERM-INPUTS for every question. Systems are
    scored by their mean, so that metrics that pool their answers (BLEU) cannot be tested so; only answers that both
    metrics scored count.
    """
    if test not in {DifferenceTest.PERM_BOTH, DifferenceTest.PERM_SYSTEMS, DifferenceTest.PERM_INPUTS}:
        raise DataError(f"{test} is no permutation test; use perm-both, perm-systems or perm-inputs")
    complete = panel.complete(a, b)
    missing = int((~complete).sum())
    result = Difference(a, b, level, coefficient, test, alternative, None, None, 0, missing, draws)
    if level is Level.OVERALL:
        return replace(result, reason="permutation tests are for answers, systems and inputs; use bootstrap")
    if level is Level.SYSTEM and {a, b} & set(panel.pooling):
        # Swapped answers of two metrics have no pooled score.
        return replace(result, reason="permutation tests score systems by means, and this metric pools; use bootstrap")
    if not complete.any():
        return replace(result, reason="0 pairs; at least 3 are needed")
    rows = np.flatnonzero(complete)
    shared = panel.where(rows[np.argsort(panel.system[rows], kind="stable")])
    x, y = (_standardised(shared.score(name)) for name in (a, b))
    if x is None or y is None:
        return replace(result, n=len(shared), reason="all scores are equal")
    z = shared.judgement
    if level is Level.ANSWER:
        differences, n = _answers(coefficient, x, y, z), len(shared)
    elif level is Level.SYSTEM:
        differences, n = _systems(coefficient, x, y, z, shared.system), len(shared.systems)
    else:
        layout = rows_by_question(shared, np.arange(len(shared)))
        differences, n = _inputs(coefficient, x, y, z, layout), len(shared.questions)
    result = replace(result, n=n)
    observed = float(differences(np.zeros((1, len(shared)), dtype=np.uint8))[0])
    if np.isnan(observed):
        return replace(result, reason="no coefficient: too few pairs, or all scores or judgements are equal")
    permuted = np.concatenate([differences(swaps) for swaps in _swaps(shared, test, draws, rng)])
    defined = permuted[~np.isnan(permuted)]
    return replace(
        result,
        difference=observed,
        p=permutation_p(defined, observed, alternative, tie=HALF_A_HIT),
        undefined=draws - len(defined),
    )
