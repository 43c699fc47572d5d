"""Scores rescaled by the range that a whole run's scores take (Deutsch and Roth 2022)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qassay.features.batch import Batch
from qassay.features.first_pass import each_readable
from qassay.records import read_field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.errors import TextTooLongError
    from qassay.features.first_pass import FirstPass, PassContext
    from qassay.features.resources import Resources
    from qassay.records import Example
    from qassay.spec import MetricSpec

LOW, HIGH = 2.5, 97.5
"""The percentiles of a run's scores that become 0 and 1."""


def bounds(scores: Floats) -> tuple[float, float]:
    """Return the scores that become 0 and 1: the 2.5th and 97.5th percentiles of a run's."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.percentile(known, [LOW, HIGH])
    return float(low), float(high)


def rescaled(scores: Floats, low: float, high: float) -> Floats:
    """Map a run's scores to 0 to 1, outliers to the ends; where all scores are the same, to 1."""
    if high <= low:
        return np.where(np.isnan(scores), np.nan, 1.0)
    return np.clip((scores - low) / (high - low), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The range of a run's scores, with the scores themselves."""

    bounds: tuple[float, float]
    scores: Mapping[bytes, float]
    """Before rescaling, by what the metric reads of an example."""


@dataclass(frozen=True, slots=True)
class RangePass:
    """The first pass that computes every score of a run to find their range."""

    spec: MetricSpec
    score: Callable[[Batch], Floats] = field(compare=False)
    """Calculates the scores before rescaling."""
    reads: frozenset[str] = field(compare=False)
    label: ClassVar[str] = "measuring the range of scores"
    at_once: ClassVar[int] = 128
    logged: ClassVar[bool] = False

    @property
    def key(self) -> MetricSpec:
        """Every metric has a range of its own."""
        return self.spec

    def joined(self, other: FirstPass[Any]) -> RangePass:  # noqa: ARG002 - the same key is the same metric
        """Return the pass itself."""
        return self

    def identity(self, resources: Resources) -> str:  # noqa: ARG002 - the metric's own signature has its model
        """Return nothing: the range follows from the input and the metric."""
        return ""

    def begin(self, resources: Resources, tools: PassContext) -> RangeCollector:
        """Start with no scores."""
        return RangeCollector(self, resources, tools)

    def scores_of(self, batch: Batch, found: ScoreRange) -> Floats:
        """Return a batch's scores before rescaling, as the first pass calculated them; else calculate them now."""
        keys = [self.example_key(example) for example in batch.examples]
        if all(key in found.scores for key in keys):
            return np.array([found.scores[key] for key in keys], np.float64)
        return self.score(batch)

    def example_key(self, example: Example) -> bytes:
        """Identify what the metric reads of an example."""
        parts = (example.question, example.references, example.candidate)
        read = [read_field(example, name) for name in sorted(self.reads)]
        return blake2b(repr((*parts, *read)).encode(errors="surrogatepass"), digest_size=16).digest()


class RangeCollector:
    """Scores so far. A blank candidate is not compared with anything, and has no part in the range."""

    def __init__(self, need: RangePass, resources: Resources, tools: PassContext) -> None:
        self.notes: Counter[str] = Counter()
        self._need = need
        self._resources = resources
        self._tools = tools
        self._scores: dict[bytes, float] = {}
        self._compared: list[float] = []

    def update(self, examples: Sequence[Example]) -> None:
        """Score some examples."""
        for example, score in zip(examples, each_readable(examples, self._score, self._too_long), strict=True):
            if score is None:
                continue
            self._scores[self._need.example_key(example)] = score
            if example.candidate and example.candidate.strip():
                self._compared.append(score)

    def _score(self, examples: Sequence[Example]) -> list[float | None]:
        batch = Batch(examples, self._resources)
        scores = self._need.score(batch).tolist()
        self.notes.update(batch.notes)
        return list(scores)

    def _too_long(self, example: Example, problem: TextTooLongError) -> None:
        """Return NaN, unless errors end the run."""
        self._tools.too_long(example, problem)

    def finish(self) -> ScoreRange:
        """Return the range."""
        return ScoreRange(bounds(np.array(self._compared, np.float64)), self._scores)
