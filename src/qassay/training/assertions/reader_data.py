"""Building the answer reader's training data: answers with the words that they assert, split by question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qassay.training.answer_text import question_key
from qassay.training.assertions.build import READERS as COMPOSED
from qassay.training.assertions.natural import READERS as NATURAL
from qassay.training.files import write_sides
from qassay.training.sources import counts_by_source, licensed, read_recipe
from qassay.training.splits import DEV, TRAIN, hashes_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np

    from qassay.training.reader.rows import ReaderRow
    from qassay.training.sources import DataSource

RECIPE = "answer_reader"
_DEV_SHARE = 0.1


@dataclass(slots=True)
class AnswerReaderData:
    """Rows for training and for choosing, with what was left out and why."""

    sides: dict[str, list[ReaderRow]] = field(default_factory=lambda: {TRAIN: [], DEV: []})
    left_out: Counter[str] = field(default_factory=Counter)
    sources: list[DataSource] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl` and `sources.json` (files, checksums, licences, counts)."""
        listed = [{"reader": source.format, **source.described()} for source in self.sources]
        report = {"files": listed, "rows": counts_by_source(self.sides), "left_out": dict(self.left_out)}
        write_sides(folder, self.sides, report)


def build(
    folder: Path, *, rng: np.random.Generator, held_out: Iterable[str] = (), licensed_only: bool = False
) -> AnswerReaderData:
    """Read all sources from the folder of public training sets, without the questions of evaluation sets.

    EVOUNA's and QED's questions that are kept for the judge's test are left out by the sources' readers.
    """
    data = AnswerReaderData()
    sources = read_recipe(RECIPE, folder)
    data.sources = licensed(sources, data.left_out) if licensed_only else sources
    excluded = {question_key(text) for text in held_out}
    seen: set[tuple[str, str]] = set()
    for source in data.sources:
        rows = list(_read(source, rng))
        if source.most is not None and len(rows) > source.most:
            rows = [rows[index] for index in sorted(rng.permutation(len(rows))[: source.most].tolist())]
        for row in rows:
            key = (question_key(row.question), row.passage)
            if key[0] in excluded:
                data.left_out["question of an evaluation set"] += 1
            elif key in seen or not row.passage.strip():
                data.left_out["repeated or blank"] += 1
            else:
                seen.add(key)
                data.sides[DEV if hashes_below(row.group, _DEV_SHARE) else TRAIN].append(row)
    return data


def _read(source: DataSource, rng: np.random.Generator) -> Iterator[ReaderRow]:
    if source.format in NATURAL:
        return NATURAL[source.format](source.path)
    return (row.read() for row in COMPOSED[source.format](source.path, rng))
