"""Results: scores of answers, aggregates of systems with intervals, and their signatures."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import NoSuchScoreError, OutputError, SpecError
from qassay.io.scores.score_tables import columns_of
from qassay.io.scores.writers import encode_row
from qassay.metrics.registry import parse_spec
from qassay.records import without_fields
from qassay.scoring.aggregates.bootstrap import BOOTSTRAP
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from qassay.arrays import Floats
    from qassay.records import AnswerNotes, Example


_SHOWN = 5
"""How many systems the short form of a table names."""


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
    """Identifies the questions, the references and what else the metric reads, whatever their order; candidates do not
    enter."""
    groups: int | None = None
    """Set when the interval was resampled in groups of answers."""
    cluster: str | None = None
    """What answers are clustered by, where they are."""

    def __str__(self) -> str:
        parts = [self.metric, *(f"{key}:{value}" for key, value in self.fields), f"data:{self.data}"]
        if self.groups:
            parts.append(f"groups:{self.groups}")
        if self.cluster:
            parts.append(f"cluster:{self.cluster}")
        return "|".join([*parts, f"qassay:{__version__}"])

    def alike(self, other: Signature) -> bool:
        """Whether the two numbers measure the same thing on the same questions."""
        return (self.metric, self.fields, self.data) == (other.metric, other.fields, other.data)


@dataclass(frozen=True, slots=True)
class IntervalFigure:
    """A number with its interval, and how many answers it comes from."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    interval: str = BOOTSTRAP
    """How the limits were found, as for an aggregate."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `--json` prints them."""
        fields = asdict(self)
        if self.interval == BOOTSTRAP:
            del fields["interval"]
        return fields


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
    interval: str = BOOTSTRAP
    """How the limits were found: `bootstrap`, or `wilson` where answers are few or all alike; or why there are none."""
    attempted: IntervalFigure | None = None
    """The share of answers that attempt their question, where the metric reads what answers assert."""
    given_attempted: IntervalFigure | None = None
    """The score of the answers that do."""
    clusters: int | None = None
    """Clusters of answers that the interval rests on; None where each answer stands alone."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `score --json` prints them; what does not apply is left out."""
        fields = {name: value for name, value in asdict(self).items() if name not in ("attempted", "given_attempted")}
        if not self.reasons:
            del fields["reasons"]
        if self.clusters is None:
            del fields["clusters"]
        if self.interval == BOOTSTRAP:
            del fields["interval"]
        for name, figure in (("attempted", self.attempted), ("given_attempted", self.given_attempted)):
            if figure is not None:
                fields[name] = figure.to_dict()
        return fields


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable:
    """All scores of a run in memory: what `qassay.score` returns, for one metric as for ten."""

    examples: Sequence[Example]
    scores: Mapping[str, Floats]
    """By canonical spec, one value per example, NaN where unscored."""
    stats: Mapping[str, Floats]
    unscored: Mapping[str, Mapping[int, str]]
    aggregates: tuple[Aggregate, ...]
    notes: Mapping[str, int]
    seed: int
    reads: frozenset[str] = frozenset()
    """The fields of an answer, beyond candidate, question and references, on which some score depends."""
    consumed_fields: frozenset[str] = frozenset()
    """Fields of the rows that were read and are not written back."""
    references_hashes: tuple[str, ...] = ()
    """For scores that were read from a file: identifies the references of each answer; empty where it is not known."""
    stored: frozenset[str] = frozenset()
    """Metrics whose scores were read from a file: a system's score is the mean of its answers' scores."""
    corrected: frozenset[str] = frozenset()
    """Judges that were asked about some answers only: their statistics are corrected for that, and are no scores."""
    answer_notes: Mapping[str, Sequence[AnswerNotes | None]] = field(default_factory=dict)
    """By spec of a metric that notes something of answers, what it noted of each example."""

    def __repr__(self) -> str:
        systems = list(dict.fromkeys(example.system or "all answers" for example in self.examples))
        shown = ", ".join(systems[:_SHOWN]) + (f" and {len(systems) - _SHOWN} more" if len(systems) > _SHOWN else "")
        return f"<{type(self).__name__} of {len(self):,} answers; systems: {shown}; metrics: {', '.join(self.scores)}>"

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, spec: str) -> Floats:
        return self.scores[self._known(spec)]

    def score(self, spec: str, i: int) -> Score:
        """Return one answer's score, or the reason why it has none."""
        spec = self._known(spec)
        if not hasattr(i, "__index__") or not -len(self) <= i < len(self):
            raise NoSuchScoreError(f"there is no answer {i}; the table has {len(self):,}, counted from 0")
        row = i % len(self)
        value = float(self.scores[spec][row])
        return Score(None, self.unscored[spec].get(row)) if np.isnan(value) else Score(value)

    def aggregate(self, spec: str, system: str | None = None) -> Aggregate:
        """Return a system's aggregate; the system may be left out when there is only one."""
        spec = self._known(spec)
        found = [each for each in self.aggregates if each.metric == spec and system in (None, each.system)]
        if len(found) != 1:
            raise NoSuchScoreError(
                f"{len(found)} aggregates of {spec}; name one of {sorted({a.system for a in self.aggregates})}"
            )
        return found[0]

    def _known(self, spec: str) -> str:
        """Return the canonical spec of a metric of this run, given either in that form or as the caller wrote it."""
        if isinstance(spec, str) and spec in self.scores:
            return spec
        try:
            canonical = str(parse_spec(spec))
        except SpecError:
            canonical = spec
        if canonical not in self.scores:
            raise NoSuchScoreError(f"no scores of {spec}; there are those of {', '.join(self.scores)}")
        return canonical

    def notes_of(self, i: int) -> dict[str, AnswerNotes]:
        """Return what metrics noted of one answer besides its scores, by spec."""
        return {spec: note for spec, each in self.answer_notes.items() if (note := each[i]) is not None}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return each answer as `score -o` writes it."""
        for i, example in enumerate(self.examples):
            scores = {spec: self.score(spec, i) for spec in self.scores}
            reasons = {spec: score.reason for spec, score in scores.items() if score.reason}
            values = {spec: score.value for spec, score in scores.items()}
            yield encode_row(without_fields(example, self.consumed_fields), values, reasons, self.notes_of(i))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the aggregates as plain dictionaries."""
        return [aggregate.to_dict() for aggregate in self.aggregates]

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per answer, with the columns of the tables that `score -o` writes (needs pandas)."""
        try:
            import pandas as pd  # noqa: PLC0415 - optional and heavy
        except ImportError as error:
            raise OutputError('a data frame needs pandas; pip install "qassay[pandas]"') from error

        rows = list(self.rows())
        columns = {column: [column.value_in(row) for row in rows] for column in columns_of(rows, tuple(self.scores))}
        return pd.DataFrame(
            {each.name: np.array(held, np.float64) if each.is_number else held for each, held in columns.items()}
        )
