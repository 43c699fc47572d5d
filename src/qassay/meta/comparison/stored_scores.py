"""A score table from stored scores, by which systems can be compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError
from qassay.meta.comparison.systems import name_systems
from qassay.records import Example
from qassay.scoring.bootstrap import BOOTSTRAP, FEWEST, TOO_FEW
from qassay.scoring.table import Aggregate, Figure, ScoreTable
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats
    from qassay.io.scored_files import ScoredRow

_DRAWS = 1000
_LIMITS = (2.5, 97.5)
POOLED_AS_MEAN = "systems compared by the means of the scores in the files, also under metrics that pool counts"

UNCHECKED = "scores without a references_hash, so that it is not known whether systems had the same references"


def table_of_rows(files: Iterable[Iterable[ScoredRow]], names: Sequence[str], *, seed: int) -> ScoreTable:
    """Return the table of the scores of files; a file whose rows name no system is a system of its name.

    Files hold scores and no counts, so that a system's score is the mean of its answers' scores under every metric.
    """
    rows = [list(file) for file in files]
    examples = name_systems(
        [(Path(name).name.split(".")[0], map(_example, file)) for name, file in zip(names, rows, strict=True)]
    )
    flat = [row for file in rows for row in file]
    specs = list(dict.fromkeys(spec for row in flat for spec in row.scores))
    if not specs:
        raise DataError("there is no score in these files; write them with `qassay score -o`")
    scores = {spec: np.array([_number(row.scores.get(spec)) for row in flat]) for spec in specs}
    systems = np.array([each.system for each in examples], dtype=object)
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
            _aggregate(system, spec, scores[spec][systems == system], notes[spec][systems == system], seed)
            for system in dict.fromkeys(systems.tolist())
            for spec in specs
        ),
        notes={POOLED_AS_MEAN: len(rows), **({UNCHECKED: unknown} if unknown else {})},
        seed=seed,
        references_hashes=tuple(row.references_hash for row in flat),
        stored=frozenset(specs),
        answer_notes={spec: tuple(each.tolist()) for spec, each in notes.items() if any(each)},
    )


def _example(row: ScoredRow) -> Example:
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


def _aggregate(system: str, spec: str, values: Floats, notes: NDArray[np.object_], seed: int) -> Aggregate:
    known = values[~np.isnan(values)]
    found = _mean(known, seed)
    noted = np.array([each is not None for each in notes], bool)
    attempted = np.array([each is not None and each.attempted for each in notes], bool)
    return Aggregate(
        system,
        spec,
        found.value,
        found.low,
        found.high,
        found.n,
        len(values) - len(known),
        f"{spec}|stored scores|qassay:{__version__}",
        interval=found.interval,
        attempted=_mean(attempted[noted].astype(np.float64), seed) if noted.any() else None,
        given_attempted=_mean(values[attempted & ~np.isnan(values)], seed) if noted.any() else None,
    )


def _mean(values: Floats, seed: int) -> Figure:
    """Return the mean with a bootstrap interval, where there are enough values for one."""
    low = high = None
    if len(values) >= FEWEST:
        rng = np.random.default_rng(seed)
        means = [float(values[rng.integers(len(values), size=len(values))].mean()) for _ in range(_DRAWS)]
        low, high = (float(limit) for limit in np.percentile(means, _LIMITS))
    value = float(values.mean()) if len(values) else None
    return Figure(value, low, high, len(values), BOOTSTRAP if low is not None else TOO_FEW)
