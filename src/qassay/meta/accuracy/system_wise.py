"""Systems under the judge and under people's labels: P@1, MAP, MRR, and how close the two are (Vu 2021)."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.accuracy.classification import rate_threshold
from qassay.meta.ranking.rankings import SystemAgreement, rank_candidates, system_agreement
from qassay.meta.statistics.panel import finite_or_missing

Values = tuple[float | None, ...]


class Measure(StrEnum):
    """What is measured of a system."""

    P_AT_1 = "P@1"
    """Share of questions whose first answer is right: the accuracy, where there is one answer per question."""
    MAP = "MAP"
    MRR = "MRR"


@dataclass(frozen=True, slots=True)
class SystemWise:
    """Each system's measures under the judge and under the labels, and their agreement over the systems."""

    systems: tuple[str, ...]
    threshold: float
    """The judge counts answers with at least this score as right."""
    by_judge: Mapping[Measure, Values]
    true: Mapping[Measure, Values]
    agreement: Mapping[Measure, SystemAgreement]
    questions: int
    left_out: int
    """Questions with several answers that are all right or all wrong, on which all rankings are equal."""
    missing: int
    """Answers without a score or a label."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `accuracy --json` prints them."""
        return {
            "threshold": self.threshold,
            "questions": self.questions,
            "left_out": self.left_out,
            "missing": self.missing,
            "systems": [
                {
                    "system": name,
                    "judge": {str(measure): values[at] for measure, values in self.by_judge.items()},
                    "true": {str(measure): values[at] for measure, values in self.true.items()},
                }
                for at, name in enumerate(self.systems)
            ],
            "agreement": [
                {
                    "measure": str(measure),
                    "rmse": each.rmse,
                    "rmse_sd": each.sigma,
                    "kendall": each.kendall,
                    "kendall_p": each.kendall_p,
                }
                for measure, each in self.agreement.items()
            ],
        }


@dataclass(frozen=True, slots=True, eq=False)
class RankedAnswers:
    """Answers in rows: system, question, the system's ranking, the judge's scores and the labels."""

    system: tuple[str, ...]
    question: tuple[Hashable, ...]
    ranking: Floats
    """The system's own score of the answer, the best one highest."""
    judge_scores: Floats
    """The judge's score; NaN where there is none."""
    correct: Floats
    """1 for right and 0 for wrong; NaN where there is no label."""

    @classmethod
    def build(
        cls,
        system: Sequence[str],
        question: Sequence[Hashable],
        ranking: ArrayLike | None,
        judge_scores: ArrayLike,
        correct: ArrayLike,
    ) -> "RankedAnswers":
        """Check columns of equal length; `ranking` may be left out where every question has one answer of a system."""
        scores, labels = finite_or_missing(judge_scores, "the judge's scores"), finite_or_missing(correct, "labels")
        ranks = np.zeros(len(scores)) if ranking is None else finite_or_missing(ranking, "ranking")
        if len({len(system), len(question), len(ranks), len(scores), len(labels)}) > 1:
            raise DataError("give a system, a question, a rank, a score and a label for every answer")
        if np.isnan(ranks).any():
            raise DataError(
                f"{int(np.isnan(ranks).sum())} answers have no rank; give one for every answer, or for none"
            )
        answers = cls(tuple(system), tuple(question), ranks, scores, labels)
        if ranking is None and len(np.unique(answers.groups)) < len(scores):
            raise DataError("some questions have several answers of one system; give the rank of every answer")
        return answers

    @property
    def groups(self) -> Ints:
        """Number the pairs of system and question in the order in which they come."""
        numbers: dict[tuple[str, Hashable], int] = {}
        pairs = zip(self.system, self.question, strict=True)
        return np.fromiter((numbers.setdefault(pair, len(numbers)) for pair in pairs), np.int64, len(self.system))

    @property
    def first(self) -> Bools:
        """Which answers a system ranks first for their question; the earlier of two that tie."""
        groups = self.groups
        order = np.lexsort((-self.ranking, groups))
        best = np.zeros(len(groups), dtype=bool)
        best[order[np.diff(groups[order], prepend=-1) > 0]] = True
        return best


def tune_threshold(answers: RankedAnswers) -> float:
    """Choose the threshold at which the judge's P@1 of the systems is closest to the true one, on a development set.

    Closest in root mean squared error over the systems (Vu and Moschitti 2021, section 6.4).
    """
    first = answers.first
    names = [name for name, top in zip(answers.system, first, strict=True) if top]
    return rate_threshold(answers.judge_scores[first], answers.correct[first], names)


def evaluate_systems(answers: RankedAnswers, threshold: float) -> SystemWise:
    """Measure every system with the judge's verdicts and with the labels, and compare (Vu 2021, Tables 5 to 7).

    Only answers with both a score and a label count. Where questions have several answers, those that are all right
    or all wrong are left out, as the paper does; a question in which the judge sees nothing right counts 0.
    """
    present = ~(np.isnan(answers.judge_scores) | np.isnan(answers.correct))
    if not present.any():
        raise DataError("no answer has both a score and a label; systems cannot be compared with people")
    usable, questions, left_out = _informative(answers, present)
    names = tuple(dict.fromkeys(answers.system))
    system = np.array([names.index(each) for each in answers.system])
    verdicts = (answers.judge_scores >= threshold).astype(np.float64)
    by_judge: dict[Measure, list[float | None]] = {measure: [] for measure in Measure}
    true: dict[Measure, list[float | None]] = {measure: [] for measure in Measure}
    for code in range(len(names)):
        rows = np.flatnonzero(usable & (system == code))
        question_of_row = [answers.question[row] for row in rows]
        for labels, measured in ((verdicts, by_judge), (answers.correct, true)):
            quality = rank_candidates(question_of_row, answers.ranking[rows], labels[rows], keep_without_correct=True)
            for measure, value in zip(Measure, (quality.p_at_1, quality.map, quality.mrr), strict=True):
                measured[measure].append(value)
    return SystemWise(
        names,
        threshold,
        {measure: tuple(values) for measure, values in by_judge.items()},
        {measure: tuple(values) for measure, values in true.items()},
        {measure: system_agreement(_numbers(by_judge[measure]), _numbers(true[measure])) for measure in Measure},
        questions,
        left_out,
        int((~present).sum()),
    )


def _informative(answers: RankedAnswers, present: Bools) -> tuple[Bools, int, int]:
    """Keep the questions whose answers differ, unless every question has one answer of each system."""
    numbers: dict[Hashable, int] = {}
    question = np.fromiter((numbers.setdefault(each, len(numbers)) for each in answers.question), np.int64)
    several = np.bincount(answers.groups[present]).max() > 1
    right = np.bincount(question[present], answers.correct[present], len(numbers))
    seen = np.bincount(question[present], minlength=len(numbers))
    counted = (right > 0) & (right < seen) if several else seen > 0
    return present & counted[question], int(counted.sum()), int((seen > 0).sum() - counted.sum())


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values])
