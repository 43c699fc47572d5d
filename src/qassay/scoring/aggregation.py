"""Running totals of statistics, in constant memory, from which aggregates and their intervals come."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.features.resources import Resources
from qassay.records import read_field, without_fields
from qassay.scoring.table import Aggregate, Signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.metrics.base import Metric
    from qassay.records import Example

_ROUNDING = 1e-12
"""Scores closer than this are the same, summed up in another order."""
DRAWS = 1000
CONFIDENCE = 0.95
GROUPS = 4096
"""Up to this many answers a system is resampled answer by answer; beyond, in this many groups of answers."""
BINS = 20
_HASH_RANGE = 1 << 128
_DRAWS_AT_ONCE = 100


@dataclass(slots=True)
class ScoredBatch:
    """What the metrics made of some examples."""

    examples: Sequence[Example]
    stats: dict[str, Floats]
    scores: dict[str, Floats]
    unscored: dict[str, dict[int, str]]
    notes: Counter[str] = field(default_factory=Counter)
    used_up: frozenset[str] = frozenset()
    """Fields of the input that were read and are not written back, although they are not among an example's own."""

    def rows(self) -> Iterator[tuple[Example, dict[str, float | None], dict[str, str]]]:
        """Return each example as it is written back, with its scores and the reasons for missing ones."""
        columns = [values.tolist() for values in self.scores.values()]
        for i, (example, *values) in enumerate(zip(self.examples, *columns, strict=True)):
            # Only NaN differs from itself.
            scores = {spec: value if value == value else None for spec, value in zip(self.scores, values, strict=True)}  # noqa: PLR0124
            reasons = {spec: why[i] for spec, why in self.unscored.items() if i in why}
            yield without_fields(example, self.used_up), scores, reasons


class _SystemState(msgspec.Struct):
    examples: int
    data: dict[str, str]
    sums: dict[str, tuple[int, bytes]]
    scored: dict[str, int]
    histograms: dict[str, list[int]]
    reasons: dict[str, dict[str, int]]


class _TallyState(msgspec.Struct):
    systems: dict[str, _SystemState]
    notes: dict[str, int]


class SystemTally:
    """One system's statistics under every metric, in constant memory."""

    def __init__(self) -> None:
        self.examples = 0
        self.data: Counter[frozenset[str]] = Counter()
        """By the fields that metrics read, the sum of the answers' hashes."""
        self.sums: dict[str, Floats] = {}
        self.scored: Counter[str] = Counter()
        self.histograms: dict[str, Ints] = {}
        self.reasons: dict[str, Counter[str]] = {}

    def add(self, metrics: Sequence[Metric], batch: ScoredBatch, rows: Ints) -> None:
        """Take in the rows of a batch that belong to this system."""
        before, self.examples = self.examples, self.examples + len(rows)
        group = np.arange(before, self.examples)
        if self.examples > GROUPS:
            if before <= GROUPS:
                self._regroup()
            group = _drawn_groups(group)
        for reads in dict.fromkeys(metric.reads for metric in metrics):
            added = sum(_data_hash(batch.examples[i], reads) for i in rows.tolist())
            self.data[reads] = (self.data[reads] + added) % _HASH_RANGE
        for metric in metrics:
            spec = str(metric.spec)
            stats, values = batch.stats[spec][rows], batch.scores[spec][rows]
            sums = self.sums.setdefault(spec, np.zeros((GROUPS, stats.shape[1])))
            np.add.at(sums, group, stats)
            known = values[~np.isnan(values)]
            self.scored[spec] += len(known)
            bins = np.clip(known / metric.declaration.maximum * BINS, 0, BINS - 1).astype(np.int64)
            empty = np.zeros(BINS, np.int64)
            self.histograms[spec] = self.histograms.get(spec, empty) + np.bincount(bins, minlength=BINS)
            wanted = set(rows.tolist())
            found = Counter(reason for i, reason in batch.unscored[spec].items() if i in wanted)
            self.reasons.setdefault(spec, Counter()).update(found)

    def _regroup(self) -> None:
        """Put the answers that had a group each into drawn groups."""
        group = _drawn_groups(np.arange(GROUPS))
        for spec, alone in self.sums.items():
            self.sums[spec] = np.zeros_like(alone)
            np.add.at(self.sums[spec], group, alone)

    def state(self) -> _SystemState:
        """Return everything in a form that can be stored."""
        used = min(self.examples, GROUPS)
        return _SystemState(
            self.examples,
            {" ".join(sorted(reads)): f"{total:x}" for reads, total in self.data.items()},
            {spec: (sums.shape[1], sums[:used].tobytes()) for spec, sums in self.sums.items()},
            dict(self.scored),
            {spec: counts.tolist() for spec, counts in self.histograms.items()},
            {spec: dict(reasons) for spec, reasons in self.reasons.items()},
        )

    @classmethod
    def restored(cls, state: _SystemState) -> SystemTally:
        """Take up what `state` gave."""
        tally = cls()
        tally.examples = state.examples
        tally.data.update({frozenset(names.split()): int(total, 16) for names, total in state.data.items()})
        for spec, (width, stored) in state.sums.items():
            rows = np.frombuffer(stored, np.float64).reshape(-1, width)
            tally.sums[spec] = np.zeros((GROUPS, width))
            tally.sums[spec][: len(rows)] = rows
        tally.scored = Counter(state.scored)
        tally.histograms = {spec: np.array(counts, np.int64) for spec, counts in state.histograms.items()}
        tally.reasons = {spec: Counter(reasons) for spec, reasons in state.reasons.items()}
        return tally


class Tally:
    """Running totals of all systems. Tallies of shards add up to the tally of the whole."""

    def __init__(self, metrics: Sequence[Metric], resources: Resources | None = None) -> None:
        self.metrics = metrics
        self.resources = resources or Resources()
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
        """Return every system's score under every metric, with a percentile bootstrap interval (Efron 1979)."""
        result = []
        for name, tally in self.systems.items():
            counts = min(tally.examples, GROUPS)
            rng = np.random.default_rng(seed)
            samples = self._resample(tally, counts, rng, draws)
            for metric in self.metrics:
                spec = str(metric.spec)
                value = float(metric.finish(tally.sums[spec].sum(0)))
                low, high = _interval(samples[spec], confidence, value)
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
        """Return what a system's aggregate depends on."""
        identity = {"lang": self.resources.language, **metric.identity(self.resources)}
        if "tok" in metric.params:
            identity["tok"] = metric.tok
        grouped = GROUPS if tally.examples > GROUPS else None
        data = f"{tally.data[metric.reads]:032x}"[:12]
        return Signature(str(metric.spec), tuple(sorted(identity.items())), data, grouped)

    def state(self) -> bytes:
        """Return everything, so that `restore` can carry on in another process."""
        systems = {name: tally.state() for name, tally in self.systems.items()}
        return msgspec.msgpack.encode(_TallyState(systems, dict(self.notes)))

    def restore(self, state: bytes) -> None:
        """Take up what `state` gave."""
        try:
            stored = msgspec.msgpack.decode(state, type=_TallyState)
        except msgspec.MsgspecError as problem:
            raise DataError(
                "the unfinished run was begun by another version; run again without --resume to begin anew"
            ) from problem
        self.systems = {name: SystemTally.restored(system) for name, system in stored.systems.items()}
        self.notes = Counter(stored.notes)

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


def _drawn_groups(numbers: Ints) -> Ints:
    """Draw a group for each answer from its number in the file.

    A drawn group makes no order of the file (sorted, or taking turns between kinds of questions) narrow or widen
    the interval, as groups in turn would. The draw is splitmix64's mixing of the number.
    """
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(GROUPS)).astype(np.int64)


def _interval(samples: Floats, confidence: float, value: float) -> tuple[float | None, float | None]:
    """Return the percentiles; where the score lies beside them by rounding alone, they reach it."""
    known = samples[~np.isnan(samples)]
    if not len(known):
        return None, None
    tail = 50 * (1 - confidence)
    low, high = np.percentile(known, [tail, 100 - tail])
    if low - _ROUNDING < value < high + _ROUNDING:
        low, high = min(low, value), max(high, value)
    return float(low), float(high)


def _data_hash(example: Example, reads: frozenset[str]) -> int:
    """Identify what a metric reads of an answer besides the answer itself."""
    parts = [example.question, *(f"{each.text}\x1f{each.opinion or ''}" for each in example.references)]
    parts += [f"{name}\x1f{value!r}" for name in sorted(reads) if (value := read_field(example, name))]
    return int.from_bytes(blake2b("\x1e".join(parts).encode(errors="surrogatepass"), digest_size=16).digest())
