"""A score table from stored scores, by which systems can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError
from qassay.meta.accuracy.sampled_judge import corrected_scores
from qassay.meta.comparison.systems import name_systems
from qassay.records import Example
from qassay.scoring.aggregates.aggregation import CONFIDENCE
from qassay.scoring.aggregates.bootstrap import BOOTSTRAP, FEWEST, TOO_FEW, WILSON
from qassay.scoring.aggregates.clusters import cluster_codes, summed_by_cluster
from qassay.scoring.aggregates.intervals import quantile, wilson
from qassay.scoring.table import Aggregate, IntervalFigure, ScoreTable
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Floats, Ints
    from qassay.io.scores.scored_files import ScoredRow
    from qassay.meta.accuracy.sampled_judge import SampledJudge

_DRAWS = 1000
_NAMED = 3
"""Metrics that a message names."""
_LIMITS = (2.5, 97.5)
POOLED_AS_MEAN = "systems compared by the means of the scores in the files, also under metrics that pool counts"
SAMPLED = (
    "answers without its verdict, for which a cheap judge stands: means and tests are corrected by those drawn at "
    "random, wins and losses count the scores as they are"
)
UNCHECKED = "scores without a references_hash, so that it is not known whether systems had the same references"


def table_of_rows(
    files: Iterable[Iterable[ScoredRow]], names: Sequence[str], *, seed: int, cluster: str | None = None
) -> ScoreTable:
    """Return the table of the scores of files; a file whose rows name no system is a system of its name.

    Files hold scores and no counts, so that a system's score is the mean of its answers' scores under every metric.
    Answers that share their `cluster` are resampled together for intervals.
    """
    rows = [list(file) for file in files]
    examples = name_systems(
        [(Path(name).name.split(".")[0], map(example_of_row, file)) for name, file in zip(names, rows, strict=True)]
    )
    flat = [row for file in rows for row in file]
    specs = list(dict.fromkeys(spec for row in flat for spec in row.scores))
    if not specs:
        raise DataError("there is no score in these files; write them with `qassay score -o`")
    scores = {spec: np.array([_number(row.scores.get(spec)) for row in flat]) for spec in specs}
    _check_shared([each.system for each in examples], flat)
    systems = np.array([each.system for each in examples], dtype=object)
    codes = np.arange(len(examples)) if cluster is None else cluster_codes(examples, cluster)
    unscored = {
        spec: {i: row.unscored.get(spec, "no score in the file") for i, row in enumerate(flat) if np.isnan(values[i])}
        for spec, values in scores.items()
    }
    notes = {spec: np.array([row.notes.get(spec) for row in flat], dtype=object) for spec in specs}
    unknown = sum(not row.references_hash for row in flat)
    return ScoreTable(
        examples=tuple(examples),
        scores=scores,
        stats={spec: _counted(values) for spec, values in scores.items()},
        unscored=unscored,
        aggregates=tuple(
            _aggregate(
                system,
                spec,
                scores[spec][systems == system],
                notes[spec][systems == system],
                _Resampling(codes[systems == system], cluster, seed),
            )
            for system in dict.fromkeys(systems.tolist())
            for spec in specs
        ),
        notes={POOLED_AS_MEAN: len(rows), **({UNCHECKED: unknown} if unknown else {})},
        seed=seed,
        references_hashes=tuple(row.references_hash for row in flat),
        stored=frozenset(specs),
        answer_notes={spec: tuple(each.tolist()) for spec, each in notes.items() if any(each)},
    )


def _check_shared(systems: Sequence[str], rows: Sequence[ScoredRow]) -> None:
    """Raise `DataError` where no two systems were scored by the same metric."""
    scored_by: dict[str, set[str]] = {}
    for system, row in zip(systems, rows, strict=True):
        for spec in row.scores:
            scored_by.setdefault(spec, set()).add(system)
    if len(set(systems)) > 1 and all(len(each) == 1 for each in scored_by.values()):
        named = ", ".join(f'"{next(iter(held))}" by {spec}' for spec, held in islice(scored_by.items(), _NAMED))
        raise DataError(f"the systems share no metric: {named}; score all of them with the same ones")


def joined_tables(table: ScoreTable, stored: ScoreTable) -> ScoreTable:
    """Return a table of answers with the stored scores of the same answers, in the same order, added."""
    twice = [spec for spec in stored.scores if spec in table.scores]
    if twice:
        raise DataError(f"{twice[0]} is both a metric of this run and a stored score; leave one of them out")
    systems = dict.fromkeys(each.system for each in table.aggregates)
    return replace(
        table,
        scores={**table.scores, **stored.scores},
        stats={**table.stats, **stored.stats},
        unscored={**table.unscored, **stored.unscored},
        aggregates=tuple(
            each for system in systems for each in (*table.aggregates, *stored.aggregates) if each.system == system
        ),
        stored=table.stored | stored.stored,
        notes={**table.notes, **{note: count for note, count in stored.notes.items() if SAMPLED in note}},
        corrected=table.corrected | stored.corrected,
        answer_notes={**table.answer_notes, **stored.answer_notes},
    )


def example_of_row(row: ScoredRow) -> Example:
    """Return a stored row as an answer, without its texts."""
    return Example(
        row.id,
        row.question,
        (),
        None,
        row.system,
        question_type=row.question_type,
        judgement=row.judgement,
        extra=row.extra,
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _counted(values: Floats) -> Floats:
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _Resampling:
    """What is resampled for intervals."""

    codes: Ints
    """The cluster of each answer."""
    cluster: str | None
    """What answers are clustered by; None where each stands alone."""
    seed: int

    def of(self, rows: Bools) -> _Resampling:
        """Return the resampling of some of the answers."""
        return replace(self, codes=self.codes[rows])

    def mean(self, values: Floats) -> IntervalFigure:
        """Return the mean with a bootstrap interval, where there are enough values or clusters of them for one.

        Shares of answers that are all alike have Wilson's.
        """
        low = high = None
        sums = summed_by_cluster(np.stack([values, np.ones(len(values))], axis=1), self.codes)
        if len(sums) >= FEWEST:
            rng = np.random.default_rng(self.seed)
            size = len(sums)
            drawn = (np.bincount(rng.integers(size, size=size), minlength=size) @ sums for _ in range(_DRAWS))
            low, high = (float(limit) for limit in np.percentile([total / n for total, n in drawn], _LIMITS))
        value = float(values.mean()) if len(values) else None
        if low is not None and high is not None and low == high and 0 <= low <= 1:
            limits = wilson(low, len(sums), quantile(CONFIDENCE))
            return IntervalFigure(value, min(low, limits[0]), max(high, limits[1]), len(values), WILSON)
        return IntervalFigure(value, low, high, len(values), BOOTSTRAP if low is not None else TOO_FEW)


def _aggregate(
    system: str, spec: str, values: Floats, notes: NDArray[np.object_], resampling: _Resampling
) -> Aggregate:
    scored = ~np.isnan(values)
    known = resampling.of(scored)
    found = known.mean(values[scored])
    noted = np.array([each is not None for each in notes], bool)
    attempted = np.array([each is not None and each.attempted for each in notes], bool)
    given = attempted & scored
    by = "" if resampling.cluster is None else f"|cluster:{resampling.cluster}"
    return Aggregate(
        system,
        spec,
        found.value,
        found.low,
        found.high,
        found.n,
        len(values) - found.n,
        f"{spec}|stored scores{by}|qassay:{__version__}",
        interval=found.interval,
        attempted=resampling.of(noted).mean(attempted[noted].astype(np.float64)) if noted.any() else None,
        given_attempted=resampling.of(given).mean(values[given]) if noted.any() else None,
        clusters=None if resampling.cluster is None else len(np.unique(known.codes)),
    )


def correct_sampled(table: ScoreTable, judges: Mapping[str, SampledJudge], cluster: str | None = None) -> ScoreTable:
    """Return the table with the statistics of judges that were asked about some answers only corrected for that.

    An answer's score is the judge's where there is one and the cheap judge's elsewhere; systems are compared by what
    the judge would say of all answers (`corrected_scores`).
    """
    if not judges:
        return table
    systems = [each.system for each in table.examples]
    names = np.asarray(systems, dtype=object)
    codes = np.arange(len(systems)) if cluster is None else cluster_codes(table.examples, cluster)
    values = {spec: corrected_scores(each, systems) for spec, each in judges.items()}
    scores = {spec: each.combined for spec, each in judges.items()}
    aggregates = [
        _aggregate(
            each.system,
            each.metric,
            values[each.metric][of_system],
            np.full(int(of_system.sum()), None),
            _Resampling(codes[of_system], cluster, table.seed),
        )
        if each.metric in judges
        else each
        for each in table.aggregates
        for of_system in [names == each.system]
    ]
    unscored = {
        spec: {row: why for row, why in table.unscored[spec].items() if np.isnan(scores[spec][row])} for spec in judges
    }
    return replace(
        table,
        scores={**table.scores, **scores},
        stats={**table.stats, **{spec: _counted(each) for spec, each in values.items()}},
        unscored={**table.unscored, **unscored},
        aggregates=tuple(aggregates),
        notes={
            **table.notes,
            **{f"{spec}: {SAMPLED}": int(np.isnan(each.costly).sum()) for spec, each in judges.items()},
        },
        corrected=table.corrected | frozenset(judges),
        answer_notes={spec: each for spec, each in table.answer_notes.items() if spec not in judges},
    )
