"""Scores and judgements of the same answers: the data that every meta-evaluation starts from."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.statistics.weighted import rounded_ties

_LARGEST = 1e100
"""Sums of squares of larger numbers leave the range of floating point."""


def finite_or_missing(values: ArrayLike, name: str) -> Floats:
    """Return numbers as an array in which NaN means missing; one that is infinite or beyond 1e100 is a `DataError`."""
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise DataError(f"{name} has {column.ndim} dimensions; give one number per row")
    endless = np.flatnonzero(np.abs(column) > _LARGEST)
    if len(endless):
        what = "infinite" if np.isinf(column[endless]).all() else "infinite or astronomically large"
        raise DataError(
            f"{name} has {len(endless)} {what} values, the first in row {endless[0] + 1}; "
            "give a finite number, or leave it out"
        )
    return column


def _codes(labels: Sequence[Hashable] | None, rows: int, name: str) -> tuple[Ints, tuple[str, ...]]:
    """Number labels in the order in which they first appear."""
    if labels is None:
        return np.zeros(rows, dtype=np.int64), ("",)
    if len(labels) != rows:
        raise DataError(f"{len(labels)} values of {name} for {rows} judgements; give one per row")
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), np.int64, rows)
    return codes, tuple(str(label) for label in numbers)


@dataclass(frozen=True, slots=True)
class Pooling:
    """How a metric scores many answers at once: additive statistics, and the score that follows from their sum."""

    stats: Floats
    """(rows, k); a row that has no score is all zeros."""
    finish: Callable[[Floats], Floats]
    """(m, k) -> (m,)"""

    def of(self, weights: Ints | Floats) -> Floats:
        """Score weighted sums of rows: (draws, rows) -> (draws,)."""
        return self.finish(weights @ self.stats)


def _mean(stats: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(stats[:, 0] / stats[:, 1])


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Answers in rows: system, question, judgement, and the scores of each metric.

    Scores that differ by rounding alone, as two ways to the same F score do, are tied.
    """

    judgement: Floats
    """A person's score; NaN where there is none."""
    scores: Mapping[str, Floats]
    """By metric; NaN where there is none."""
    system: Ints
    systems: tuple[str, ...]
    question: Ints
    questions: tuple[str, ...]
    pooling: Mapping[str, Pooling] = field(default_factory=dict)
    """For the metrics whose score of many answers is not the mean (BLEU)."""

    @classmethod
    def build(
        cls,
        judgement: ArrayLike,
        scores: Mapping[str, ArrayLike],
        system: Sequence[Hashable] | None = None,
        question: Sequence[Hashable] | None = None,
        pooling: Mapping[str, Pooling] | None = None,
    ) -> Self:
        """Check columns of equal length and number the systems and questions in them.

        Without `question` every row is a question of its own; without `system` all rows are one system's.
        """
        judgement_values = finite_or_missing(judgement, "judgement")
        rows = len(judgement_values)
        if not rows:
            raise DataError("no answers; give at least three with a judgement")
        columns = {name: rounded_ties(finite_or_missing(values, name)) for name, values in scores.items()}
        for name, values in columns.items():
            if len(values) != rows:
                raise DataError(f"{len(values)} scores of {name} for {rows} judgements; give one per row")
        system_codes, systems = _codes(system, rows, "system")
        question_codes, questions = _codes(range(rows) if question is None else question, rows, "question")
        return cls(judgement_values, columns, system_codes, systems, question_codes, questions, pooling or {})

    def __len__(self) -> int:
        return len(self.judgement)

    def score(self, metric: str) -> Floats:
        """Return one metric's column."""
        try:
            return self.scores[metric]
        except KeyError:
            known = ", ".join(self.scores) or "none"
            raise DataError(f"no scores of {metric}; there are scores of {known}") from None

    def complete(self, *metrics: str) -> Bools:
        """Return which rows have a judgement and a score of every metric named."""
        present = ~np.isnan(self.judgement)
        for metric in metrics:
            present &= ~np.isnan(self.score(metric))
        return present

    def where(self, rows: Bools | Ints) -> Self:
        """Keep some rows, marked or numbered, with the systems and questions that are left in them."""
        system, systems = _kept(self.system[rows], self.systems)
        question, questions = _kept(self.question[rows], self.questions)
        return type(self)(
            self.judgement[rows],
            {name: values[rows] for name, values in self.scores.items()},
            system,
            systems,
            question,
            questions,
            {name: Pooling(pool.stats[rows], pool.finish) for name, pool in self.pooling.items()},
        )

    def split(self, labels: Sequence[str | None]) -> dict[str, Self]:
        """Divide by a label of the rows (question type, system); rows labelled None are in no part."""
        codes, names = _codes(labels, len(self), "the label to divide by")
        present = {
            name: code
            for code, (name, label) in enumerate(zip(names, dict.fromkeys(labels), strict=True))
            if label is not None
        }
        return {name: self.where(codes == code) for name, code in present.items()}

    def pool(self, metric: str) -> Pooling:
        """Return the way in which a metric's scores of many answers become one: the mean unless it says otherwise."""
        if metric in self.pooling:
            return self.pooling[metric]
        return mean_pooling(self.score(metric))


def mean_pooling(values: Floats) -> Pooling:
    """Average the values that are there."""
    present = ~np.isnan(values)
    return Pooling(np.column_stack([np.where(present, values, 0.0), present]), _mean)


def _kept(codes: Ints, names: tuple[str, ...]) -> tuple[Ints, tuple[str, ...]]:
    left, renumbered = np.unique(codes, return_inverse=True)
    return renumbered.astype(np.int64), tuple(names[code] for code in left)
