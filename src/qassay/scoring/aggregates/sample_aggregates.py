"""Several samples per question as one outcome: their mean, any or all of them right, or what most of them say."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.metrics.base import mean
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.scoring.aggregates.bootstrap import FEWEST, Resampled, bootstrap, interval_of
from qassay.text.normalise import squad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from qassay.arrays import Floats

OUTCOMES = ("mean", "any", "all", "majority")
"""How the samples of a question become one score: their mean, the best (pass@k), the worst, that of the majority."""
_DRAWS = 1000
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class SampleAggregate:
    """A system's score under one metric, with the samples of each question taken as one."""

    system: str
    metric: str
    outcome: str
    """One of `OUTCOMES`."""
    value: float
    low: float | None
    high: float | None
    """Limits over questions: resampled, or Wilson's where questions are few or all alike."""
    questions: int
    samples: float
    """Per question, on average."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `score --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """One of several answers to a question."""

    system: str
    question: str
    candidate: str | None
    scores: dict[str, float | None]


def sample_aggregates(samples: Iterable[Sample], seed: int) -> list[SampleAggregate]:
    """Return what the samples of each question amount to, by system, metric and outcome; empty without any to join.

    The majority is the answer that most samples of a question give, normalised as for exact match: its score is the
    mean of the samples that give it, and among equally frequent answers the first counts.
    """
    grouped: dict[str, dict[str, list[Sample]]] = {}
    for each in samples:
        grouped.setdefault(each.system, {}).setdefault(each.question, []).append(each)
    if all(len(group) == 1 for questions in grouped.values() for group in questions.values()):
        return []
    return [
        aggregate
        for system, questions in grouped.items()
        for metric in dict.fromkeys(spec for group in questions.values() for each in group for spec in each.scores)
        for aggregate in _aggregates(system, metric, list(questions.values()), seed)
    ]


def _aggregates(system: str, metric: str, groups: Sequence[Sequence[Sample]], seed: int) -> list[SampleAggregate]:
    scored = [[each for each in group if each.scores.get(metric) is not None] for group in groups]
    scored = [group for group in scored if group]
    if not scored:
        return []
    values = [np.array([each.scores[metric] for each in group], np.float64) for group in scored]
    outcomes: dict[str, Callable[[int], float]] = {
        "mean": lambda i: float(values[i].mean()),
        "any": lambda i: float(values[i].max()),
        "all": lambda i: float(values[i].min()),
        "majority": lambda i: float(values[i][_majority(scored[i])].mean()),
    }
    per_question = {name: np.array([outcome(i) for i in range(len(scored))]) for name, outcome in outcomes.items()}
    counted = {name: np.stack([each, np.ones(len(each))], axis=1) for name, each in per_question.items()}
    quantities = {name: Resampled(rows, mean) for name, rows in counted.items()}
    drawn: dict[str, Floats] = {}
    if len(scored) >= FEWEST:
        drawn = bootstrap(quantities, seed, _DRAWS)
    size = sum(map(len, scored)) / len(scored)
    return [
        SampleAggregate(
            system, metric, name, float(each.mean()), *_limits(metric, each, drawn.get(name)), len(scored), size
        )
        for name, each in per_question.items()
    ]


def _majority(group: Sequence[Sample]) -> list[int]:
    """Return which samples give the most frequent answer."""
    answers = [squad(each.candidate or "") for each in group]
    most = Counter(answers).most_common(1)[0][0]
    return [i for i, answer in enumerate(answers) if answer == most]


def _limits(metric: str, values: Floats, drawn: Floats | None) -> tuple[float | None, float | None]:
    """Return the interval over questions: resampled, or Wilson's where these are few or all alike."""
    declaration = CATALOGUE[parse_spec(metric).name].declaration
    return interval_of(declaration, float(values.mean()), len(values), drawn, _CONFIDENCE)[:2]
