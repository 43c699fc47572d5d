"""Rows of rating files: long form, wide form, or one judgement per item; tables and JSON lines."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from qassay.errors import DataError, option
from qassay.io.parsing.delimited import delimiter_of, header, records
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import ReadContext
from qassay.io.source import Source
from qassay.meta.accuracy.label_files import PROBABILITY, ROUND, VERDICT_FIELDS, VERDICT_WORDS

Form = Literal["auto", "long", "wide", "single"]
"""Long: one rating per row; wide: one item per row, one column per person; single: one judgement per item."""
Item = tuple[str, str]
"""The id of an answer and the system that gave it ("" where none is named)."""
Drawn = tuple[str, str]
"""The round in which an answer was chosen and the probability of that, as `accuracy --next` wrote them."""
_JUDGEMENT = "judgement"
_RatingCell = tuple[object, str, object]
"""The annotator, the field's name and its value."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns or fields of a rating file."""

    item: str = "id"
    system: str = "system"
    annotator: str = "annotator"
    value: str | None = None
    """In long form: the rating; the one of `VERDICT_FIELDS` that is there unless given."""
    ratings: str = "ratings"
    """In JSON lines in wide form: the object (annotator to value) or list that holds an item's ratings."""
    annotators: tuple[str, ...] | None = None
    """In wide tables: the columns that are annotators; all but those that have a meaning of their own unless given."""
    judges: tuple[str, ...] = ()
    """In wide tables: columns of judges, who are no annotators."""
    group: str | None = None
    """What the items are grouped by, as in `agree --by`; it may be the system."""


class RatingRow(NamedTuple):
    """One person's rating of one item, with its file and line."""

    line: int
    item: Item
    annotator: str
    value: float
    drawn: Drawn | None
    group: str = ""


def rating_rows(source: Source, context: ReadContext, columns: Columns, form: Form) -> Iterator[RatingRow]:
    """Yield the ratings of a file; empty cells and nulls are skipped."""
    stem = source.stem.removesuffix(".gz").removesuffix(".zst")
    extension = stem.rpartition(".")[2].lower()
    if extension in {"csv", "tsv"}:
        return _table(source, context, extension, columns, form)
    if extension in {"jsonl", "ndjson"}:
        return _objects(source, context, columns, form)
    raise DataError("ratings are read from .csv, .tsv and .jsonl files; save them as one of these", source.name)


def _table(source: Source, context: ReadContext, extension: str, columns: Columns, form: Form) -> Iterator[RatingRow]:
    reading = records(source, context, delimiter_of(extension))
    names = header(reading, source)
    if form == "auto":
        form = "long" if columns.annotator in names else "wide"
    remedy = "call yours so" if form == "single" else f"name yours with {option('columns')}"
    by = () if columns.group is None else (columns.group,)
    for name in (columns.item, *({"long": (columns.annotator,), "wide": columns.annotators or ()}.get(form, ())), *by):
        if name not in names:
            raise DataError(f'there is no column "{name}" among {", ".join(names)}; {remedy}', source.name, 1)
    value = ""
    if form != "wide":
        try:
            value = _value_field(names, columns, form)
        except DataError as error:
            raise DataError(error.problem, source.name, 1) from None
    own = {columns.item, columns.system, ROUND, PROBABILITY, "", *by, *columns.judges}
    people = columns.annotators or tuple(name for name in names if name not in own)
    hint = "" if form != "wide" or columns.annotators else f"; name the columns of ratings with {option('annotators')}"
    for line, cells in reading:
        row = dict(zip(names, cells, strict=True))
        if form == "wide":
            given: list[_RatingCell] = [(name, name, row[name]) for name in people]
        else:
            given = [(row[columns.annotator] if form == "long" else value, value, row[value])]
        yield from _rated(given, row, columns, context, (source.name, line), hint=hint)


def _objects(source: Source, context: ReadContext, columns: Columns, form: Form) -> Iterator[RatingRow]:
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            if not line or line.isspace():
                continue
            try:
                row: dict[str, Any] = decode_row(line)
                kind = ("wide" if columns.ratings in row else "long") if form == "auto" else form
                given = _given(row, columns, kind)
            except DECODING_ERRORS as error:
                context.refuse(explain(line, error), source.name, number)
                continue
            except DataError as error:
                context.refuse(error.problem, source.name, number)
                continue
            yield from _rated(given, row, columns, context, (source.name, number))


def _rated(
    given: Sequence[_RatingCell],
    row: Mapping[str, Any],
    columns: Columns,
    context: ReadContext,
    place: tuple[str, int],
    *,
    hint: str = "",
) -> Iterator[RatingRow]:
    """Return the ratings of a row; the hint says what else a value that is no rating may mean."""
    for annotator, name, value in given:
        try:
            rating = _number(value)
        except ValueError:
            context.refuse(_no_number(value, name) + hint, *place)
            continue
        if rating is None:
            continue
        if annotator is None or not str(annotator).strip():
            context.refuse("the annotator's name is missing; give every rating one", *place)
            continue
        item = str(row[columns.item]), str(row.get(columns.system) or "")
        group = "" if columns.group is None else row.get(columns.group)
        yield RatingRow(place[1], item, str(annotator), rating, _drawn(row), "" if group is None else str(group))


def _given(row: Mapping[str, Any], columns: Columns, form: Form) -> list[_RatingCell]:
    """Return an object's ratings; raise `DataError` without a place if fields are missing."""
    needed = {"wide": (columns.item, columns.ratings), "long": (columns.item, columns.annotator)}
    remedy = "call yours so" if form == "single" else f"name your fields with {option('columns')}"
    absent = [name for name in needed.get(form, (columns.item,)) if name not in row]
    if absent:
        raise DataError(f'has no "{absent[0]}"; {remedy}')
    if form == "wide":
        return [(name, name, value) for name, value in _by_annotator(row[columns.ratings])]
    name = _value_field(row, columns, form)
    return [(row[columns.annotator] if form == "long" else name, name, row[name])]


def _value_field(names: Collection[str], columns: Columns, form: Form) -> str:
    """Find the field with the rating; raises `DataError` without a place."""
    if columns.value is not None:
        if columns.value not in names:
            raise DataError(
                f'there is no column "{columns.value}" among {", ".join(names)}; name yours with {option("columns")}'
            )
        return columns.value
    if form == "single" and _JUDGEMENT in names:
        return _JUDGEMENT
    found = [name for name in VERDICT_FIELDS if name in names]
    by_hand = (
        "keep one of them"
        if form == "single"
        else f"say which is the rating with {option('columns', {'value': 'NAME'})}"
    )
    if len(found) > 1:
        quoted = " and ".join(f'"{name}"' for name in found)
        raise DataError(f"there are {quoted}; {by_hand}")
    if not found:
        remedy = "" if form == "single" else f", or name yours with {option('columns', {'value': 'NAME'})}"
        usual = ", ".join(VERDICT_FIELDS)
        raise DataError(f"there is no rating among {', '.join(names)}; call it one of {usual}{remedy}")
    return found[0]


def _drawn(row: Mapping[str, Any]) -> Drawn | None:
    """Return the round and the probability of a draw, where the row has both."""
    round_, probability = (str(row[name] if row.get(name) is not None else "").strip() for name in (ROUND, PROBABILITY))
    return (round_, probability) if round_ and probability else None


def _number(value: object) -> float | None:
    """Read a rating: None where it is missing, `ValueError` where it is none; a vote may be a word (yes, wrong)."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    vote = VERDICT_WORDS.get(str(value).strip().casefold()) if isinstance(value, bool | str) else None
    if vote is not None:
        return vote
    number = float(value) if isinstance(value, int | float | str) else math.nan
    if not math.isfinite(number):
        raise ValueError
    return number


def _no_number(value: object, name: str) -> str:
    return f'"{name}" is {value!r}, which is no rating; give a number, yes or no, or nothing where it is missing'


def _by_annotator(given: object) -> list[tuple[str, object]]:
    """Return the items of an object by key, and of a list by position, which is the annotator's number."""
    if isinstance(given, Mapping):
        return [(str(name), value) for name, value in given.items()]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [(str(place), value) for place, value in enumerate(given, 1)]
    return [("1", given)]
