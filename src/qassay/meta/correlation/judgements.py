"""Judgements from a separate file, matched with answers by id and system."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qassay.errors import DataError
from qassay.io.source import BufferedInput
from qassay.meta.accuracy.label_files import read_labels
from qassay.meta.agreement.ratings import read_ratings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.meta.accuracy.label_exports import LabelMap
    from qassay.meta.agreement.rating_rows import Item


@dataclass(frozen=True, slots=True)
class Judgements:
    """One judgement per answer, by its id and system ("" where the file names none)."""

    values: Mapping[Item, float]
    file: str

    def of(self, answers: Sequence[Item]) -> list[float | None]:
        """Find each answer's judgement; None where there is none.

        A judgement without a system belongs to the one answer that has its id; where several systems have it, whose
        it is cannot be told, which is a `DataError`. So is a file none of whose judgements belongs to an answer.
        """
        found = [self.values.get(answer) for answer in answers]
        open_ids = Counter(
            name for (name, system), value in zip(answers, found, strict=True) if system and value is None
        )
        for i, (name, _) in enumerate(answers):
            if found[i] is None and (name, "") in self.values:
                if open_ids[name] > 1:
                    problem = f'the judgement of "{name}" names no system, and {open_ids[name]} systems answer it'
                    raise DataError(f'{problem}; add a "system" to every judgement', self.file)
                found[i] = self.values[name, ""]
        if not any(value is not None for value in found):
            theirs, ours = next(iter(self.values)), answers[0]
            raise DataError(
                f"no judgement is about one of these answers: the first is of {_named(theirs)}, "
                f"the first answer is {_named(ours)}; give the ids and systems of the answers",
                self.file,
            )
        return found


def read_judgements(path: str | Path, label_map: LabelMap | None = None) -> Judgements:
    """Read the columns id, system and judgement of a .csv, .tsv or .jsonl file, as `qassay agree -o` writes it.

    A column of another usual name (verdict, label, correct, value, rating) serves where there is no judgement. With
    `label_map`, which says what choices mean, the file may be an export of Label Studio or Argilla, too; several
    people's judgements of one answer are averaged.
    """
    shown = path.shown if isinstance(path, BufferedInput) else Path(path).name
    if label_map:
        labels = read_labels([path], repeated="mean", label_map=label_map, graded=True).labels
        return Judgements({(label.id, label.system): label.value for label in labels}, shown)
    ratings, _ = read_ratings(path, form="single")
    values = {ratings.items[i]: value for i, value in zip(ratings.item.tolist(), ratings.value.tolist(), strict=True)}
    return Judgements(values, shown)


def _named(item: Item) -> str:
    name, system = item
    return f'"{name}" of system "{system}"' if system else f'"{name}" without a system'
