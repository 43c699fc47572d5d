"""Raw ratings of many people: files in long or wide form -> arrays, and clean judgements back to a file."""

import csv
import hashlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Floats, Ints
from qassay.data.delimited import delimiter_of, header, records
from qassay.data.intake import Intake, ReadOptions
from qassay.data.jsonl import DECODING_ERRORS, decode_row, explain
from qassay.data.output import replacing
from qassay.data.source import Source
from qassay.errors import DataError
from qassay.meta.panel import finite_or_missing

Item = tuple[str, str]
"""The id of an answer and the system that gave it ("" where none is named)."""
Scale = tuple[float, float]
"""The lowest and the highest rating that can be given."""
_Rating = tuple[int, str, str, str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One value a row: who rated which item how. Items that somebody did not rate have no row for them."""

    item: Ints
    items: tuple[Item, ...]
    annotator: Ints
    annotators: tuple[str, ...]
    value: Floats

    @classmethod
    def build(
        cls, item: Sequence[Item], annotator: Sequence[str], value: ArrayLike, scale: Scale | None = None
    ) -> Self:
        """Number items and annotators in the order in which they appear; missing values (NaN) are dropped.

        A value outside the scale, or a second rating of an item by the same person, is a `DataError`.
        """
        values = finite_or_missing(value, "ratings")
        if not len(item) == len(annotator) == len(values):
            raise DataError("give an item, an annotator and a value for every rating")
        given = np.flatnonzero(~np.isnan(values)).tolist()
        items: dict[Item, int] = {}
        annotators: dict[str, int] = {}
        codes = np.array([items.setdefault(item[i], len(items)) for i in given], dtype=np.int64)
        people = np.array([annotators.setdefault(annotator[i], len(annotators)) for i in given], dtype=np.int64)
        kept = values[given]
        if scale is not None:
            outside = np.flatnonzero((kept < scale[0]) | (kept > scale[1]))
            if len(outside):
                raise DataError(f"row {given[outside[0]] + 1}: {_outside(float(kept[outside[0]]), scale)}")
        _, first = np.unique(codes * max(1, len(annotators)) + people, return_index=True)
        if len(first) < len(codes):
            again = np.setdiff1d(np.arange(len(codes)), first)[0]
            raise DataError(f"row {given[again] + 1}: {_again(annotator[given[again]], item[given[again]])}")
        return cls(codes, tuple(items), people, tuple(annotators), kept)

    def __len__(self) -> int:
        return len(self.value)


def _outside(value: float, scale: Scale) -> str:
    return f"rating {value:g} is outside the scale from {scale[0]:g} to {scale[1]:g}; correct it or the scale"


def _again(annotator: str, item: Item) -> str:
    of = f' of system "{item[1]}"' if item[1] else ""
    return f'"{annotator}" rates "{item[0]}"{of} a second time; keep one of the two'


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns or fields of a file say what."""

    item: str = "id"
    system: str = "system"
    annotator: str = "annotator"
    value: str = "value"
    ratings: str = "ratings"
    """In JSON lines in wide form: the object (annotator to value) or list that holds an item's ratings."""
    annotators: tuple[str, ...] | None = None
    """In wide tables: the columns that are annotators; all but the item's and the system's unless given."""


def read_ratings(
    path: str | Path,
    *,
    form: Literal["auto", "long", "wide"] = "auto",
    columns: Columns | None = None,
    scale: Scale | None = None,
    salt: bytes | None = None,
    on_error: Literal["stop", "skip"] = "stop",
) -> tuple[Ratings, Intake]:
    """Read ratings from CSV, TSV or JSON lines (plain, gzip or Zstandard), and say what was left out.

    Long form has one rating a row, wide form one item a row with a column for each annotator; empty cells and nulls
    are missing ratings. With `salt` the annotators' ids are replaced by a keyed hash as they are read.
    """
    columns = columns or Columns()
    source = Source.at(path)
    intake = Intake(ReadOptions(on_error=on_error))
    stem = source.stem.removesuffix(".gz").removesuffix(".zst")
    extension = stem.rpartition(".")[2].lower()
    if extension in {"csv", "tsv"}:
        rows = _table(source, intake, extension, columns, form)
    elif extension in {"jsonl", "ndjson"}:
        rows = _objects(source, intake, columns, form)
    else:
        raise DataError("ratings are read from .csv, .tsv and .jsonl files; save them as one of these", source.name)
    seen: set[tuple[Item, str]] = set()
    items: list[Item] = []
    people: list[str] = []
    values: list[float] = []
    for line, name, system, annotator, value in rows:
        item = (name, system)
        if scale is not None and not scale[0] <= value <= scale[1]:
            intake.refuse(_outside(value, scale), source.name, line)
        elif (item, annotator) in seen:
            intake.refuse(_again(annotator, item), source.name, line)
        else:
            seen.add((item, annotator))
            items.append(item)
            people.append(annotator)
            values.append(value)
    if not values:
        raise DataError("there are no ratings in it; check the file", source.name)
    if salt is not None:
        people = hashed(people, salt)
    return Ratings.build(items, people, values), intake


def hashed(names: Sequence[str], salt: bytes) -> list[str]:
    """Replace names by a BLAKE2b hash keyed with a salt, so that people stay apart and unknown."""
    if not 0 < len(salt) <= hashlib.blake2b.MAX_KEY_SIZE:
        raise DataError(f"the salt has {len(salt)} bytes; give 1 to {hashlib.blake2b.MAX_KEY_SIZE}")
    known = {name: hashlib.blake2b(name.encode(), key=salt, digest_size=8).hexdigest() for name in dict.fromkeys(names)}
    return [known[name] for name in names]


def _number(value: object) -> float | None:
    """Read a rating: None where it is missing, `ValueError` where it is none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number):
        raise ValueError
    return number


def _no_number(value: object, name: str) -> str:
    return f'"{name}" is {value!r}, which is no rating; give a number, or nothing where it is missing'


def _table(
    source: Source, intake: Intake, extension: str, columns: Columns, form: Literal["auto", "long", "wide"]
) -> Iterator[_Rating]:
    reading = records(source, intake, delimiter_of(extension))
    names = header(reading, source)
    if form == "auto":
        form = "long" if columns.annotator in names else "wide"
    needed = [columns.item, *([columns.annotator, columns.value] if form == "long" else columns.annotators or ())]
    for name in needed:
        if name not in names:
            known = ", ".join(names)
            raise DataError(f'there is no column "{name}" among {known}; name yours with --map', source.name, 1)
    own = {columns.item, columns.system, ""}
    people = columns.annotators or tuple(name for name in names if name not in own)
    for line, cells in reading:
        row = dict(zip(names, cells, strict=True))
        item, system = row[columns.item], row.get(columns.system, "")
        pairs = [(row[columns.annotator], columns.value)] if form == "long" else [(name, name) for name in people]
        for annotator, name in pairs:
            try:
                value = _number(row[name])
            except ValueError:
                hint = "" if form == "long" or columns.annotators else "; name the columns of ratings with --annotator"
                intake.refuse(_no_number(row[name], name) + hint, source.name, line)
                continue
            if value is not None:
                yield line, item, system, annotator, value


def _objects(
    source: Source, intake: Intake, columns: Columns, form: Literal["auto", "long", "wide"]
) -> Iterator[_Rating]:
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            if not line or line.isspace():
                continue
            try:
                row: dict[str, Any] = decode_row(line)
            except DECODING_ERRORS as error:
                intake.refuse(explain(line, error), source.name, number)
                continue
            wide = columns.ratings in row if form == "auto" else form == "wide"
            needed = (columns.item, columns.ratings) if wide else (columns.item, columns.annotator, columns.value)
            absent = [name for name in needed if name not in row]
            if absent:
                intake.refuse(f'has no "{absent[0]}"; name your fields with --map', source.name, number)
                continue
            item, system = str(row[columns.item]), str(row.get(columns.system) or "")
            given = row[columns.ratings] if wide else {str(row[columns.annotator]): row[columns.value]}
            for annotator, value in _by_annotator(given):
                try:
                    rating = _number(value)
                except ValueError:
                    intake.refuse(_no_number(value, annotator if wide else columns.value), source.name, number)
                    continue
                if rating is not None:
                    yield number, item, system, annotator, rating


def _by_annotator(given: object) -> list[tuple[str, object]]:
    """Take an object by its keys and a list by its places, which are the annotators' numbers."""
    if isinstance(given, Mapping):
        return [(str(name), value) for name, value in given.items()]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [(str(place), value) for place, value in enumerate(given, 1)]
    return [("1", given)]


def write_judgements(path: str | Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of judgements as JSON lines, CSV or TSV, whole or not at all.

    `ItemJudgement.row()` gives such rows; `correlate` takes the file as it is when answers are joined by id.
    """
    target = Path(path)
    extension = target.suffix.lower().removeprefix(".")
    if extension == "jsonl":
        text = "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)
    elif extension in {"csv", "tsv"}:
        buffer = io.StringIO()
        writer = csv.DictWriter(
            buffer, fieldnames=list(rows[0]) if rows else [], delimiter=delimiter_of(extension), lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
        text = buffer.getvalue()
    else:
        raise DataError("judgements are written as .jsonl, .csv or .tsv; choose one of these", target)
    with replacing(target) as partial:
        partial.write_text(text, encoding="utf-8")
