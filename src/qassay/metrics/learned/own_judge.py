"""Registered judges: any object that returns probabilities of being right, as a metric."""

from __future__ import annotations

from functools import lru_cache
from inspect import isclass, isroutine
from typing import TYPE_CHECKING, Protocol

import numpy as np

from qassay.errors import ModelError, QassayError
from qassay.metrics.breakdown import ScoreBreakdown
from qassay.metrics.learned.base import REFERENCES, LearnedMetric
from qassay.models.onnx.judge import JudgeInput
from qassay.plugins import FAILURES, failure
from qassay.spec import Declaration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.resources import Resources
    from qassay.spec import MetricSpec


class AnswerJudge(Protocol):
    """What a factory given to `qassay.register_judge` returns.

    It may have a `fingerprint`, a text that says which judge it is: signatures carry it.
    """

    def judge(self, answers: Sequence[JudgeInput]) -> Sequence[float | None]:
        """Return for each (question, reference, candidate, context) how likely the candidate is right, from 0 to 1.

        Question and context are empty where there is none. None, or NaN, leaves an answer unscored.
        """


class JudgeMetric(LearnedMetric):
    """The probability that an answer is right, by a registered judge; the best reference counts, or the mean.

    Identical texts are right and a blank answer is wrong, whatever the judge says.
    """

    def __init__(self, spec: MetricSpec, declaration: Declaration, factory: Callable[[], AnswerJudge]) -> None:
        super().__init__(spec, declaration)
        self._factory = factory

    @property
    def judge(self) -> AnswerJudge:
        """The judge, made when it is first needed."""
        return _made(self.spec.name, self._factory)

    @property
    def runs_model(self) -> bool:
        """A judge may take its time."""
        return True

    @property
    def rules(self) -> tuple[str, ...]:
        """No rule changes what a judge of one's own reads."""
        return ()

    @property
    def reads(self) -> frozenset[str]:
        """Add the context."""
        return super().reads | {"context"}

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add the judge's fingerprint, if it has one."""
        fingerprint = getattr(self.judge, "fingerprint", None)
        return {**super().identity(resources), **({"model": str(fingerprint)} if fingerprint else {})}

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Nothing is known of how the judge decides, and asking it again may cost."""
        return [ScoreBreakdown()] * len(batch)

    def pair_probabilities(self, batch: Batch, pairs: Pairs) -> Floats:
        """Return the judge's probabilities; each distinct pair is judged once."""
        candidates = [batch.texts[row] for row in batch.candidate[pairs.example]]
        references = [batch.texts[row] for row in batch.reference[pairs.reference]]
        examples = [batch.examples[i] for i in pairs.example]
        wanted = [
            JudgeInput(example.question, reference, candidate, example.context or "")
            for example, reference, candidate in zip(examples, references, candidates, strict=True)
        ]
        distinct = list(dict.fromkeys(wanted))
        known = dict(zip(distinct, self._judged(distinct), strict=True)) if distinct else {}
        return np.array([known[pair] for pair in wanted], np.float64)

    def _judged(self, answers: Sequence[JudgeInput]) -> list[float]:
        judge = self.judge
        try:
            given = list(judge.judge(answers))
        except QassayError:
            raise
        except FAILURES as problem:
            raise failure("judge", self.spec.name, judge.judge, problem) from problem
        if len(given) != len(answers):
            raise ModelError(
                f'the judge "{self.spec.name}" returned {len(given)} probabilities for {len(answers)} answers; '
                "it must return one per answer"
            )
        return [self._checked(probability) for probability in given]

    def _checked(self, probability: object) -> float:
        if probability is None:
            return float("nan")
        try:
            number = float(probability)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = -1.0
        if number < 0 or number > 1:
            raise ModelError(
                f'the judge "{self.spec.name}" returned {probability!r:.60}; it must return probabilities from 0 to 1, '
                "or None where it cannot tell"
            )
        return number


def declare_judge(name: str, factory: object) -> Declaration:
    """Return what the catalogue says of a registered judge: the first line of its factory's docstring."""
    described = (factory.__doc__ or "") if isclass(factory) or isroutine(factory) else ""
    summary = described.strip().partition("\n")[0].removesuffix(".")
    return Declaration(
        name, summary or "the probability that an answer is right, by a registered judge", "", (REFERENCES,)
    )


@lru_cache(maxsize=16)
def _made(name: str, factory: Callable[[], AnswerJudge]) -> AnswerJudge:
    try:
        made = factory()
    except QassayError:
        raise
    except FAILURES as problem:
        raise failure("judge", name, factory, problem) from problem
    if not callable(getattr(made, "judge", None)):
        raise ModelError(f'the judge "{name}" is {made!r:.60}, which has no method judge(answers); give it one')
    return made
