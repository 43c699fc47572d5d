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
from qassay.metrics.registry import provenance
from qassay.records import read_field, without_fields
from qassay.scoring.attempts import ATTEMPTED, attempt_figures, attempt_quantities, attempt_stats
from qassay.scoring.bootstrap import FEWEST, Resampled, bootstrap, interval_of
from qassay.scoring.checkpoint import AGAIN
from qassay.scoring.table import Aggregate, Signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats, Ints
    from qassay.metrics.base import Metric
    from qassay.records import AnswerNotes, Example

DRAWS = 1000
CONFIDENCE = 0.95
GROUPS = 4096
"""Up to this many answers per system are resampled one by one; beyond, in this many groups of answers."""
BINS = 20
_HASH_RANGE = 1 << 128


@dataclass(slots=True)
class ScoredBatch:
    """Statistics and scores of some examples under every metric."""

    examples: Sequence[Example]
    stats: dict[str, Floats]
    scores: dict[str, Floats]
    unscored: dict[str, dict[int, str]]
    notes: Counter[str] = field(default_factory=Counter)
    consumed_fields: frozenset[str] = frozenset()
    """Fields of the input that were read and are not written back, although they are not among an example's own."""
    answer_notes: dict[str, Sequence[AnswerNotes | None]] = field(default_factory=dict)
    """What metrics noted of each answer, for those that do."""

    def rows(self) -> Iterator[tuple[Example, dict[str, float | None], dict[str, str], dict[str, AnswerNotes]]]:
        """Yield each example as it is written back, with its scores, reasons for missing ones, and notes."""
        columns = [values.tolist() for values in self.scores.values()]
        for i, (example, *values) in enumerate(zip(self.examples, *columns, strict=True)):
            # Only NaN differs from itself.
            scores = {spec: value if value == value else None for spec, value in zip(self.scores, values, strict=True)}  # noqa: PLR0124
            reasons = {spec: why[i] for spec, why in self.unscored.items() if i in why}
            yield without_fields(example, self.consumed_fields), scores, reasons, answer_notes_of(self.answer_notes, i)


def answer_notes_of(notes: Mapping[str, Sequence[AnswerNotes | None]], i: int) -> dict[str, AnswerNotes]:
    """Return what metrics noted of one answer, by spec."""
    return {spec: note for spec, each in notes.items() if (note := each[i]) is not None}


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


class SystemTotals:
    """One system's statistics under every metric, in memory that is bounded however many answers there are.

    Up to `GROUPS` answers keep a row each; beyond, answers share rows, chosen by texts and ids. So neither the order
    of the file nor how it is cut into batches changes an aggregate.
    """

    def __init__(self) -> None:
        self.examples = 0
        self.data: Counter[frozenset[str]] = Counter()
        """By the fields that metrics read, the sum of the answers' hashes."""
        self.keys = np.zeros((0, 2), np.uint64)
        """Hashes of each answer's texts, and of its texts and id, while every answer has a row of its own."""
        self.sums: dict[str, Floats] = {}
        self.scored: Counter[str] = Counter()
        self.histograms: dict[str, Ints] = {}
        self.reasons: dict[str, Counter[str]] = {}

    @property
    def grouped(self) -> bool:
        """Whether answers share rows."""
        return self.examples > GROUPS

    def add(self, metrics: Sequence[Metric], batch: ScoredBatch, rows: Ints) -> None:
        """Add the rows of a batch that belong to this system."""
        examples = [batch.examples[i] for i in rows.tolist()]
        before, self.examples = self.examples, self.examples + len(rows)
        keys = np.array([_keys(example) for example in examples], np.uint64).reshape(-1, 2)
        if self.grouped:
            if before <= GROUPS:
                self._regroup()
            row, height = _group_of(keys), GROUPS
        else:
            row, height = np.arange(before, self.examples), self.examples
            self.keys = np.concatenate([self.keys, keys])
        for reads in dict.fromkeys(metric.reads for metric in metrics):
            added = sum(_data_hash(example, reads) for example in examples)
            self.data[reads] = (self.data[reads] + added) % _HASH_RANGE
        wanted = set(rows.tolist())
        for metric in metrics:
            spec = str(metric.spec)
            stats, values = batch.stats[spec][rows], batch.scores[spec][rows]
            self._add_sums(spec, stats, row, height)
            if spec in batch.answer_notes or _attempts(spec) in self.sums:
                notes = batch.answer_notes.get(spec) or [None] * len(batch.examples)
                noted = [notes[i] for i in rows.tolist()]
                self._add_sums(_attempts(spec), attempt_stats(stats, noted), row, height)
            known = values[~np.isnan(values)]
            self.scored[spec] += len(known)
            bins = np.clip(known / metric.declaration.maximum * BINS, 0, BINS - 1).astype(np.int64)
            empty = np.zeros(BINS, np.int64)
            self.histograms[spec] = self.histograms.get(spec, empty) + np.bincount(bins, minlength=BINS)
            found = Counter(reason for i, reason in batch.unscored[spec].items() if i in wanted)
            self.reasons.setdefault(spec, Counter()).update(found)

    def _add_sums(self, name: str, stats: Floats, row: Ints, height: int) -> None:
        sums = _with_height(self.sums.get(name, np.zeros((0, stats.shape[1]))), height)
        np.add.at(sums, row, stats)
        self.sums[name] = sums

    def attempts(self, spec: str) -> Floats | None:
        """Return the statistics of attempted answers to resample; None where the metric does not note attempts."""
        return self.rows(_attempts(spec)) if _attempts(spec) in self.sums else None

    def rows(self, spec: str) -> Floats:
        """Return the statistics to resample: one row per answer, ordered by content, or one per group."""
        if self.grouped:
            return self.sums[spec]
        return self.sums[spec][: self.examples][np.argsort(self.keys[:, 0], kind="stable")]

    def _regroup(self) -> None:
        """Move the answers that have a row each into shared rows."""
        group = _group_of(self.keys)
        for spec, alone in self.sums.items():
            self.sums[spec] = np.zeros((GROUPS, alone.shape[1]))
            np.add.at(self.sums[spec], group, alone[: len(group)])
        self.keys = np.zeros((0, 2), np.uint64)

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
    def restored(cls, state: _SystemState) -> SystemTotals:
        """Return the system that `state` described."""
        totals = cls()
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

    def __init__(self, metrics: Sequence[Metric], resources: Resources | None = None) -> None:
        self.metrics = metrics
        self.resources = resources or Resources()
        self.systems: dict[str, SystemTotals] = {}
        self.notes: Counter[str] = Counter()

    @property
    def examples(self) -> int:
        """How many examples were added."""
        return sum(system.examples for system in self.systems.values())

    def add(self, batch: ScoredBatch) -> None:
        """Add a batch."""
        self.notes.update(batch.notes)
        names = np.array([example.system for example in batch.examples], dtype=object)
        for name in dict.fromkeys(names.tolist()):
            rows = np.flatnonzero(names == name)
            self.systems.setdefault(name, SystemTotals()).add(self.metrics, batch, rows)

    def aggregates(self, seed: int, draws: int = DRAWS, confidence: float = CONFIDENCE) -> list[Aggregate]:
        """Return every system's score under every metric, with an interval.

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
                if totals.scored[spec] >= FEWEST:
                    enough[spec] = quantities[spec]
                    enough |= (
                        {} if (tried := attempts[spec]) is None else attempt_quantities(spec, tried, metric.finish)
                    )
            samples = bootstrap(enough, np.random.default_rng(seed), draws)
            for metric in self.metrics:
                spec = str(metric.spec)
                value = quantities[spec].value
                interval = interval_of(metric.declaration, value, totals.scored[spec], samples.get(spec), confidence)
                attempted, given_attempted = (
                    (None, None)
                    if (tried := attempts[spec]) is None
                    else attempt_figures(metric, tried, samples, confidence)
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
                    )
                )
        return result

    def signature(self, metric: Metric, totals: SystemTotals) -> Signature:
        """Return what a system's aggregate depends on."""
        identity = signature_fields(metric, self.resources)
        grouped = GROUPS if totals.grouped else None
        data = f"{totals.data[metric.reads]:032x}"[:12]
        return Signature(str(metric.spec), tuple(sorted(identity.items())), data, grouped)

    def state(self) -> bytes:
        """Return everything, so that `restore` can continue in another process."""
        systems = {name: totals.state() for name, totals in self.systems.items()}
        return msgspec.msgpack.encode(_TotalsState(systems, dict(self.notes)))

    def restore(self, state: bytes) -> None:
        """Continue from what `state` returned."""
        try:
            stored = msgspec.msgpack.decode(state, type=_TotalsState)
        except msgspec.MsgspecError as problem:
            raise DataError(f"the unfinished run was begun by another version; {AGAIN}") from problem
        self.systems = {name: SystemTotals.restored(system) for name, system in stored.systems.items()}
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


def _group_of(keys: NDArray[np.uint64]) -> Ints:
    """Return the shared row of each answer.

    Rows that follow from the answers, not from the order of the file (sorted, or alternating between kinds of
    questions), neither narrow nor widen the interval.
    """
    return (keys[:, 1] % np.uint64(GROUPS)).astype(np.int64)


def _keys(example: Example) -> tuple[int, int]:
    """Return a hash of question, references and candidate, and one of these and the id."""
    parts = [example.question, example.candidate or "", *(each.text for each in example.references)]
    content = blake2b("\x1e".join(parts).encode(errors="surrogatepass"), digest_size=8)
    whole = content.copy()
    whole.update(b"\x1d" + example.id.encode(errors="surrogatepass"))
    return int.from_bytes(content.digest()), int.from_bytes(whole.digest())


def _data_hash(example: Example, reads: frozenset[str]) -> int:
    """Return a hash of what a metric reads of an answer besides the answer itself."""
    parts = [example.question, *(f"{each.text}\x1f{each.opinion or ''}" for each in example.references)]
    parts += [f"{name}\x1f{value!r}" for name in sorted(reads) if (value := read_field(example, name))]
    return int.from_bytes(blake2b("\x1e".join(parts).encode(errors="surrogatepass"), digest_size=16).digest())
