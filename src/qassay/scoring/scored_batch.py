"""What the metrics of a run found of some examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qassay.records import without_fields
from qassay.scoring.example_hashes import ExampleHashes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.records import AnswerNotes, Example


@dataclass
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

    @classmethod
    def joined(cls, examples: Sequence[Example], parts: Sequence[ScoredBatch]) -> ScoredBatch:
        """Return the parts of some examples as one batch."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(len(part.examples) for part in parts)]).tolist()
        noted = dict.fromkeys(spec for part in parts for spec in part.answer_notes)
        return cls(
            examples,
            {spec: np.concatenate([part.stats[spec] for part in parts]) for spec in parts[0].stats},
            {spec: np.concatenate([part.scores[spec] for part in parts]) for spec in parts[0].scores},
            {
                spec: {
                    start + i: reason
                    for start, part in zip(starts, parts, strict=False)
                    for i, reason in part.unscored[spec].items()
                }
                for spec in parts[0].unscored
            },
            sum((part.notes for part in parts), Counter()),
            parts[0].consumed_fields,
            {
                spec: [note for part in parts for note in part.answer_notes.get(spec, [None] * len(part.examples))]
                for spec in noted
            },
        )

    @cached_property
    def hashes(self) -> ExampleHashes:
        """Hashes of the examples, which stand for them in totals."""
        return ExampleHashes(self.examples)

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
