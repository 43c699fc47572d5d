"""The levels at which a metric can agree with people: answers, systems, questions, and whole test sets."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from scipy import sparse, stats

from qassay.arrays import Floats, Ints
from qassay.errors import DataError, option
from qassay.meta.statistics.coefficients import FEWEST, Estimate, estimate, is_constant, too_few, undefined
from qassay.meta.statistics.panel import Panel, mean_pooling
from qassay.meta.statistics.weighted import Coefficient, JudgedRows, dense, rounded_ties


class Level(StrEnum):
    """What is a pair of numbers to be correlated."""

    ANSWER = "answer"
    """Every answer is one pair."""
    SYSTEM = "system"
    """Every system is one pair: its score over all questions against its mean judgement."""
    INPUT = "input"
    """One coefficient per question over the systems that answered it, averaged over the questions."""
    OVERALL = "overall"
    """Every system on every random draw of questions is one pair (Yang et al. 2018: 30 questions, 100 draws)."""


class ResamplingUnit(StrEnum):
    """What is drawn again in a resample, and so what the interval generalises to."""

    ANSWERS = "answers"
    INPUTS = "inputs"
    SYSTEMS = "systems"
    BOTH = "both"
    """Inputs and systems, each drawn on its own (BOOT-BOTH of Deutsch et al. 2021): cautious, see `default_unit`."""


@dataclass(frozen=True, slots=True)
class Draws:
    """A block of resamples as counts: how often each row, system and question was drawn."""

    rows: Ints
    """(draws, rows): all together."""
    within: Ints
    """(draws, rows): how often a row counts in its system's score."""
    across: Ints
    """(draws, rows): how often a row counts among its question's rows."""
    system: Ints
    """(draws, systems)"""
    question: Ints
    """(draws, questions)"""

    def pieces(self) -> Iterator["Draws"]:
        """Divide into pieces whose arrays stay in the processor's cache and in malloc's free lists."""
        size = max(1, _PIECE // self.rows.shape[1])
        for start in range(0, len(self.rows), size):
            part = slice(start, start + size)
            yield Draws(self.rows[part], self.within[part], self.across[part], self.system[part], self.question[part])


_BLOCK = 4_000_000
"""Weights drawn at a time, which bounds memory."""
_FEWEST_DRAWS = 8
"""Draws in a block however many rows there are: counting pairs costs little more for several draws than for one."""
_PIECE = 40_000
_DRAWN = 80_000


def _counts(units: int, draws: int, rng: np.random.Generator) -> Ints:
    """Count how often each unit is among as many drawn with replacement: (draws, units)."""
    counts = np.empty((draws, units), dtype=np.int64)
    together = max(1, _DRAWN // units)
    ones = np.ones(together * units, dtype=np.int32)
    for start in range(0, draws, together):
        part = counts[start : start + together]
        drawn = rng.integers(0, units, part.shape, dtype=np.int32)
        # A sparse matrix with a one for every unit drawn adds up those in one place, several times as fast as bincount.
        ends = np.arange(0, drawn.size + 1, units)
        part[:] = sparse.csr_array((ones[: drawn.size], drawn.ravel(), ends), part.shape).toarray()
    return counts


def draw(panel: Panel, unit: ResamplingUnit, draws: int, rng: np.random.Generator) -> Iterator[Draws]:
    """Resample with replacement, `draws` times in blocks: answers, or whole questions, systems, or both."""
    block = min(draws, max(_FEWEST_DRAWS, _BLOCK // len(panel)))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        # What is not drawn counts once; a view of one number takes no room.
        system, question = (
            np.broadcast_to(np.int64(1), (size, count)) for count in (len(panel.systems), len(panel.questions))
        )
        if unit is ResamplingUnit.ANSWERS:
            rows = _counts(len(panel), size, rng)
            yield Draws(rows, rows, rows, system, question)
            continue
        if unit in (ResamplingUnit.INPUTS, ResamplingUnit.BOTH):
            question = _counts(question.shape[1], size, rng)
        if unit in (ResamplingUnit.SYSTEMS, ResamplingUnit.BOTH):
            system = _counts(system.shape[1], size, rng)
        within = np.take(question, panel.question, axis=1)
        across = np.take(system, panel.system, axis=1)
        yield Draws(within * across, within, across, system, question)


class LevelStatistic(ABC):
    """One metric's agreement with people at one level, on the data and on resamples of it."""

    n: int
    """How many pairs (or, at input level, questions with a coefficient) the value is based on."""
    undefined = 0
    """How many questions or pairs have none."""
    wide = False
    """Whether it is faster on a whole block of draws than on pieces of it."""

    @abstractmethod
    def estimate(self) -> Estimate:
        """Return the value on the data."""

    @abstractmethod
    def resample(self, draws: Draws) -> Floats:
        """Return the value on each resample; NaN where it is undefined."""


class AnswerLevel(LevelStatistic):
    """Every complete row is a pair."""

    def __init__(self, panel: Panel, metric: str, coefficient: Coefficient, rows: Ints, judged: JudgedRows) -> None:
        self._coefficient, self._judged = coefficient, judged
        self._x, self._y = panel.score(metric)[rows], panel.judgement[rows]
        self.n = len(rows)
        self._kernel = judged.against(coefficient, self._x) if self.n else None
        self.wide = self._kernel is not None and self._kernel.wide

    def estimate(self) -> Estimate:
        """Correlate the pairs."""
        return estimate(self._coefficient, self._x, self._y)

    def resample(self, draws: Draws) -> Floats:
        """Weigh the rows."""
        if self._kernel is None:
            return np.full(len(draws.rows), np.nan)
        return self._kernel(draws.rows)


class _SystemScores:
    """Every system's score and mean judgement under many weightings of the rows, or of the questions."""

    def __init__(self, panel: Panel, metric: str, rows: Ints) -> None:
        self._pools = panel.pool(metric), mean_pooling(panel.judgement)
        by_system = rows[np.argsort(panel.system[rows], kind="stable")]
        sizes = np.bincount(panel.system[rows], minlength=len(panel.systems))
        self._rows = np.split(by_system, np.cumsum(sizes)[:-1])
        self._question = panel.question
        self._questions = len(panel.questions)

    def by_row(self, weights: Ints | Floats) -> tuple[Floats, Floats]:
        """(draws, all rows) -> two of (draws, systems), NaN where a system has no rows."""
        taken = [weights[:, rows].astype(np.float64) for rows in self._rows]
        scores, judgements = (
            np.column_stack([pool.finish(w @ pool.stats[rows]) for w, rows in zip(taken, self._rows, strict=True)])
            for pool in self._pools
        )
        return scores, judgements

    @cached_property
    def _summed(self) -> list[list[Floats]]:
        sums = []
        for pool in self._pools:
            by_system = []
            for rows in self._rows:
                by_question = np.zeros((self._questions, pool.stats.shape[1]))
                np.add.at(by_question, self._question[rows], pool.stats[rows])
                by_system.append(by_question)
            sums.append(by_system)
        return sums

    def by_question(self, weights: Ints) -> tuple[Floats, Floats]:
        """(draws, questions) -> two of (draws, systems), NaN where a system has no rows."""
        scores, judgements = (
            rounded_ties(np.column_stack([pool.finish(weights @ by_question) for by_question in by_system]))
            for pool, by_system in zip(self._pools, self._summed, strict=True)
        )
        return scores, judgements


def system_pairs(panel: Panel, metric: str, rows: Ints) -> tuple[Floats, Floats]:
    """Return every system's score and mean judgement over some rows; NaN for a system without any."""
    (scores,), (judgements,) = _SystemScores(panel, metric, rows).by_row(np.ones((1, len(panel))))
    return scores, judgements


class SystemLevel(LevelStatistic):
    """Every system with a complete row is a pair."""

    def __init__(self, panel: Panel, metric: str, coefficient: Coefficient, rows: Ints) -> None:
        self._coefficient = coefficient
        self._scores = _SystemScores(panel, metric, rows)
        (x,), (y,) = self._scores.by_row(np.ones((1, len(panel))))
        present = ~(np.isnan(x) | np.isnan(y))
        self._x, self._y = x[present], y[present]
        self.n = int(present.sum())
        self.undefined = len(panel.systems) - self.n

    def estimate(self) -> Estimate:
        """Correlate the pairs."""
        if self.n < FEWEST:
            return undefined(too_few(self.n, "system"))
        return estimate(self._coefficient, self._x, self._y)

    def resample(self, draws: Draws) -> Floats:
        """Weigh the rows in each system's score, and the systems."""
        x, y = self._scores.by_row(draws.within)
        absent = np.isnan(x) | np.isnan(y)
        x[absent] = y[absent] = 0
        weights = np.where(absent, 0, draws.system)
        return dense(self._coefficient, x, y, weights[:, None, :])[:, 0]


def rows_by_question(panel: Panel, rows: Ints) -> tuple[Ints, Ints]:
    """Return rows as (questions, most rows of one question), and 1 for places taken, 0 for empty ones."""
    questions = len(panel.questions)
    order = rows[np.argsort(panel.question[rows], kind="stable")]
    question = panel.question[order]
    sizes = np.bincount(question, minlength=questions)
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shape = (questions, max(1, int(sizes.max(initial=0))))
    row = np.zeros(shape, dtype=np.int64)
    row[question, place] = order
    present = np.zeros(shape, dtype=np.int64)
    present[question, place] = 1
    return row, present


class InputLevel(LevelStatistic):
    """Every question with two or more unequal scores and judgements has a coefficient; they are averaged.

    Two systems are enough for one question: its coefficient is then 1 or -1, and the mean says how often the
    metric orders the two as people do.
    """

    def __init__(self, panel: Panel, metric: str, coefficient: Coefficient, rows: Ints) -> None:
        self._coefficient = coefficient
        questions = len(panel.questions)
        self._row, self._present = rows_by_question(panel, rows)
        self._x, self._y = (
            np.where(self._present, values[self._row], 0.0) for values in (panel.score(metric), panel.judgement)
        )
        self._fixed = dense(coefficient, self._x, self._y, self._present[:, None, :])[:, 0]
        self.values = self._fixed[~np.isnan(self._fixed)]
        self.n = len(self.values)
        self.undefined = questions - self.n

    def estimate(self) -> Estimate:
        """Average the questions' coefficients; p is a t test that their mean is 0."""
        if not self.n:
            return undefined("no question has two answers that differ in score and in judgement")
        value = float(self.values.mean())
        if self.n < 2 or is_constant(self.values):  # noqa: PLR2004 - a t test needs two different values
            return Estimate(value, None)
        return Estimate(value, float(stats.ttest_1samp(self.values, 0.0).pvalue))

    def resample(self, draws: Draws) -> Floats:
        """Weigh the systems in each question's coefficient, and the questions in the mean."""
        if (draws.across == 1).all():
            each = np.broadcast_to(self._fixed, (len(draws.rows), len(self._fixed)))
        else:
            weights = np.moveaxis(draws.across[:, self._row], 0, 1) * self._present[:, None, :]
            each = dense(self._coefficient, self._x, self._y, weights).T
        defined = ~np.isnan(each)
        total = (draws.question * defined).sum(axis=1)
        summed = (draws.question * np.where(defined, each, 0.0)).sum(axis=1)
        return np.where(total > 0, summed / np.maximum(total, 1), np.nan)


class OverallLevel(LevelStatistic):
    """Pairs of a system's score and judgement over a random set of questions that all systems share (Yang et al. 2018).

    Draws overlap, so the pairs are not independent and a t test over them would be far too sure: there is no
    p-value here, and the interval resamples questions before it draws from them.
    """

    def __init__(
        self,
        panel: Panel,
        metric: str,
        coefficient: Coefficient,
        rows: Ints,
        *,
        rng: np.random.Generator,
        size: int,
        times: int,
    ) -> None:
        questions = len(panel.questions)
        if not 0 < size <= questions:
            raise DataError(
                f"a draw at level overall takes {size} questions, and there are {questions}; "
                f"give {option('overall_size')}, at most as many as there are"
            )
        self._coefficient, self._rng, self._size, self._times = coefficient, rng, size, times
        self._scores = _SystemScores(panel, metric, rows)
        x, y = self._pairs(np.ones(questions, dtype=np.int64))
        present = ~(np.isnan(x) | np.isnan(y))
        self._x, self._y = x[present], y[present]
        self.n, self.undefined = len(self._x), int((~present).sum())

    def _pairs(self, questions: Ints) -> tuple[Floats, Floats]:
        """Draw sets of questions without replacement, score each system on each: (times · systems,)."""
        counts = self._rng.multivariate_hypergeometric(questions, self._size, self._times, method="count")
        x, y = self._scores.by_question(counts)
        return x.ravel(), y.ravel()

    def estimate(self) -> Estimate:
        """Correlate the pairs, without a p-value."""
        result = estimate(self._coefficient, self._x, self._y)
        return Estimate(result.value, None, result.reason)

    def resample(self, draws: Draws) -> Floats:
        """Draw sets of questions from the questions of each resample."""
        values = np.empty(len(draws.rows))
        for i, (questions, systems) in enumerate(zip(draws.question, draws.system, strict=True)):
            x, y = self._pairs(questions)
            present = ~(np.isnan(x) | np.isnan(y))
            weights = np.where(present, np.tile(systems, self._times), 0)
            kernel = JudgedRows(np.where(present, y, 0.0)).against(self._coefficient, np.where(present, x, 0.0))
            values[i] = kernel(weights[None])[0]
        return values
