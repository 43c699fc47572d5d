"""Correlations with people at every level that the data has, for a report."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from qassay.meta.correlation.evaluation import Options, correlate_part, evidence_of_rows
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.weighted import Coefficient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.io.scores.scored_files import ScoredRow

_FEWEST = 3
"""The fewest judged items, and systems, that are correlated."""
_NAMES = {Level.SYSTEM: "systems", Level.INPUT: "summaries of one input", Level.ANSWER: "all summaries"}


def judgement_means(rows: Sequence[ScoredRow]) -> dict[str, float]:
    """Return the mean judgement of each system that has any."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.judgement is not None:
            found[row.system].append(row.judgement)
    return {system: fmean(values) for system, values in found.items()}


def batched_levels(rows: Sequence[ScoredRow]) -> dict[str, Mapping[str, Mapping[str, float | None]]]:
    """Correlate every metric with the judgements: by level, metric and coefficient; empty where too few are judged."""
    judged_rows = [row for row in rows if row.judgement is not None]
    if len(judged_rows) < _FEWEST:
        return {}
    systems = len({row.system for row in judged_rows})
    panel = evidence_of_rows(judged_rows).panel
    wanted = (Level.SYSTEM, Level.INPUT, Level.ANSWER) if systems >= _FEWEST else (Level.ANSWER,)
    levels: dict[str, Mapping[str, Mapping[str, float | None]]] = {}
    for level in wanted:
        options = Options(level, tuple(Coefficient), DifferenceTest.WILLIAMS, draws=0, seed=0)
        found: dict[str, dict[str, float | None]] = defaultdict(dict)
        for each in correlate_part(panel, options):
            found[each.metric][str(each.coefficient)] = each.value
        levels[_NAMES[level]] = found
    return levels
