"""Intervals from resampling: what is drawn again, how often, and how the draws become two limits."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import stats

from qassay.arrays import Bools, Floats
from qassay.meta.correlation.levels import Draws, Level, LevelStatistic, ResamplingUnit
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient
from qassay.threads import default_threads

_ROUNDING = 1e-9
"""Values closer together than this, or this close to 1 or -1, differ by rounding only."""
FEWEST_FOR_INTERVAL = 3
"""Two units have only three different resamples, too few for a spread."""
FEWEST_FOR_TEST = 5
"""Fewer have too few different resamples to be sure of anything: four have 35, and all of them may agree by chance."""


class IntervalMethod(StrEnum):
    """How draws become an interval."""

    PERCENTILE = "percentile"
    """The quantiles of the draws."""
    FISHER = "fisher"
    """tanh(atanh(r) ± t·s), with s the spread of the draws' atanh and t Student's quantile (`fisher_limits`)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits that hold the true value in `confidence` of all samples, and how they were found."""

    low: float
    high: float
    confidence: float
    method: IntervalMethod
    unit: ResamplingUnit
    draws: int
    undefined: int
    """Draws in which the value was undefined, left out of the limits."""


def default_unit(panel: Panel, level: Level) -> ResamplingUnit:
    """Choose what to resample: inputs, because one question's answers depend on each other; at system level systems.

    A system's mean carries the chance of its own answers, so systems drawn again bring that chance with them;
    drawing inputs as well counts it twice, and the intervals then hold the truth in 99-100 % of the cases instead of
    95 (benchmarks/meta_evaluation.py). With fewer than five systems there are too few resamples of systems to say
    anything, so inputs are drawn, for these systems only.
    """
    if level is Level.SYSTEM and len(panel.systems) >= FEWEST_FOR_TEST:
        return ResamplingUnit.SYSTEMS
    return ResamplingUnit.INPUTS


def cannot_resample(panel: Panel, unit: ResamplingUnit, fewest: int) -> str | None:
    """Return why there is no resampling, if so: too few answers, questions or systems to draw from."""
    drawn = {
        ResamplingUnit.ANSWERS: ((len(panel), "answer"),),
        ResamplingUnit.INPUTS: ((len(panel.questions), "question"),),
        ResamplingUnit.SYSTEMS: ((len(panel.systems), "system"),),
        ResamplingUnit.BOTH: ((len(panel.questions), "question"), (len(panel.systems), "system")),
    }[unit]
    count, name = min(drawn)
    return None if count >= fewest else too_few(count, name, fewest)


def too_few(count: int, name: str, fewest: int) -> str:
    """Return the reason that there are too few units to resample."""
    return f"{count} {name}{'' if count == 1 else 's'}; resampling needs at least {fewest}"


def default_method(coefficient: Coefficient, level: Level) -> IntervalMethod:
    """Choose the interval whose coverage is right on simulated data (benchmarks/meta_evaluation.py).

    Percentile intervals of Pearson's r cover about 90 % at 16 pairs and 93 % at 100 where Fisher's z with the
    bootstrap's own standard error covers 94 %; those of the mean of coefficients (input level) cover a little less
    than with Student's quantile; those of the rank coefficients are right as they are.
    """
    fisher = coefficient is Coefficient.PEARSON or level is Level.INPUT
    return IntervalMethod.FISHER if fisher else IntervalMethod.PERCENTILE


def _units(panel: Panel, unit: ResamplingUnit) -> int:
    return {
        ResamplingUnit.ANSWERS: len(panel),
        ResamplingUnit.INPUTS: len(panel.questions),
        ResamplingUnit.SYSTEMS: len(panel.systems),
        ResamplingUnit.BOTH: min(len(panel.questions), len(panel.systems)),
    }[unit]


def fisher_limits(value: float, drawn: Floats, units: int, confidence: float) -> tuple[float, float]:
    """Return tanh(atanh(value) ± t·s), with s the standard deviation of atanh over the draws of so many units.

    A draw at 1 or -1 has an infinite atanh. Where there is one, s is the standard deviation of the draws themselves
    times the slope of atanh at the value, 1 / (1 - value²) (the delta method), and the limits are those or the
    percentiles, whichever lie farther out: the former are too narrow towards the end, the latter away from it.
    """
    if _at_an_end(value):
        return percentile_limits(value, drawn, confidence)
    reached = _at_an_end(drawn).any()
    spread = drawn.std(ddof=1) / (1 - value**2) if reached else np.arctanh(drawn).std(ddof=1)
    reach = spread * stats.t.ppf((1 + confidence) / 2, max(1, units - 2))
    low, high = (float(np.tanh(np.arctanh(value) + step)) for step in (-reach, reach))
    least, most = percentile_limits(value, drawn, confidence) if reached else (value, value)
    return min(low, least), max(high, most)


def percentile_limits(value: float, drawn: Floats, confidence: float) -> tuple[float, float]:
    """Return the quantiles of the draws, moved where they would not hold the value itself."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return min(float(low), value), max(float(high), value)


def _at_an_end(values: Floats | float) -> Bools:
    return np.abs(values) >= 1 - _ROUNDING


def no_interval(drawn: Floats) -> str | None:
    """Return why the values of all draws give no interval, if they do not."""
    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) < len(drawn):
        return "no interval: undefined in most resamples"
    if len(defined) < 2:  # noqa: PLR2004 - a spread needs two
        return "no interval: too few resamples"
    # Perfect ranks stay perfect however they are drawn, which says nothing of how sure they are.
    return "no interval: the same in all resamples" if np.ptp(defined) < _ROUNDING else None


def interval(
    value: float, drawn: Floats, panel: Panel, unit: ResamplingUnit, *, method: IntervalMethod, confidence: float
) -> Interval:
    """Turn the values of all draws into an interval; those that are undefined are left out and counted."""
    defined = drawn[~np.isnan(drawn)]
    if method is IntervalMethod.PERCENTILE:
        low, high = percentile_limits(value, defined, confidence)
    else:
        low, high = fisher_limits(value, defined, _units(panel, unit), confidence)
    return Interval(low, high, confidence, method, unit, len(drawn), len(drawn) - len(defined))


def resample(statistics: Sequence[LevelStatistic], blocks: Iterable[Draws]) -> Floats:
    """Evaluate several statistics on the same resamples: (statistics, draws)."""
    with ThreadPoolExecutor(default_threads()) as pool:
        return np.concatenate([_on_block(statistics, block, pool) for block in blocks], axis=1)


def _on_block(statistics: Sequence[LevelStatistic], block: Draws, pool: ThreadPoolExecutor) -> Floats:
    """Distribute the work over threads; a value depends on its draw alone."""
    values = np.empty((len(statistics), len(block.rows)))

    def whole(row: int) -> None:
        values[row] = statistics[row].resample(block)

    def in_pieces(rows: Sequence[int]) -> None:
        start = 0
        # All see one piece before the next, so that what they share of it is found once.
        for piece in block.pieces():
            part = slice(start, start := start + len(piece.rows))
            for row in rows:
                values[row, part] = statistics[row].resample(piece)

    narrow = [row for row, each in enumerate(statistics) if not each.wide]
    tasks = [pool.submit(in_pieces, narrow)] if narrow else []
    tasks += [pool.submit(whole, row) for row, each in enumerate(statistics) if each.wide]
    for task in tasks:
        task.result()
    return values
