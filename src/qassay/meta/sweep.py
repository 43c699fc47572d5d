"""How agreement with people changes with a metric's parameter (seed 001, Figures 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import SpecError
from qassay.features import Batch
from qassay.meta.correlation import correlate
from qassay.metrics.catalogue import CATALOGUE, create, parse_spec
from qassay.scoring import BATCH, Scorer, batches
from qassay.spec import with_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.evaluation import Evidence, Options
    from qassay.meta.weighted import Coefficient
    from qassay.spec import MetricSpec

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
        if not equals or not param or span.count(":") not in {1, 2} or step <= 0 or high < low:
            raise SpecError(f'--sweep "{text}" is not of the form KEY=LOW:HIGH:STEP, as in yesno=0:4:0.5')
        steps = int(np.floor((high - low) / step + 1e-9)) + 1
        if steps > _MOST_STEPS:
            raise SpecError(f"--sweep {text} has {steps} values; at most {_MOST_STEPS} are drawn, give a wider step")
        return cls(param, tuple(float(low + step * i) for i in range(steps)))

    def specs(self, spec: MetricSpec) -> list[MetricSpec]:
        """Give the metric at every value; the catalogue checks that it takes them."""
        declaration = CATALOGUE[spec.name].declaration
        param = declaration.param(self.param)
        if param is None or isinstance(param.default, str | bool):
            numbers = [each.name for each in declaration.params if not isinstance(each.default, str | bool)]
            raise SpecError(f"{spec.name} has no number {self.param} to sweep; it has {', '.join(numbers) or 'none'}")
        return [
            with_options(spec, {self.param: param.read(f"{value:.12g}", spec.name)}, declaration)
            for value in self.values
        ]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The agreement at one value of the parameter."""

    metric: str
    param: str
    value: float
    by: str | None
    coefficient: Coefficient
    correlation: float | None
    n: int


def sweep(
    evidence: Evidence, specs: Sequence[str | MetricSpec], wanted: Sweep, options: Options, by: str | None = None
) -> list[SweepPoint]:
    """Score again at every value, on tokens that are cut once, and correlate each time."""
    bases = [parse_spec(spec) for spec in specs]
    variants = {base: wanted.specs(base) for base in bases}
    scorer = Scorer([each for group in variants.values() for each in group])
    scorer.count(evidence.examples)
    ready = [Batch(chunk, scorer.resources) for chunk in batches(evidence.examples, BATCH)]
    points = []
    for base, group in variants.items():
        for value, spec in zip(wanted.values, group, strict=True):
            metric = create(spec)
            scores = np.concatenate([metric.finish(metric.stats(batch)) for batch in ready])
            for label, panel in evidence.parts(by).items():
                rows = _rows(evidence, by, label)
                trial = type(panel).build(
                    panel.judgement,
                    {str(spec): scores[rows]},
                    [panel.systems[i] for i in panel.system],
                    [panel.questions[i] for i in panel.question],
                )
                found = correlate(
                    trial,
                    options.level,
                    options.coefficients,
                    rng=np.random.default_rng(options.seed),
                    size=options.size,
                    times=options.times,
                )
                points += [
                    SweepPoint(str(base), wanted.param, value, label, each.coefficient, each.value, each.n)
                    for each in found
                ]
    return points


def _rows(evidence: Evidence, by: str | None, label: str | None) -> list[int]:
    if by is None or label is None:
        return list(range(len(evidence.panel)))
    return [i for i, value in enumerate(evidence.fields[by]) if value == label]
