"""Attempted answers: their share, and the score of those that are attempted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.metrics.base import mean
from qassay.scoring.aggregates.bootstrap import FEWEST, Resampled, interval_of
from qassay.scoring.table import IntervalFigure
from qassay.spec import Declaration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.metrics.base import Metric
    from qassay.records import AnswerNotes

ATTEMPTED, GIVEN_ATTEMPTED = " attempted", " given attempted"
"""Suffixes of a metric's spec, which has no spaces, for the share of attempted answers and for their score."""
_SHARE = Declaration("attempted", "the share of answers that attempt their question", "", corpus="mean")
_COUNTS = 2


def attempt_stats(stats: Floats, notes: Sequence[AnswerNotes | None]) -> Floats:
    """Return additive statistics: [attempted, noted], and the metric's own where the answer is attempted."""
    noted = np.array([each is not None for each in notes], np.float64)
    attempted = np.array([each is not None and each.attempted for each in notes], np.float64)
    return np.column_stack([attempted, noted, stats * attempted[:, None]])


def attempt_quantities(spec: str, rows: Floats, finish: Callable[[Floats], Floats]) -> dict[str, Resampled]:
    """Return what follows from such statistics of a metric: the share attempted, and the score of these answers."""
    return {
        f"{spec}{ATTEMPTED}": Resampled(rows[:, :_COUNTS], mean),
        f"{spec}{GIVEN_ATTEMPTED}": Resampled(rows[:, _COUNTS:], finish),
    }


def attempt_figures(
    metric: Metric, rows: Floats, samples: Mapping[str, Floats], confidence: float | None, *, clustered: bool = False
) -> tuple[IntervalFigure, IntervalFigure]:
    """Return the share attempted and the score given an attempt, with intervals from bootstrap samples of both.

    Of clustered answers the rows are clusters, which are then what is independent.
    """
    spec, (attempted, noted) = str(metric.spec), rows[:, :_COUNTS].sum(0)
    found = attempt_quantities(spec, rows, metric.finish)
    share, given = (f"{spec}{suffix}" for suffix in (ATTEMPTED, GIVEN_ATTEMPTED))
    units = ((rows[:, :_COUNTS] > 0).sum(0) if clustered else rows[:, :_COUNTS].sum(0)).astype(int).tolist()
    return (
        _figure(_SHARE, found[share].value, (int(noted), units[1]), samples.get(share), confidence),
        _figure(metric.declaration, found[given].value, (int(attempted), units[0]), samples.get(given), confidence),
    )


def _figure(
    declaration: Declaration, value: float, sizes: tuple[int, int], samples: Floats | None, confidence: float | None
) -> IntervalFigure:
    """Return a figure of so many answers, of which so many units are independent."""
    n, units = sizes
    low, high, method = interval_of(declaration, value, units, samples if units >= FEWEST else None, confidence)
    return IntervalFigure(None if np.isnan(value) else value, low, high, n, method)
