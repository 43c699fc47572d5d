"""People's verdicts beside the answers, and lists of answers that wait for one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qassay.arrays import Bools, Floats, Ints
from qassay.errors import DataError
from qassay.meta.label_files import PROBABILITY, ROUND, Labels
from qassay.meta.label_selection import Selection
from qassay.meta.ratings import write_judgements
from qassay.records import Example


@dataclass(frozen=True, slots=True, eq=False)
class MatchedLabels:
    """Verdicts beside the answers, row for row."""

    value: Floats
    """NaN where there is no verdict."""
    round: Ints
    probability: Floats
    """NaN where none is stated."""
    unknown: int
    """Labels whose answer is not there."""

    @property
    def labelled(self) -> Bools:
        """Which answers have a verdict."""
        return ~np.isnan(self.value)


def match_labels(labels: Labels, examples: Sequence[Example]) -> MatchedLabels:
    """Find the answer of every label, by id and, where the label names one, by system.

    Labels of unknown answers are counted; that no label has an answer is an error, and so is a label without system
    for an id that several systems answered.
    """
    by_id: dict[str, list[int]] = {}
    for at, example in enumerate(examples):
        by_id.setdefault(example.id, []).append(at)
    value, probability = np.full(len(examples), np.nan), np.full(len(examples), np.nan)
    rounds = np.zeros(len(examples), np.int64)
    unknown = 0
    for label in labels.labels:
        places = [at for at in by_id.get(label.id, []) if label.system in {"", examples[at].system}]
        if len(places) > 1:
            systems = ", ".join(f'"{examples[at].system}"' for at in places[:3])
            raise DataError(
                f'the label of id "{label.id}" names no system, and {len(places)} systems answered it ({systems}); '
                'give the labels a column "system"',
                label.place,
            )
        if not places:
            unknown += 1
            continue
        if not np.isnan(value[places[0]]):
            raise DataError(
                f'the answer "{label.id}" is labelled with and without its system; keep one of the two', label.place
            )
        value[places[0]], rounds[places[0]] = label.value, label.round
        if label.probability is not None:
            probability[places[0]] = label.probability
    if unknown == len(labels.labels):
        first = labels.labels[0]
        of = f' of system "{first.system}"' if first.system else ""
        raise DataError(
            f'no label belongs to an answer: the first is for id "{first.id}"{of}, the first answer has id '
            f'"{examples[0].id}" of system "{examples[0].system}"; give both files the same ids and systems',
            first.place,
        )
    return MatchedLabels(value, rounds, probability, unknown)


def write_selection(path: str | Path, selection: Selection, examples: Sequence[Example], round_: int) -> None:
    """Write answers to label as CSV, TSV or JSON lines, with room for a name and a verdict in every row.

    The file is in the long form that `qassay agree` reads, and `qassay accuracy --labels` takes it as it is; the
    round and the probability of selection must stay in it.
    """
    write_judgements(path, [_row(examples[at], chance, round_) for at, chance in _chosen(selection)])


def _chosen(selection: Selection) -> Iterator[tuple[int, float]]:
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
