"""Running totals of statistics, in constant memory, from which aggregates and their intervals come."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.features.resources import Resources
from qassay.metrics.registry import provenance
from qassay.scoring.aggregates.attempts import ATTEMPTED, attempt_figures, attempt_quantities, attempt_stats
from qassay.scoring.aggregates.bootstrap import FEWEST, Resampled, bootstrap, interval_of
from qassay.scoring.aggregates.clusters import cluster_of, summed_by_cluster
from qassay.scoring.aggregates.exact_sums import add_exactly, empty_sums, merge_exactly, rounded_sums
from qassay.scoring.checkpoint import AGAIN
from qassay.scoring.example_hashes import systems_of
from qassay.scoring.table import Aggregate, Signature
from qassay.text.text_hash import hash_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats, Ints
    from qassay.metrics.base import Metric
    from qassay.scoring.scored_batch import ScoredBatch
    from qassay.text.text_hash import Hashes

DRAWS = 1000
CONFIDENCE = 0.95
GROUPS = 1024
"""Up to this many answers per system are resampled one by one; beyond, in this many groups of answers."""
BINS = 20
_HASH_RANGE = 1 << 64
_NO_KEYS: NDArray[np.uint64] = np.zeros((0, 2), np.uint64)


class _SystemState(msgspec.Struct):
    examples: int
    data: dict[str, str]
    keys: bytes
    sums: dict[str, tuple[int, bytes]]
    scored: dict[str, int]
    histograms: dict[str, list[int]]
    reasons: dict[str, dict[str, int]]


class _TotalsState(msgspec.Struct):
    systems: dict[str, _SystemState]
    notes: dict[str, int]
    layout: Literal[2]
    """What the bytes mean."""


class SystemTotals:
    """One system's statistics under every metric, in memory that is bounded however many answers there are.

    Up to `GROUPS` answers keep a row each; beyond, answers share rows, chosen by texts and ids, and are summed exactly.
    So neither the order of the file nor how it is cut into batches or shards changes an aggregate. Answers of one
    cluster always share a row.
    """

    def __init__(self, *, clustered: bool = False) -> None:
        self.clustered = clustered
        self.examples = 0
        self.data: Counter[frozenset[str]] = Counter()
        """By the fields that metrics read, the sum of the answers' hashes."""
        self.keys = _NO_KEYS
        """Hashes of each answer's texts, and of its texts and id or of its cluster, while answers share no rows."""
        self.sums: dict[str, Floats] = {}
        """Statistics of each answer, or, where answers share rows, exact sums (`empty_sums`)."""
        self.scored: Counter[str] = Counter()
        self.histograms: dict[str, Ints] = {}
        self.reasons: dict[str, Counter[str]] = {}

    @property
    def grouped(self) -> bool:
        """Whether answers share rows."""
        return self.examples > GROUPS

    def add(self, metrics: Sequence[Metric], batch: ScoredBatch, rows: Ints, clusters: Hashes | None = None) -> None:
        """Add the rows of a batch that belong to this system; `clusters` are hashes of the batch's clusters."""
        hashes = batch.hashes
        units = hashes.answers[rows] if clusters is None else clusters[rows]
        before, self.examples = self.examples, self.examples + len(rows)
        if self.grouped:
            if before <= GROUPS:
                self.sums, self.keys = self._grouped_sums(), _NO_KEYS
            row = _group_of(units)
        else:
            row = np.arange(before, self.examples)
            keys = np.stack([hashes.contents(rows), units], axis=1)
            self.keys = np.concatenate([self.keys, keys])
        for reads in dict.fromkeys(metric.reads for metric in metrics):
            added = int(hashes.data(reads)[rows].sum(dtype=np.uint64))
            self.data[reads] = (self.data[reads] + added) % _HASH_RANGE
        wanted = None if len(rows) == len(batch.examples) else set(rows.tolist())
        for metric in metrics:
            spec = str(metric.spec)
            stats, values = batch.stats[spec][rows], batch.scores[spec][rows]
            self._add_sums(spec, stats, row)
            if spec in batch.answer_notes or _attempts(spec) in self.sums:
                notes = batch.answer_notes.get(spec) or [None] * len(batch.examples)
                noted = [notes[i] for i in rows.tolist()]
                self._add_sums(_attempts(spec), attempt_stats(stats, noted), row)
            known = values[~np.isnan(values)]
            self.scored[spec] += len(known)
            bins = np.clip(known / metric.declaration.maximum * BINS, 0, BINS - 1).astype(np.int64)
            empty = np.zeros(BINS, np.int64)
            self.histograms[spec] = self.histograms.get(spec, empty) + np.bincount(bins, minlength=BINS)
            found = Counter(reason for i, reason in batch.unscored[spec].items() if wanted is None or i in wanted)
            self.reasons.setdefault(spec, Counter()).update(found)

    def _add_sums(self, name: str, stats: Floats, row: Ints) -> None:
        if self.grouped:
            sums = self.sums.setdefault(name, empty_sums(GROUPS, stats.shape[1]))
            add_exactly(sums, row, stats)
            return
        sums = _with_height(self.sums.get(name, np.zeros((0, stats.shape[1]))), self.examples)
        sums[row] = stats
        self.sums[name] = sums

    def merge(self, other: SystemTotals) -> None:
        """Add what another shard found of this system; the other stays as it is."""
        if self.examples + other.examples > GROUPS:
            sums, more = self._grouped_sums(), other._grouped_sums()
            for name, theirs in more.items():
                sums[name] = merge_exactly(sums[name], theirs) if name in sums else theirs.copy()
            self.sums, self.keys = sums, _NO_KEYS
        else:
            for name in dict.fromkeys((*self.sums, *other.sums)):
                self.sums[name] = np.concatenate([self._alone(name, other), other._alone(name, self)])
            self.keys = np.concatenate([self.keys, other.keys])
        self.examples += other.examples
        for reads, added in other.data.items():
            self.data[reads] = (self.data[reads] + added) % _HASH_RANGE
        self.scored.update(other.scored)
        for spec, counts in other.histograms.items():
            self.histograms[spec] = self.histograms.get(spec, np.zeros(BINS, np.int64)) + counts
        for spec, reasons in other.reasons.items():
            self.reasons.setdefault(spec, Counter()).update(reasons)

    def _alone(self, name: str, other: SystemTotals) -> Floats:
        """Return the statistics of each answer; zeros where only the other shard has these statistics."""
        if name in self.sums:
            return self.sums[name][: self.examples]
        return np.zeros((self.examples, other.sums[name].shape[1]))

    def _grouped_sums(self) -> dict[str, Floats]:
        """Return the sums of answers that share rows, also where each has a row of its own."""
        if not len(self.keys):
            return self.sums
        group, found = _group_of(self.keys[:, 1]), {}
        for name, alone in self.sums.items():
            found[name] = empty_sums(GROUPS, alone.shape[1])
            add_exactly(found[name], group, alone[: len(group)])
        return found

    def attempts(self, spec: str) -> Floats | None:
        """Return the statistics of attempted answers to resample; None where the metric does not note attempts."""
        return self.rows(_attempts(spec)) if _attempts(spec) in self.sums else None

    def rows(self, spec: str) -> Floats:
        """Return the statistics to resample: one row per answer, ordered by content, or one per group or cluster."""
        if self.grouped:
            return rounded_sums(self.sums[spec])
        if self.clustered:
            return summed_by_cluster(self.sums[spec][: self.examples], self.keys[:, 1])
        return self.sums[spec][: self.examples][np.lexsort((self.keys[:, 1], self.keys[:, 0]))]

    def units(self, spec: str) -> int:
        """Return how many scored answers, or clusters of them, are independent."""
        if not self.clustered:
            return self.scored[spec]
        return min(self.scored[spec], int((self.rows(spec) != 0).any(axis=1).sum()))

    def state(self) -> _SystemState:
        """Return everything in a form that can be stored."""
        used = min(self.examples, GROUPS)
        return _SystemState(
            self.examples,
            {" ".join(sorted(reads)): f"{total:x}" for reads, total in self.data.items()},
            self.keys.tobytes(),
            {spec: (sums.shape[1], sums[:used].tobytes()) for spec, sums in self.sums.items()},
            dict(self.scored),
            {spec: counts.tolist() for spec, counts in self.histograms.items()},
            {spec: dict(reasons) for spec, reasons in self.reasons.items()},
        )

    @classmethod
    def restored(cls, state: _SystemState, *, clustered: bool = False) -> SystemTotals:
        """Return the system that `state` described."""
        totals = cls(clustered=clustered)
        totals.examples = state.examples
        totals.data.update({frozenset(names.split()): int(total, 16) for names, total in state.data.items()})
        totals.keys = np.frombuffer(state.keys, np.uint64).reshape(-1, 2)
        totals.sums = {
            spec: np.frombuffer(stored, np.float64).reshape(-1, width).copy()
            for spec, (width, stored) in state.sums.items()
        }
        totals.scored = Counter(state.scored)
        totals.histograms = {spec: np.array(counts, np.int64) for spec, counts in state.histograms.items()}
        totals.reasons = {spec: Counter(reasons) for spec, reasons in state.reasons.items()}
        return totals


class Totals:
    """Running totals of all systems. Totals of shards add up to the totals of the whole."""

    def __init__(
        self, metrics: Sequence[Metric], resources: Resources | None = None, cluster: str | None = None
    ) -> None:
        self.metrics = metrics
        self.cluster = cluster
        """What answers are clustered by: `question` or a field; None where each stands alone."""
        self.resources = resources or Resources()
        self.systems: dict[str, SystemTotals] = {}
        self.notes: Counter[str] = Counter()
        self.identities: Mapping[str, Mapping[str, str]] = {}
        """By spec, what its scores depend on, where other processes calculated them and this one has no models."""

    @property
    def examples(self) -> int:
        """How many examples were added."""
        return sum(system.examples for system in self.systems.values())

    def add(self, batch: ScoredBatch) -> None:
        """Add a batch."""
        self.notes.update(batch.notes)
        names = systems_of(batch.examples)
        distinct = list(dict.fromkeys(names))
        found = np.array(names, dtype=object) if len(distinct) > 1 else None
        keys = None if self.cluster is None else hash_texts([cluster_of(each, self.cluster) for each in batch.examples])
        for name in distinct:
            rows = np.arange(len(names)) if found is None else np.flatnonzero(found == name)
            self._system(name).add(self.metrics, batch, rows, keys)

    def merge(self, other: Totals) -> None:
        """Add the totals of another shard; the result does not depend on the order of merging."""
        self.notes.update(other.notes)
        for name, system in other.systems.items():
            self._system(name).merge(system)

    def _system(self, name: str) -> SystemTotals:
        return self.systems.setdefault(name, SystemTotals(clustered=self.cluster is not None))

    def aggregates(self, seed: int, draws: int = DRAWS, confidence: float | None = CONFIDENCE) -> list[Aggregate]:
        """Return every system's score under every metric, with an interval; without a confidence, with none.

        It is a percentile bootstrap (Efron 1979); where answers are too few or all alike for one, see
        `small_sample_interval`.
        """
        result = []
        for name, totals in self.systems.items():
            attempts = {str(metric.spec): totals.attempts(str(metric.spec)) for metric in self.metrics}
            quantities = {str(metric.spec): _resampled(metric, totals) for metric in self.metrics}
            enough: dict[str, Resampled] = {}
            for metric in self.metrics:
                spec = str(metric.spec)
                if totals.units(spec) >= FEWEST:
                    enough[spec] = quantities[spec]
                    enough |= (
                        {} if (tried := attempts[spec]) is None else attempt_quantities(spec, tried, metric.finish)
                    )
            samples = {} if confidence is None else bootstrap(enough, seed, draws)
            for metric in self.metrics:
                spec = str(metric.spec)
                value = quantities[spec].value
                interval = interval_of(metric.declaration, value, totals.units(spec), samples.get(spec), confidence)
                attempted, given_attempted = (
                    (None, None)
                    if (tried := attempts[spec]) is None
                    else attempt_figures(metric, tried, samples, confidence, clustered=totals.clustered)
                )
                result.append(
                    Aggregate(
                        system=name,
                        metric=spec,
                        value=None if np.isnan(value) else value,
                        low=interval.low,
                        high=interval.high,
                        n=totals.scored[spec],
                        unscored=totals.examples - totals.scored[spec],
                        signature=str(self.signature(metric, totals)),
                        reasons=dict(totals.reasons[spec]),
                        interval=interval.method,
                        attempted=attempted,
                        given_attempted=given_attempted,
                        clusters=None if self.cluster is None else totals.units(spec),
                    )
                )
        return result

    def signature(self, metric: Metric, totals: SystemTotals) -> Signature:
        """Return what a system's aggregate depends on."""
        identity = self.identities.get(str(metric.spec)) or signature_fields(metric, self.resources)
        grouped = GROUPS if totals.grouped else None
        data = f"{totals.data[metric.reads]:016x}"[:12]
        return Signature(str(metric.spec), tuple(sorted(identity.items())), data, grouped, self.cluster)

    def state(self) -> bytes:
        """Return everything, so that `restore` can continue in another process."""
        systems = {name: totals.state() for name, totals in self.systems.items()}
        return msgspec.msgpack.encode(_TotalsState(systems, dict(self.notes), 2))

    def restore(self, state: bytes) -> None:
        """Continue from what `state` returned."""
        try:
            stored = msgspec.msgpack.decode(state, type=_TotalsState)
        except msgspec.MsgspecError as problem:
            raise DataError(f"the unfinished run was begun by another version; {AGAIN}") from problem
        clustered = self.cluster is not None
        self.systems = {
            name: SystemTotals.restored(system, clustered=clustered) for name, system in stored.systems.items()
        }
        self.notes = Counter(stored.notes)


def signature_fields(metric: Metric, resources: Resources) -> dict[str, str]:
    """Return what a metric's scores depend on besides its spec and the data; first passes must have run."""
    tok = {"tok": metric.tok} if "tok" in metric.settings else {}
    return {"lang": resources.language, **metric.identity(resources), **provenance(metric.spec.name), **tok}


def _resampled(metric: Metric, totals: SystemTotals) -> Resampled:
    return Resampled(totals.rows(str(metric.spec)), metric.finish)


def _attempts(spec: str) -> str:
    """Return the name of the statistics of a metric's attempted answers."""
    return f"{spec}{ATTEMPTED}"


def _with_height(sums: Floats, height: int) -> Floats:
    """Return the array with room for `height` rows, doubled so that growing costs little."""
    if len(sums) >= height:
        return sums
    grown = np.zeros((min(GROUPS, max(height, 2 * len(sums))), sums.shape[1]))
    grown[: len(sums)] = sums
    return grown


def _group_of(answers: Hashes) -> Ints:
    """Return the shared row of each answer, given their hashes.

    Rows that follow from the answers, not from the order of the file (sorted, or alternating between kinds of
    questions), neither narrow nor widen the interval.
    """
    return (answers % np.uint64(GROUPS)).astype(np.int64)
