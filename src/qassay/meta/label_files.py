"""Files of people's verdicts on some of the answers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from qassay.data.delimited import header, records
from qassay.data.intake import Intake, ReadOptions, Skipped, fail
from qassay.data.jsonl import DECODING_ERRORS, decode_row, explain
from qassay.data.source import BYTE_ORDER_MARK, Source
from qassay.errors import DataError

VERDICT_FIELDS = ("verdict", "label", "correct", "value", "rating", "judgement")
"""What the field with the verdict may be called; the first that a file has counts."""
PROBABILITY, ROUND = "probability_of_selection", "round"
_WORDS = {
    "yes": 1.0,
    "true": 1.0,
    "correct": 1.0,
    "right": 1.0,
    "no": 0.0,
    "false": 0.0,
    "incorrect": 0.0,
    "wrong": 0.0,
}
_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Label:
    """One person's verdict on one answer, and where it stands."""

    id: str
    system: str
    value: float
    """1 for right, 0 for wrong; in between where verdicts were averaged."""
    place: str
    round: int = 0
    """Counts the draws: 0 for labels that no `--next` chose."""
    probability: float | None = None
    """That of being chosen in the round."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The verdicts of one or several files, one for each answer."""

    labels: tuple[Label, ...]
    waiting: int
    """Rows without a verdict yet."""
    averaged: int
    """Answers whose contradictory verdicts were averaged."""
    skipped: tuple[Skipped, ...] = ()
    """Rows that could not be read and were left out, the first of them."""
    skipped_total: int = 0
    """How many there are."""


def read_labels(
    paths: Sequence[str | Path],
    *,
    cut: float | None = None,
    repeated: Literal["stop", "mean"] = "stop",
    on_error: Literal["stop", "skip"] = "stop",
) -> Labels:
    """Read verdicts from CSV, TSV or JSON lines with `id`, `system` (if there are several) and a verdict.

    A verdict is 0 or 1, yes or no, true or false, correct or incorrect, right or wrong; with `cut` it is a number,
    and those from `cut` on are right (4 on a scale from 1 to 5). Rows without one are waiting. Contradictory
    verdicts on one answer stop with both places, or are averaged; equal ones count once. A row that cannot be read
    stops, or is left out and listed.
    """
    intake = Intake(ReadOptions(on_error=on_error))
    found: dict[tuple[str, str], list[Label]] = {}
    waiting = rows = 0
    for path in paths:
        for source, line, row in _rows(path, intake):
            rows += 1
            try:
                label = _label(row, f"{source}:{line}", cut)
            except DataError as error:
                intake.refuse(error.problem, source, line)
                continue
            if label is None:
                waiting += 1
            else:
                found.setdefault((label.system, label.id), []).append(label)
    if not found:
        state = f"all {rows} rows are without a verdict" if rows else "there are no labels"
        raise DataError(f"{state}; give at least one", paths[0] if paths else None)
    averaged = sum(len({label.value for label in labels}) > 1 for labels in found.values())
    labels = tuple(_one(labels, repeated) for labels in found.values())
    return Labels(labels, waiting, averaged, tuple(intake.skipped), intake.skipped_total)


def _rows(path: str | Path, intake: Intake) -> Iterator[tuple[str, int, dict[str, Any]]]:
    source = Source.at(path)
    try:
        head = source.head(_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
        if not head:
            raise DataError("is empty; give labels with an id and a verdict", source.name)
        yield from _objects(source, intake) if head.startswith(b"{") else _table(source, head, intake)
    finally:
        source.close()


def _table(source: Source, head: bytes, intake: Intake) -> Iterator[tuple[str, int, dict[str, Any]]]:
    delimiter = "\t" if b"\t" in head.partition(b"\n")[0] else ","
    reading = records(source, intake, delimiter)
    names = header(reading, source)
    if "id" not in names:
        raise DataError(f'the header has no column "id"; it has {", ".join(names[:12])}', source.name, 1)
    if not any(name in names for name in VERDICT_FIELDS):
        raise DataError(f"the header has no verdict; call it one of {', '.join(VERDICT_FIELDS)}", source.name, 1)
    for line, cells in reading:
        yield source.name, line, dict(zip(names, cells, strict=True))


def _objects(source: Source, intake: Intake) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            if not line or line.isspace():
                continue
            try:
                row = decode_row(line)
            except DECODING_ERRORS as error:
                intake.refuse(explain(line, error), source.name, number)
                continue
            yield source.name, number, row


def _label(row: dict[str, Any], place: str, cut: float | None) -> Label | None:
    """Read one row, None where it is waiting; raises `DataError` without a place, which the caller knows."""
    name = row.get("id")
    if name is None or name == "":
        fail('"id" is missing; give every label the id of its answer')
    field = next((field for field in VERDICT_FIELDS if field in row), None)
    if field is None:
        fail(f"there is no verdict; call it one of {', '.join(VERDICT_FIELDS)}")
    given = row[field]
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    value = _verdict(given, field, cut)
    chance, round_ = _number(row.get(PROBABILITY), PROBABILITY), _number(row.get(ROUND), ROUND)
    return Label(str(name), str(row.get("system") or ""), value, place, int(round_ or (chance is not None)), chance)


def _verdict(given: object, field: str, cut: float | None) -> float:
    """Read right or wrong."""
    if isinstance(given, bool):
        return float(given)
    text = str(given).strip().lower()
    if text in _WORDS:
        return _WORDS[text]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if cut is not None and math.isfinite(number):
        return float(number >= cut)
    if number in {0.0, 1.0}:
        return number
    scale = "" if math.isnan(number) else ", or say from which value on an answer is right (--cut 4 on a scale to 5)"
    return fail(f'"{field}" is {given!r}; write 1 or 0, yes or no, correct or incorrect{scale}')


def _number(given: object, field: str) -> float | None:
    if given is None or given == "":
        return None
    try:
        number = float(str(given))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        fail(f'"{field}" is {given!r}; keep it as it was written')
    return number


def _one(labels: Sequence[Label], repeated: Literal["stop", "mean"]) -> Label:
    """Make one label of those that an answer has."""
    first = labels[0]
    other = next((label for label in labels if label.value != first.value), None)
    if other is None:
        return first
    if repeated == "stop":
        of = f' of system "{first.system}"' if first.system else ""
        raise DataError(
            f'"{first.id}"{of} is {_shown(other)} here and {_shown(first)} at {first.place}; '
            "keep one of the two, or average them (--repeated mean)",
            other.place,
        )
    value = sum(label.value for label in labels) / len(labels)
    return Label(first.id, first.system, value, first.place, first.round, first.probability)


def _shown(label: Label) -> str:
    return "right" if label.value else "wrong"
