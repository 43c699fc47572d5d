"""How agreement with people changes with a metric's parameter (Yang et al. 2018, Figures 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import SpecError, option
from qassay.features.batch import Batch
from qassay.meta.correlation.evaluation import correlate_part
from qassay.meta.statistics.panel import Panel, Pooling
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.models.base import EMBEDDED
from qassay.scoring.long_texts import TooLongGuard
from qassay.scoring.scorer import BATCH, Scorer, batches
from qassay.spec import with_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.correlation.evaluation import JudgedScores, Options
    from qassay.meta.statistics.weighted import Coefficient
    from qassay.models.base import Device
    from qassay.spec import MetricSpec, Param

_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Sweep:
    """A parameter and the values it is to take: `yesno=0:4:0.5`."""

    param: str
    values: tuple[float, ...]

    @classmethod
    def parse(cls, text: str) -> Sweep:
        """Read KEY=LOW:HIGH[:STEP]; the step is 1 when it is left out, and HIGH is included."""
        param, equals, span = text.partition("=")
        try:
            low, high, step = (float(part) for part in [*span.split(":"), "1"][:3])
        except ValueError:
            low, high, step = 0.0, 0.0, 0.0
        sound = all(map(isfinite, (low, high, step))) and step > 0 and high >= low
        if not equals or not param or span.count(":") not in {1, 2} or not sound:
            raise SpecError(f'{option("sweep")} "{text}" is not of the form KEY=LOW:HIGH:STEP, as in yesno=0:4:0.5')
        steps = int(np.floor((high - low) / step + 1e-9)) + 1
        if steps > _MOST_STEPS:
            raise SpecError(
                f"{option('sweep', text)} has {steps} values; at most {_MOST_STEPS} are drawn, give a wider step"
            )
        return cls(param, tuple(float(f"{low + step * i:.12g}") for i in range(steps)))

    def fits(self, spec: str | MetricSpec) -> bool:
        """Whether the metric has the parameter and it is a number."""
        return self._number_of(parse_spec(spec)) is not None

    def variants(self, specs: Sequence[str | MetricSpec]) -> dict[MetricSpec, list[MetricSpec]]:
        """Return each metric, the parameter at its default, with what it becomes at every value.

        The catalogue checks that the metrics take these values; those without the parameter are a `SpecError`.
        """
        parsed = [parse_spec(spec) for spec in specs]
        lacking = [spec for spec in parsed if self._number_of(spec) is None]
        if lacking:
            raise SpecError(
                "; ".join(self._lacks(spec) for spec in lacking) + f'; leave them out to sweep "{self.param}"'
            )
        found: dict[MetricSpec, list[MetricSpec]] = {}
        for spec in parsed:
            param, declaration = self._number_of(spec), CATALOGUE[spec.name].declaration
            if param is not None:
                base = with_options(spec, {self.param: param.default_for(spec.weights)}, declaration)
                read = (param.read(f"{value:.12g}", spec.name) for value in self.values)
                found[base] = [with_options(spec, {self.param: value}, declaration) for value in read]
        return found

    def _number_of(self, spec: MetricSpec) -> Param | None:
        param = CATALOGUE[spec.name].declaration.param(self.param)
        return None if param is None or isinstance(param.default, str | bool) else param

    def _lacks(self, spec: MetricSpec) -> str:
        params = CATALOGUE[spec.name].declaration.params
        numbers = [each.name for each in params if not isinstance(each.default, str | bool)]
        return f'{spec.name} has no number "{self.param}" (it has {", ".join(numbers) or "none"})'


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The agreement at one value of the parameter."""

    metric: str
    """The metric with the parameter left out."""
    param: str
    value: float
    by: str | None
    coefficient: Coefficient
    correlation: float | None
    n: int
    reason: str | None = None


def sweep(
    evidence: JudgedScores,
    specs: Sequence[str | MetricSpec],
    wanted: Sweep,
    options: Options,
    by: str | None = None,
    *,
    language: str = "auto",
    model: str = EMBEDDED,
    device: Device = "auto",
) -> list[SweepPoint]:
    """Score again at every value, on tokens that are cut once, and correlate each time."""
    variants = wanted.variants(specs)
    swept = [each for group in variants.values() for each in group]
    scorer = Scorer(swept, language=language, model=model, device=device).need_model()
    scorer.first_pass(evidence.examples)
    trial = _trial(evidence, scorer)
    points = []
    for label, rows in evidence.rows(by).items():
        part = trial if label is None else trial.where(rows)
        found = {(each.metric, each.coefficient): each for each in correlate_part(part, options, label)}
        points += [
            SweepPoint(str(base), wanted.param, value, label, coefficient, each.value, each.n, each.reason)
            for base, group in variants.items()
            for value, spec in zip(wanted.values, group, strict=True)
            for coefficient in options.coefficients
            for each in [found[str(spec), coefficient]]
        ]
    return points


def fitting(evidence: JudgedScores, wanted: Sweep) -> list[str]:
    """Return the metrics that have the parameter, or all if none has, so that the error names them."""
    if not evidence.examples:
        raise SpecError(f"{option('sweep')} scores the answers again; give the answers, not a file of scores")
    specs = list(evidence.panel.scores)
    return [spec for spec in specs if wanted.fits(spec)] or specs


def _trial(evidence: JudgedScores, scorer: Scorer) -> Panel:
    # What is too long for a model has stopped the run already, or been skipped before.
    ready = [TooLongGuard(Batch(chunk, scorer.resources), "skip") for chunk in batches(evidence.examples, BATCH)]
    stats = {
        str(metric.spec): np.concatenate([batch.run(metric.stats)[0] for batch in ready]) for metric in scorer.metrics
    }
    panel = evidence.panel
    return Panel(
        panel.judgement,
        {str(metric.spec): metric.finish(stats[str(metric.spec)]) for metric in scorer.metrics},
        panel.system,
        panel.systems,
        panel.question,
        panel.questions,
        {
            str(metric.spec): Pooling(stats[str(metric.spec)], metric.finish)
            for metric in scorer.metrics
            if metric.declaration.corpus == "pooled"
        },
    )
