"""Each system's accuracy: by the judge, by a few labels, and by both together."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.accuracy.label_design import design_of_rounds
from qassay.meta.accuracy.label_plan import LabelPlan, halving, plan
from qassay.meta.accuracy.labels import MatchedLabels
from qassay.meta.accuracy.ppi import AccuracyEstimate, Population, judge_accuracy, label_accuracy, ppi_accuracy
from qassay.meta.accuracy.sampled_judge import SampledJudge, sampled_judge_accuracy
from qassay.meta.ranking.rankings import SystemAgreement, system_agreement


@dataclass(frozen=True, slots=True)
class SystemAccuracy:
    """One system's accuracy, with the estimates of the judge alone and of the labels alone."""

    system: str
    best: AccuracyEstimate
    """From judge and labels where there are labels, else from the judge alone."""
    judge: AccuracyEstimate
    labels_only: AccuracyEstimate | None
    """None without labels."""
    unscored: int
    """Answers that the judge has no score for: they count neither as right nor as wrong."""
    true: float | None
    """The share of right answers, where people judged every scored one."""
    plan: LabelPlan | None
    """How many labels the wanted width takes; None where the truth is known."""
    halving: LabelPlan | None
    """Labels that would halve the interval."""
    attempted: AccuracyEstimate | None = None
    """The share of answers that attempt their question, where the judge notes it."""
    given_attempted: AccuracyEstimate | None = None
    """The accuracy of the answers that do, estimated as that of all; None where there is no such answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `accuracy --json` prints them."""
        best = self.best
        row: dict[str, Any] = {
            "system": self.system,
            "estimate": best.estimate,
            "low": best.low,
            "high": best.high,
            "method": str(best.method),
            "labels": best.labels,
            "n": best.n,
            "unscored": self.unscored,
            "power": best.power,
            "judge": _limits(self.judge),
            "labels_only": None if self.labels_only is None else _limits(self.labels_only),
            "halving": None if self.halving is None else _planned(self.halving),
        }
        if self.attempted is not None:
            row["attempted"] = {**_limits(self.attempted), "n": self.attempted.n}
            row["given_attempted"] = None if self.given_attempted is None else _conditional(self.given_attempted)
        if self.plan is not None:
            row["plan"] = _planned(self.plan)
        if self.true is not None:
            row["true"] = self.true
        if best.notes:
            row["notes"] = list(best.notes)
        return row


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """All systems, and how close their estimates come to the truth where that is known."""

    systems: tuple[SystemAccuracy, ...]
    agreement: SystemAgreement | None
    """Over the systems whose true accuracy is known; None without any."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `accuracy --json` prints them."""
        document: dict[str, Any] = {"systems": [each.to_dict() for each in self.systems]}
        if self.agreement is not None:
            document |= {
                "rmse": self.agreement.rmse,
                "rmse_sd": self.agreement.sigma,
                "kendall": self.agreement.kendall,
                "kendall_p": self.agreement.kendall_p,
            }
        return document


@dataclass(frozen=True, slots=True, eq=False)
class JudgedAnswers:
    """Answers in rows, with the judge's scores and people's labels."""

    system: Sequence[str]
    question: Sequence[Hashable]
    """Answers of a system that share a question are not independent."""
    scores: Floats
    """NaN where the judge has none."""
    labels: MatchedLabels | None = None
    true: Floats | None = None
    """People's verdicts on all answers, NaN where there is none."""
    sampled: SampledJudge | None = None
    """Where the judge was asked about some of the answers only; its scores are then combined with a cheap judge's."""
    attempted: Floats | None = None
    """1 for answers that attempt their question, 0 for others, NaN where the judge does not say."""


def estimate_systems(
    answers: JudgedAnswers,
    *,
    confidence: float = 0.95,
    population: Population = Population.ANSWERS,
    width: float | None = None,
) -> AccuracyReport:
    """Estimate every system's accuracy, in the order in which the systems come.

    A system with labels gets the prediction-powered estimate, one without the judge's; `width` asks how many labels
    an interval of that width takes.
    """
    _check_lengths(answers)
    names = np.asarray(answers.system, dtype=object)
    systems = tuple(
        _estimate(name, names == name, answers, confidence=confidence, population=population, width=width)
        for name in dict.fromkeys(answers.system)
    )
    known = [(each.best.estimate, each.true) for each in systems if each.true is not None]
    return AccuracyReport(systems, system_agreement(*zip(*known, strict=True)) if known else None)


def _check_lengths(answers: JudgedAnswers) -> None:
    columns: list[Sequence[object] | Floats] = [answers.system, answers.question, answers.scores]
    columns += [] if answers.labels is None else [answers.labels.value]
    columns += [] if answers.true is None else [answers.true]
    columns += [] if answers.attempted is None else [answers.attempted]
    if len({len(column) for column in columns}) > 1:
        raise DataError("give a system, a question and a score for every answer, and NaN where there is no label")


def _estimate(
    name: str,
    of_system: Bools,
    answers: JudgedAnswers,
    *,
    confidence: float,
    population: Population,
    width: float | None,
) -> SystemAccuracy:
    rows = np.flatnonzero(of_system & ~np.isnan(answers.scores))
    if not len(rows):
        raise DataError(f'no answer of system "{name}" has a score; the judge cannot say anything of it')
    judge, best, alone = _estimates(answers, rows, confidence, population)
    attempted, given_attempted = _attempts(answers, rows, confidence, population)
    truth = None if answers.true is None else answers.true[rows]
    true = None if truth is None or np.isnan(truth).any() else float(truth.mean())
    needless = true is not None and not best.labels
    return SystemAccuracy(
        system=name,
        best=best,
        judge=judge,
        labels_only=alone,
        unscored=int(of_system.sum()) - len(rows),
        true=true,
        plan=None if width is None or needless else plan(best, width),
        halving=halving(best),
        attempted=attempted,
        given_attempted=given_attempted,
    )


def _estimates(
    answers: JudgedAnswers, rows: Ints, confidence: float, population: Population
) -> tuple[AccuracyEstimate, AccuracyEstimate, AccuracyEstimate | None]:
    """Return some answers' accuracy by the judge, the best estimate, and that of the labels alone."""
    scores, questions = answers.scores[rows], [answers.question[row] for row in rows.tolist()]
    judge = (
        judge_accuracy(scores, clusters=questions, confidence=confidence)
        if answers.sampled is None
        else sampled_judge_accuracy(answers.sampled.rows(rows), clusters=questions, confidence=confidence)
    )
    labels = answers.labels
    if labels is None or not labels.labelled[rows].any():
        return judge, judge, None
    values = labels.value[rows]
    design = design_of_rounds(labels.labelled[rows], labels.round[rows], labels.probability[rows], labels.waiting[rows])
    alone = label_accuracy(values, design=design, clusters=questions, confidence=confidence, population=population)
    best = ppi_accuracy(scores, values, design=design, clusters=questions, confidence=confidence, population=population)
    return judge, best, alone


def _attempts(
    answers: JudgedAnswers, rows: Ints, confidence: float, population: Population
) -> tuple[AccuracyEstimate | None, AccuracyEstimate | None]:
    """Return the share of attempted answers and their accuracy, where attempts are noted."""
    if answers.attempted is None or np.isnan(answers.attempted[rows]).all():
        return None, None
    noted = rows[~np.isnan(answers.attempted[rows])]
    questions = [answers.question[row] for row in noted.tolist()]
    share = judge_accuracy(answers.attempted[noted], clusters=questions, confidence=confidence)
    tried = noted[answers.attempted[noted] == 1]
    return share, _estimates(answers, tried, confidence, population)[1] if len(tried) else None


def _limits(estimate: AccuracyEstimate) -> dict[str, float]:
    return {"estimate": estimate.estimate, "low": estimate.low, "high": estimate.high}


def _conditional(estimate: AccuracyEstimate) -> dict[str, Any]:
    return {**_limits(estimate), "method": str(estimate.method), "labels": estimate.labels, "n": estimate.n}


def _planned(planned: LabelPlan) -> dict[str, Any]:
    return {
        "width": planned.width,
        "labels": planned.labels,
        "more": planned.more,
        "without_judge": planned.without_judge,
        "assumed": planned.assumed,
    }
