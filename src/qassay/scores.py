"""What comes out: scores of answers, aggregates of systems with intervals, and signatures that say what they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from qassay.arrays import Floats, Ints
    from qassay.metrics.base import Metric
    from qassay.records import Example

DRAWS = 1000
CONFIDENCE = 0.95
GROUPS = 4096
"""Up to this many answers a system is resampled answer by answer; beyond, in this many groups of answers."""
_HASH_RANGE = 1 << 128
_BINS = 20
_DRAWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Score:
    """One answer's score, or why there is none."""

    value: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a number depends on. Two numbers can be compared when their signatures are alike."""

    metric: str
    fields: tuple[tuple[str, str], ...]
    data: str
    """Identifies the questions and references, whatever their order; candidates do not enter."""
    groups: int | None = None
    """Set when the interval was resampled in groups of answers."""

    def __str__(self) -> str:
        parts = [self.metric, *(f"{key}:{value}" for key, value in self.fields), f"data:{self.data}"]
        if self.groups:
            parts.append(f"groups:{self.groups}")
        return "|".join([*parts, f"qassay:{__version__}"])

    def alike(self, other: Signature) -> bool:
        """Tell whether the two numbers measure the same thing on the same questions."""
        return (self.metric, self.fields, self.data) == (other.metric, other.fields, other.data)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A system's score under one metric, with a bootstrap interval."""

    system: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    signature: str
    reasons: dict[str, int] = field(default_factory=dict)
    """Why answers are unscored, with counts."""

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as `score --json` prints them; the reasons only where there are any."""
        fields = asdict(self)
        if not self.reasons:
            del fields["reasons"]
        return fields


@dataclass(slots=True)
class ScoredBatch:
    """What the metrics made of some examples."""

    examples: Sequence[Example]
    stats: dict[str, Floats]
    scores: dict[str, Floats]
    unscored: dict[str, dict[int, str]]
    notes: Counter[str] = field(default_factory=Counter)

    def row(self, i: int) -> tuple[dict[str, float | None], dict[str, str]]:
        """Give one example's scores and the reasons for missing ones."""
        scores = {spec: None if np.isnan(values[i]) else float(values[i]) for spec, values in self.scores.items()}
        return scores, {spec: reasons[i] for spec, reasons in self.unscored.items() if i in reasons}


class SystemTally:
    """One system's statistics under every metric, in constant memory."""

    def __init__(self) -> None:
        self.examples = 0
        self.data = 0
        self.sums: dict[str, Floats] = {}
        self.scored: Counter[str] = Counter()
        self.histograms: dict[str, Ints] = {}
        self.reasons: dict[str, Counter[str]] = {}

    def add(self, metrics: Sequence[Metric], batch: ScoredBatch, rows: Ints) -> None:
        """Take in the rows of a batch that belong to this system."""
        group = (self.examples + np.arange(len(rows))) % GROUPS
        self.examples += len(rows)
        self.data = (self.data + sum(_question_hash(batch.examples[i]) for i in rows.tolist())) % _HASH_RANGE
        for metric in metrics:
            spec = str(metric.spec)
            stats, values = batch.stats[spec][rows], batch.scores[spec][rows]
            sums = self.sums.setdefault(spec, np.zeros((GROUPS, stats.shape[1])))
            np.add.at(sums, group, stats)
            known = values[~np.isnan(values)]
            self.scored[spec] += len(known)
            bins = np.clip(known / metric.declaration.maximum * _BINS, 0, _BINS - 1).astype(np.int64)
            empty = np.zeros(_BINS, np.int64)
            self.histograms[spec] = self.histograms.get(spec, empty) + np.bincount(bins, minlength=_BINS)
            wanted = set(rows.tolist())
            found = Counter(reason for i, reason in batch.unscored[spec].items() if i in wanted)
            self.reasons.setdefault(spec, Counter()).update(found)


class Tally:
    """Running totals of all systems. Tallies of shards add up to the tally of the whole."""

    def __init__(self, metrics: Sequence[Metric], language: str = "auto") -> None:
        self.metrics = metrics
        self.language = language
        self.systems: dict[str, SystemTally] = {}
        self.notes: Counter[str] = Counter()

    @property
    def examples(self) -> int:
        """How many examples were taken in."""
        return sum(system.examples for system in self.systems.values())

    def add(self, batch: ScoredBatch) -> None:
        """Take in a batch."""
        self.notes.update(batch.notes)
        names = np.array([example.system for example in batch.examples], dtype=object)
        for name in dict.fromkeys(names.tolist()):
            rows = np.flatnonzero(names == name)
            self.systems.setdefault(name, SystemTally()).add(self.metrics, batch, rows)

    def aggregates(self, seed: int, draws: int = DRAWS, confidence: float = CONFIDENCE) -> list[Aggregate]:
        """Give every system's score under every metric, with a percentile bootstrap interval (Efron 1979)."""
        result = []
        for name, tally in self.systems.items():
            counts = min(tally.examples, GROUPS)
            rng = np.random.default_rng(seed)
            samples = self._resample(tally, counts, rng, draws)
            for metric in self.metrics:
                spec = str(metric.spec)
                low, high = _interval(samples[spec], confidence)
                value = float(metric.finish(tally.sums[spec].sum(0)))
                result.append(
                    Aggregate(
                        system=name,
                        metric=spec,
                        value=None if np.isnan(value) else value,
                        low=low,
                        high=high,
                        n=tally.scored[spec],
                        unscored=tally.examples - tally.scored[spec],
                        signature=str(self.signature(metric, tally)),
                        reasons=dict(tally.reasons[spec]),
                    )
                )
        return result

    def signature(self, metric: Metric, tally: SystemTally) -> Signature:
        """Say what a system's aggregate depends on."""
        identity = {"lang": self.language, **metric.identity}
        if "tok" in metric.params:
            identity["tok"] = metric.tok
        grouped = GROUPS if tally.examples > GROUPS else None
        return Signature(str(metric.spec), tuple(sorted(identity.items())), f"{tally.data:032x}"[:12], grouped)

    def _resample(self, tally: SystemTally, groups: int, rng: np.random.Generator, draws: int) -> dict[str, Floats]:
        """Draw groups with replacement, the same ones for every metric, and finish each draw's sums."""
        samples: dict[str, list[Floats]] = {str(metric.spec): [] for metric in self.metrics}
        for start in range(0, draws, _DRAWS_AT_ONCE):
            size = min(_DRAWS_AT_ONCE, draws - start)
            drawn = rng.integers(groups, size=(size, groups)) + groups * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * groups).reshape(size, groups).astype(np.float64)
            for metric in self.metrics:
                spec = str(metric.spec)
                samples[spec].append(metric.finish(counts @ tally.sums[spec][:groups]))
        return {spec: np.concatenate(parts) for spec, parts in samples.items()}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """All scores of a run in memory: what `qassay.score` returns, for one metric as for ten."""

    examples: tuple[Example, ...]
    scores: Mapping[str, Floats]
    """By canonical spec, one value an example, NaN where unscored."""
    stats: Mapping[str, Floats]
    unscored: Mapping[str, Mapping[int, str]]
    aggregates: tuple[Aggregate, ...]
    notes: Mapping[str, int]
    seed: int

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, spec: str) -> Floats:
        return self.scores[spec]

    def score(self, spec: str, i: int) -> Score:
        """Give one answer's score, or the reason why it has none."""
        value = float(self.scores[spec][i])
        return Score(None, self.unscored[spec].get(i)) if np.isnan(value) else Score(value)

    def aggregate(self, spec: str, system: str | None = None) -> Aggregate:
        """Find a system's aggregate; the system may be left out when there is only one."""
        found = [each for each in self.aggregates if each.metric == spec and system in (None, each.system)]
        if len(found) != 1:
            raise KeyError(
                f"{len(found)} aggregates of {spec}; name one of {sorted({a.system for a in self.aggregates})}"
            )
        return found[0]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give each answer as `score -o` writes it."""
        for i, example in enumerate(self.examples):
            scores = {spec: self.score(spec, i) for spec in self.scores}
            reasons = {spec: score.reason for spec, score in scores.items() if score.reason}
            row = {"id": example.id, "system": example.system}
            values = {"scores": {spec: score.value for spec, score in scores.items()}}
            yield {**row, **values, **({"unscored": reasons} if reasons else {})}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give the aggregates as plain dictionaries."""
        return [aggregate.to_dict() for aggregate in self.aggregates]

    def to_pandas(self) -> pd.DataFrame:
        """Give one row an answer and one column a metric (needs pandas)."""
        import pandas as pd  # noqa: PLC0415 - optional and heavy

        columns = {"id": [e.id for e in self.examples], "system": [e.system for e in self.examples]}
        return pd.DataFrame({**columns, **{spec: np.asarray(values) for spec, values in self.scores.items()}})


def _interval(samples: Floats, confidence: float) -> tuple[float | None, float | None]:
    known = samples[~np.isnan(samples)]
    if not len(known):
        return None, None
    tail = 50 * (1 - confidence)
    low, high = np.percentile(known, [tail, 100 - tail])
    return float(low), float(high)


def _question_hash(example: Example) -> int:
    parts = [example.question, *(f"{each.text}\x1f{each.opinion or ''}" for each in example.references)]
    return int.from_bytes(blake2b("\x1e".join(parts).encode(errors="surrogatepass"), digest_size=16).digest())
