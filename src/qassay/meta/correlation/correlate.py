"""How each metric agrees with people: coefficients with p-values and intervals, at every level."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qassay.errors import DataError
from qassay.meta.correlation.levels import (
    AnswerLevel,
    InputLevel,
    Level,
    LevelStatistic,
    OverallLevel,
    ResamplingUnit,
    SystemLevel,
    draw,
)
from qassay.meta.correlation.resampling import (
    FEWEST_FOR_INTERVAL,
    Interval,
    IntervalMethod,
    cannot_resample,
    default_method,
    default_unit,
    interval,
    no_interval,
    resample,
)
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient, JudgedRows


@dataclass(frozen=True, slots=True)
class Correlation:
    """One metric's agreement with people, or the reason why it is undefined."""

    metric: str
    level: Level
    coefficient: Coefficient
    value: float | None
    p: float | None
    """Two-sided, against no association; None at overall level, whose pairs are not independent."""
    n: int
    """How many pairs the value is based on; at input level, questions that have a coefficient."""
    missing: int
    """Answers left out because the score or the judgement is missing."""
    undefined: int
    """Questions (input), systems (system) or pairs (overall) that have no value of their own."""
    reason: str | None
    """Why there is no value, or no interval although draws were requested."""
    interval: Interval | None
    by: str | None = None
    """The part of the data it is about (a question type, a system), None for all."""


def level_statistics(
    panel: Panel,
    metrics: Sequence[str],
    level: Level,
    coefficients: Sequence[Coefficient],
    *,
    together: bool = False,
    rng: np.random.Generator | None = None,
    size: int = 30,
    times: int = 100,
) -> list[tuple[str, Coefficient, int, LevelStatistic]]:
    """Prepare every metric and coefficient at a level: metric, coefficient, answers left out, statistic.

    `together` keeps only the answers that all the metrics scored, so that differences compare like with like.
    The overall level draws `size` questions `times` times with `rng`; all metrics see the same draws.
    """
    judged: dict[bytes, JudgedRows] = {}
    prepared: list[tuple[str, Coefficient, int, LevelStatistic]] = []
    entropy = None if rng is None else rng.integers(2**63, size=4)
    for metric in metrics:
        present = panel.complete(*(metrics if together else (metric,)))
        rows = np.flatnonzero(present)
        for coefficient in coefficients:
            statistic: LevelStatistic
            if level is Level.ANSWER:
                shared = judged.get(key := present.tobytes())
                if shared is None:
                    shared = judged[key] = JudgedRows(panel.judgement[rows], rows, len(panel))
                statistic = AnswerLevel(panel, metric, coefficient, rows, shared)
            elif level is Level.SYSTEM:
                statistic = SystemLevel(panel, metric, coefficient, rows)
            elif level is Level.INPUT:
                statistic = InputLevel(panel, metric, coefficient, rows)
            elif entropy is None:
                raise DataError("the overall level draws questions at random; give a random generator")
            else:
                same = np.random.default_rng(entropy)
                statistic = OverallLevel(panel, metric, coefficient, rows, rng=same, size=size, times=times)
            prepared.append((metric, coefficient, len(panel) - len(rows), statistic))
    return prepared


def correlate(
    panel: Panel,
    level: Level = Level.ANSWER,
    coefficients: Sequence[Coefficient] = tuple(Coefficient),
    metrics: Sequence[str] | None = None,
    *,
    draws: int = 0,
    rng: np.random.Generator | None = None,
    unit: ResamplingUnit | None = None,
    method: IntervalMethod | None = None,
    confidence: float = 0.95,
    size: int = 30,
    times: int = 100,
    by: str | None = None,
) -> list[Correlation]:
    """Correlate every metric with the judgements at one level, with bootstrap intervals where `draws` > 0.

    Missing scores are left out pairwise and counted. A value that does not exist (constant scores, too few pairs)
    is None with a reason. `unit` says what the bootstrap draws again (`default_unit` otherwise), `method` how the
    draws become limits (`default_method`); `size` and `times` are the overall level's questions per draw and draws.
    """
    if draws and rng is None:
        raise DataError("bootstrap intervals need a random generator")
    if level is Level.OVERALL and unit is ResamplingUnit.ANSWERS:
        raise DataError("the overall level draws whole questions; resample inputs, systems or both")
    unit = unit or default_unit(panel, level)
    names = tuple(panel.scores) if metrics is None else metrics
    prepared = level_statistics(panel, names, level, coefficients, rng=rng, size=size, times=times)
    drawn = None
    unsure = cannot_resample(panel, unit, FEWEST_FOR_INTERVAL) if draws else None
    if draws and rng is not None and unsure is None:
        drawn = resample([statistic for *_, statistic in prepared], draw(panel, unit, draws, rng))
    results = []
    for i, (metric, coefficient, missing, statistic) in enumerate(prepared):
        estimate = statistic.estimate()
        limits, reason = None, estimate.reason
        if unsure and estimate.value is not None:
            reason = f"no interval: {unsure}"
        if drawn is not None and estimate.value is not None:
            reason = no_interval(drawn[i])
            if reason is None:
                chosen = method or default_method(coefficient, level)
                limits = interval(estimate.value, drawn[i], panel, unit, method=chosen, confidence=confidence)
        results.append(
            Correlation(
                metric,
                level,
                coefficient,
                estimate.value,
                estimate.p,
                statistic.n,
                missing,
                statistic.undefined,
                reason,
                limits,
                by,
            )
        )
    return results
