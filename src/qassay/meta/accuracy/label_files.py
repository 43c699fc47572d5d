"""Files of people's verdicts on some of the answers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from qassay.errors import DataError, option, place_of_line
from qassay.io.parsing.delimited import header, records
from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import ReadContext, ReadOptions, SkippedRow, fail
from qassay.io.source import BYTE_ORDER_MARK, Source, shown_name
from qassay.meta.accuracy.label_exports import LabelMap, choices_of, exported_rows

Repeated = Literal["stop", "mean"]
"""What becomes of contradictory verdicts on one answer."""
VERDICT_FIELDS = ("verdict", "label", "correct", "value", "rating", "judgement")
"""Possible names of the field with the verdict; the first that a file has counts."""
PROBABILITY, ROUND = "probability_of_selection", "round"
_FIELDS = ("id", "system", ROUND, PROBABILITY, *VERDICT_FIELDS)
VERDICT_WORDS = {
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
    """A verdict on one answer, with its file and line."""

    id: str
    system: str
    value: float
    """1 for right, 0 for wrong; in between where verdicts were averaged; NaN where there is none yet."""
    place: str
    round: int = 0
    """The number of the `--next` draw; 0 for labels that none chose."""
    probability: float | None = None
    """The probability of being chosen in the round."""
    verdicts: int = 1
    """How many the value is the mean of."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The verdicts of one or several files, one for each answer."""

    labels: tuple[Label, ...]
    waiting: tuple[Label, ...]
    """Rows without a verdict yet."""
    averaged: int
    """Answers whose contradictory verdicts were averaged."""
    skipped: tuple[SkippedRow, ...] = ()
    """Rows that could not be read and were left out, the first of them."""
    skipped_total: int = 0
    """How many there are."""


def read_labels(
    paths: Sequence[str | Path],
    *,
    cut: float | None = None,
    repeated: Repeated = "stop",
    on_error: Literal["stop", "skip"] = "stop",
    label_map: LabelMap | None = None,
    graded: bool = False,
) -> Labels:
    """Read verdicts from a table or JSON with `id`, `system` (if there are several) and a verdict.

    A verdict is 0 or 1, yes or no, true or false, correct or incorrect, right or wrong, or a share of people who say
    right; with `cut` it is a number, and those from `cut` on are right (4 on a scale from 1 to 5). Rows without one
    are waiting. Contradictory verdicts on one answer stop with both places, or are averaged; equal ones count once.
    A row that cannot be read stops, or is left out and listed. Exports of Label Studio and Argilla are read as they
    are; `label_map` says which choices of people mean what. With `graded` any number is a verdict, as it stands.
    """
    context = ReadContext(ReadOptions(on_error=on_error))
    found: dict[tuple[str, str], list[Label]] = {}
    waiting: list[Label] = []
    choices = choices_of(label_map)
    for path in paths:
        for source, line, row in _verdict_rows(path, context, choices):
            try:
                label = _label(_in_our_words(row, choices), place_of_line(source, line), cut, graded=graded)
            except DataError as error:
                context.refuse(error.problem, source, line)
                continue
            if math.isnan(label.value):
                waiting.append(label)
            else:
                found.setdefault((label.system, label.id), []).append(label)
    if not found:
        state = "no row has a verdict that can be read" if waiting or context.skipped_total else "there are no labels"
        raise DataError(f"{state}; give at least one", shown_name(paths[0]) if paths else None)
    averaged = sum(len({label.value for label in labels}) > 1 for labels in found.values())
    labels = tuple(_one(labels, repeated) for labels in found.values())
    return Labels(labels, tuple(waiting), averaged, tuple(context.skipped), context.skipped_total)


def _verdict_rows(
    path: str | Path, context: ReadContext, choices: Mapping[str, str]
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield the rows of a file, one per verdict, also where it is an export of an annotation tool."""
    for source, line, row in _rows(path, context, choices):
        try:
            found = list(exported_rows(row, VERDICT_FIELDS, choices))
        except DataError as error:
            context.refuse(error.problem, source, line)
            continue
        except (KeyError, TypeError, AttributeError, ValueError):
            context.refuse("is not what Label Studio or Argilla exports; export it again, as JSON", source, line)
            continue
        yield from ((source, line, each) for each in found)


def _in_our_words(row: dict[str, Any], choices: Mapping[str, str]) -> dict[str, Any]:
    """Return a row whose verdict is what a choice of people means."""
    field = _verdict_field(row)
    given = None if field is None else row[field]
    if field is None or _empty(given) or str(given).strip().lower() not in choices:
        return row
    return {**row, field: choices[str(given).strip().lower()]}


def count_verdicts(path: str | Path) -> int:
    """Count the rows of a label file that have any verdict."""
    context = ReadContext(ReadOptions())
    return sum(not _empty(row[field]) for _, _, row in _rows(path, context) if (field := _verdict_field(row)))


def _rows(
    path: str | Path, context: ReadContext, choices: Mapping[str, str] | None = None
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    source = Source.at(path)
    try:
        head = source.head(_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
        if not head:
            raise DataError("is empty; give labels with an id and a verdict", source.name)
        if head.startswith((b"{", b"[")):
            yield from _objects(source, context, items(source) if head.startswith(b"[") else _lines(source))
        else:
            yield from _table(source, head, context, choices or {})
    finally:
        source.close()


def _table(
    source: Source, head: bytes, context: ReadContext, choices: Mapping[str, str]
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    first = head.partition(b"\n")[0].decode(errors="replace")
    # Where the decimal sign is a comma, spreadsheets separate cells by semicolons.
    reading = records(source, context, max("\t", ";", ",", key=first.count))
    names = _ours(header(reading, source))
    if "id" not in names:
        raise DataError(f'the header has no column "id"; it has {", ".join(names[:12])}', source.name, 1)
    if not choices and not any(name in names for name in VERDICT_FIELDS):
        raise DataError(f"the header has no verdict; call it one of {', '.join(VERDICT_FIELDS)}", source.name, 1)
    for line, cells in reading:
        yield source.name, line, dict(zip(names, cells, strict=True))


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    for first, lines in source.line_batches():
        yield from ((number, line) for number, line in enumerate(lines, first) if line and not line.isspace())


def _objects(
    source: Source, context: ReadContext, texts: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for number, text in texts:
        try:
            row = decode_row(text)
        except DECODING_ERRORS as error:
            context.refuse(explain(text, error), source.name, number)
            continue
        except DataError as error:
            context.refuse(error.problem, source.name, number)
            continue
        yield source.name, number, dict(zip(_ours(list(row)), row.values(), strict=True))


def _ours(names: Sequence[str]) -> list[str]:
    """Return the row with the field names that differ from ours only in case spelt as ours."""
    return [name.lower() if name.lower() in _FIELDS and name.lower() not in names else name for name in names]


def _label(row: dict[str, Any], place: str, cut: float | None, *, graded: bool = False) -> Label:
    """Read one row, NaN where it is waiting; raises `DataError` without a place, which the caller knows."""
    name = row.get("id")
    if name is None or name == "":
        fail('"id" is missing; give every label the id of its answer')
    field = _verdict_field(row)
    if field is None:
        fail(f"there is no verdict; call it one of {', '.join(VERDICT_FIELDS)}")
    value = math.nan if _empty(row[field]) else _verdict(row[field], field, cut, graded=graded)
    chance, round_ = _number(row.get(PROBABILITY), PROBABILITY), _number(row.get(ROUND), ROUND)
    if round_ and chance is None:
        fail(
            f'"{ROUND}" is {round_:g} and "{PROBABILITY}" is missing, without which the label cannot be weighed; '
            f'keep it as it was written, or leave "{ROUND}" out if the answers were drawn at random'
        )
    return Label(str(name), str(row.get("system") or ""), value, place, int(round_ or (chance is not None)), chance)


def _verdict_field(row: dict[str, Any]) -> str | None:
    return next((field for field in VERDICT_FIELDS if field in row), None)


def _empty(given: object) -> bool:
    return given is None or (isinstance(given, str) and not given.strip())


def _verdict(given: object, field: str, cut: float | None, *, graded: bool = False) -> float:
    """Read right or wrong, or, if it is graded, how right."""
    if isinstance(given, bool):
        return float(given)
    text = str(given).strip().lower()
    if text in VERDICT_WORDS:
        return VERDICT_WORDS[text]
    number = _float(text)
    if cut is not None and math.isfinite(number):
        return float(number >= cut)
    if 0 <= number <= 1 or (graded and math.isfinite(number)):
        return number
    scale = (
        ""
        if math.isnan(number)
        else f", or say from which value on an answer is right ({option('cut', 4)} on a scale to 5)"
    )
    return fail(
        f'"{field}" is {given!r}; write 1 or 0, yes or no, correct or incorrect{scale}, or say what it means with '
        f"{option('label_map', {'right': str(given)})}"
    )


def _number(given: object, field: str) -> float | None:
    if _empty(given):
        return None
    number = _float(str(given))
    if not math.isfinite(number) or number < 0:
        fail(f'"{field}" is {given!r}; keep it as it was written')
    return number


def _float(text: str) -> float:
    """Return a number written with a decimal point or comma, NaN if it is none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan


def _one(labels: Sequence[Label], repeated: Repeated) -> Label:
    """Merge the labels of one answer into one."""
    first = labels[0]
    other = next((label for label in labels if label.value != first.value), None)
    if other is not None and repeated == "stop":
        raise contradiction(other, first.value, f"at {first.place}")
    value = first.value if other is None else sum(label.value for label in labels) / len(labels)
    return replace(first, value=value, verdicts=len(labels))


def contradiction(label: Label, value: float, place: str) -> DataError:
    """Return the message that a label contradicts the verdict on the same answer at another place."""
    of = f' of system "{label.system}"' if label.system else ""
    return DataError(
        f'"{label.id}"{of} is {_shown(label.value)} here and {_shown(value)} {place}; '
        f"keep one of the two, or average them ({option('repeated', 'mean')})",
        label.place,
    )


def _shown(value: float) -> str:
    return {0.0: "wrong", 1.0: "right"}.get(value, f"{value:g}")
