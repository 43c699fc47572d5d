"""People's verdicts joined with the answers, and lists of answers to label."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError, OutputError, option
from qassay.meta.accuracy.label_files import PROBABILITY, ROUND, Label, Labels, contradiction, count_verdicts
from qassay.meta.accuracy.label_selection import LabelSelection
from qassay.meta.agreement.ratings import write_judgements
from qassay.records import Example

_LISTS = (".csv", ".tsv", ".jsonl")


@dataclass(frozen=True, slots=True, eq=False)
class MatchedLabels:
    """One verdict per answer, in the answers' order."""

    value: Floats
    """NaN where there is no verdict."""
    round: Ints
    probability: Floats
    """NaN where none is stated."""
    unknown: int
    """Labels without an answer."""
    waiting: Bools
    """Which answers are in a list and have no verdict yet."""
    given: Mapping[int, Label] = field(default_factory=dict)
    """The label of a row, where it comes from a file."""
    averaged: int = 0
    """Labels that contradict a judgement inside the answers and were averaged with it."""

    @property
    def labelled(self) -> Bools:
        """Which answers have a verdict."""
        return ~np.isnan(self.value)

    @classmethod
    def none(cls, rows: int) -> "MatchedLabels":
        """Return empty labels."""
        missing = np.full(rows, np.nan)
        return cls(missing, np.zeros(rows, np.int64), missing.copy(), 0, np.zeros(rows, dtype=bool))

    def set(self, row: int, label: Label) -> None:
        """Set the label of an answer."""
        self.value[row], self.round[row] = label.value, label.round
        self.probability[row] = np.nan if label.probability is None else label.probability


def match_labels(labels: Labels, examples: Sequence[Example]) -> MatchedLabels:
    """Match every label with its answer by id and, where the label names one, by system.

    Labels of unknown answers are counted; that no label has an answer is an error, and so is a label without system
    for an id that several systems answered.
    """
    by_id: dict[str, list[int]] = {}
    for at, example in enumerate(examples):
        by_id.setdefault(example.id, []).append(at)

    def answers_of(label: Label) -> list[int]:
        return [at for at in by_id.get(label.id, []) if label.system in {"", examples[at].system}]

    matched = MatchedLabels.none(len(examples))
    given: dict[int, Label] = {}
    for label in labels.labels:
        rows = answers_of(label)
        if len(rows) > 1:
            systems = ", ".join(f'"{examples[at].system}"' for at in rows[:3])
            raise DataError(
                f'the label of id "{label.id}" names no system, and {len(rows)} systems answered it ({systems}); '
                'give the labels a column "system"',
                label.place,
            )
        for at in rows:
            if at in given:
                raise DataError(
                    f'the answer "{label.id}" is labelled with and without its system; keep one of the two',
                    label.place,
                )
            given[at] = label
            matched.set(at, label)
    if not given:
        raise _no_answer(labels.labels[0], examples[0])
    for label in labels.waiting:
        for at in set(answers_of(label)) - given.keys():
            matched.set(at, label)
            matched.waiting[at] = True
    return replace(matched, unknown=len(labels.labels) - len(given), given=given)


def _no_answer(label: Label, answer: Example) -> DataError:
    of = f' of system "{label.system}"' if label.system else ""
    return DataError(
        f'no label belongs to an answer: the first is for id "{label.id}"{of}, the first answer has id '
        f'"{answer.id}" of system "{answer.system}"; give both files the same ids and systems',
        label.place,
    )


def add_judgements(
    labels: MatchedLabels,
    judgements: Floats,
    repeated: Literal["stop", "mean"] = "stop",
) -> MatchedLabels:
    """Add judgements that stand inside the answers (NaN where there is none) to the labels of files.

    They count as drawn at random, unless the answer is in a list. One that has both keeps the label, with its round;
    where the two contradict each other it is an error with the label's place, or they are averaged.
    """
    value, averaged = np.where(labels.labelled, labels.value, judgements), 0
    for at, label in labels.given.items():
        if np.isnan(judgements[at]) or judgements[at] == label.value:
            continue
        if repeated == "stop":
            raise contradiction(label, float(judgements[at]), "inside the answers")
        value[at] = (label.value * label.verdicts + judgements[at]) / (label.verdicts + 1)
        averaged += 1
    return replace(labels, value=value, waiting=labels.waiting & np.isnan(judgements), averaged=averaged)


def check_list(path: Path) -> None:
    """Raise an error if the output is another kind of file, or holds verdicts that would be lost."""
    if path.suffix.lower() not in _LISTS:
        raise OutputError("lists of answers to label are written as .csv, .tsv or .jsonl; choose one of these", path)
    if not path.exists() or not path.stat().st_size:
        return
    try:
        verdicts = count_verdicts(path)
    except DataError as error:
        raise OutputError("exists and is no list of answers to label; choose another place", path) from error
    if verdicts:
        raise OutputError(
            f"holds verdicts of people ({verdicts:,}), which would be lost; choose another place for the new list, "
            f"and give this one with {option('labels')}",
            path,
        )


def write_selection(path: str | Path, selection: LabelSelection, examples: Sequence[Example], round_: int) -> None:
    """Write answers to label as CSV, TSV or JSON lines, with room for a name and a verdict in every row.

    The file is in the long form that `qassay agree` reads, and `qassay accuracy --labels` takes it as it is; the
    round and the probability of selection must stay in it.
    """
    write_judgements(path, [_row(examples[at], chance, round_) for at, chance in _chosen(selection)])


def _chosen(selection: LabelSelection) -> Iterator[tuple[int, float]]:
    return zip(selection.rows.tolist(), selection.probability.tolist(), strict=True)


def _row(example: Example, probability: float, round_: int) -> dict[str, object]:
    return {
        "id": example.id,
        "system": example.system,
        "question": example.question,
        "reference": " | ".join(reference.text for reference in example.references),
        "candidate": example.candidate,
        ROUND: round_,
        PROBABILITY: probability,
        "annotator": "",
        "value": None,
    }
