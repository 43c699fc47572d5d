"""CSV and TSV rows with a header."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from qassay.errors import DataError, option
from qassay.io.parsing.delimited import header, records
from qassay.io.parsing.read_context import FIELDS, ReadContext, fail
from qassay.io.parsing.rows import NEEDED, Row, as_input, missing, to_example
from qassay.io.readers.format import GENERAL, Format, Head
from qassay.io.source import Source
from qassay.records import Example

NUMBERED = re.compile(r"reference\d*")
_BEGINS_LIST = re.compile(r'\s*\[\s*(?:"|\{|\]\s*$)')
_BEGINS_PYTHON_LIST = re.compile(r"\s*\[\s*'")


class _Delimited(Format):
    delimiter: ClassVar[str]
    priority = GENERAL

    def recognises(self, head: Head) -> bool:
        """Whether the first line has a column that is ours or that `--map` names."""
        delimiter, names = head.columns
        ours = any(name in FIELDS or NUMBERED.fullmatch(name) for name in names)
        return delimiter == self.delimiter and (ours or not names.isdisjoint(head.mapping.values()))

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read rows with a header."""
        return read_table(source, context, self.delimiter, context.options.mapping)


class Csv(_Delimited):
    """Comma-separated, with a header; references as reference1, reference2 …."""

    name = "csv"
    extensions = (".csv",)
    delimiter = ","


class Tsv(_Delimited):
    """Tab-separated, with a header."""

    name = "tsv"
    extensions = (".tsv",)
    delimiter = "\t"


def read_table(
    source: Source, context: ReadContext, delimiter: str, mapping: Mapping[str, str], *, padded: bool = False
) -> Iterator[tuple[Example, int]]:
    """Yield the examples of rows with a header and their lines; with `padded`, rows may lack their last cells."""
    reading = records(source, context, delimiter, padded=padded)
    bare = context.options.bare
    columns = _Columns(header(reading, source), mapping, source, bare=bare)
    for line, cells in reading:
        try:
            example = to_example(columns.row(cells), source.stem, line, context.system(), bare=bare)
        except DataError as error:
            context.refuse(error.problem, source.name, line)
            continue
        yield example, line


class _Columns:
    """The mapping from cells to fields."""

    def __init__(self, names: Sequence[str], mapping: Mapping[str, str], source: Source, *, bare: bool) -> None:
        ours = {theirs: field for field, theirs in mapping.items()}
        for theirs, field in ours.items():
            if theirs not in names:
                raise DataError(
                    f'the header has no column "{theirs}", which {option("columns")} takes for "{field}"; '
                    f"it has {_listed(names)}",
                    source.name,
                    1,
                )
        taken = set(mapping)
        fields = [ours.get(name) or (as_input(name) if name in taken else name) for name in names]
        self._references = [at for at, field in enumerate(fields) if NUMBERED.fullmatch(field)]
        present = set(fields) | ({"references"} if self._references else set())
        for field in NEEDED:
            if field not in present and not (bare and field == "references"):
                raise DataError(f"{missing(field, dict.fromkeys(names))}; {_advice(names)}", source.name, 1)
        if self._references and "references" in fields:
            raise DataError('the header has both "references" and numbered ones; keep one kind', source.name, 1)
        self._cells: list[tuple[int, str, Callable[[str], Any] | None]] = [
            (at, field, _CONVERTED.get(field, _text_or_null if field in FIELDS else None))
            for at, field in enumerate(fields)
            if at not in self._references
        ]

    def row(self, cells: Sequence[str]) -> Row:
        row: Row = {}
        for at, field, convert in self._cells:
            row[field] = cells[at] if convert is None else convert(cells[at])
        if self._references:
            row["references"] = [cells[at] for at in self._references if cells[at].strip()]
        return row


def _text(cell: str) -> str:
    # An empty candidate is an empty answer: a table cannot say that an answer is missing.
    return cell


def _text_or_null(cell: str) -> str | None:
    return cell or None


def _list(field: str, cell: str) -> list[Any]:
    """Read a JSON list, or take plain text as the one item."""
    if _BEGINS_PYTHON_LIST.match(cell):
        return fail(f'"{field}" looks like a Python list; write it as JSON: ["…", "…"]')
    if not _BEGINS_LIST.match(cell):
        return [cell] if cell.strip() else []
    try:
        return msgspec.json.decode(cell, type=list[Any])
    except (msgspec.DecodeError, RecursionError):
        return fail(f'"{field}" begins like a JSON list and is none; write ["…", "…"] or plain text')


def _references(cell: str) -> list[Any]:
    return _list("references", cell)


def _entities(cell: str) -> list[Any]:
    return _list("entities", cell)


def _number(cell: str) -> float | None:
    if not cell.strip():
        return None
    try:
        number = float(cell)
    except ValueError:
        return fail(f'"judgement" must be a number and is "{cell[:40]}"; leave the cell empty where unknown')
    return number if math.isfinite(number) else fail(f'"judgement" is {cell}; leave the cell empty where unknown')


_CONVERTED: dict[str, Callable[[str], Any]] = {
    "candidate": _text,
    "references": _references,
    "entities": _entities,
    "judgement": _number,
}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12])


def _advice(names: Sequence[str]) -> str:
    if len(names) == 1 and ";" in names[0]:
        return "the cells are separated by semicolons; save the file with commas or tabs"
    return f"the header has {_listed(names)}"
