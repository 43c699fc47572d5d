"""Rows that other tools write, in whatever container: JSON lines, an array, a table, Parquet, Arrow or memory."""

import ast
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from qassay.errors import DataError
from qassay.io.parsing.delimited import header, records
from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_object, decode_python_object, decode_row, explain
from qassay.io.parsing.mapped_fields import ABSENT, value_at
from qassay.io.parsing.read_context import ReadContext
from qassay.io.parsing.rows import Row
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source

UNLIKE = (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration)
"""What a row of another shape than a tool writes raises."""
_OURS = frozenset({"candidate", "references"})


class ToolRows(Format):
    """A format whose rows another tool writes; a subclass says how one is recognised and read."""

    priority = SPECIFIC

    @abstractmethod
    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is of this tool; a table's row has texts alone."""

    @abstractmethod
    def convert(self, row: Row) -> Iterator[Row]:
        """Yield the answers in a row, with our fields; what is not used of the row is kept."""

    def adapted(self, row: Row, mapping: Mapping[str, str]) -> Iterator[Row]:
        """Yield the answers in a row, with what a mapping names left to the mapping."""
        original = dict(row)
        try:
            found = list(self.convert(row))
        except UNLIKE as error:
            raise DataError(f"is not what {self.name} writes ({error!r:.60}); check the row") from error
        for made in found:
            for ours, theirs in mapping.items():
                if value_at(original, theirs) is not ABSENT:
                    made.pop(ours, None)
                    made.update(_top_level(original, theirs))
            yield made

    def recognises(self, head: Head) -> bool:
        """Whether the first row is of this tool."""
        first = first_row(head)
        return first is not None and _OURS.isdisjoint(first) and self.matches(first)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
        """Yield the answers with their lines; those of an array, which may be one line, are named by their number."""
        mapping = context.options.mapping
        by_number = Head(source).start.startswith(b"[")
        for number, (row, line) in enumerate(container_rows(source, context), 1):
            try:
                found = list(self.adapted(row, mapping))
            except DataError as error:
                context.refuse(error.problem, source.name, line)
                continue
            named = with_ids(found, f"{source.stem}:{number if by_number else line}")
            if by_number and len(named) == 1 and named[0].get("id") is None and "id" not in mapping:
                named[0]["id"] = f"{source.stem}:{number}"
            yield from ((made, line) for made in named)


def tool_of(row: Mapping[str, Any], tools: Iterable[Format]) -> ToolRows | None:
    """Return the format of the tool that wrote a row; None for rows of our own."""
    if not _OURS.isdisjoint(row):
        return None
    return next((each for each in tools if isinstance(each, ToolRows) and each.matches(row)), None)


def with_ids(rows: Sequence[Row], name: str) -> Sequence[Row]:
    """Return the answers of one row, numbered where several have no id."""
    if len(rows) > 1:
        for number, row in enumerate(rows, 1):
            if row.get("id") is None:
                row["id"] = f"{name}.{number}"
    return rows


def adapt_rows(
    rows: Iterable[Row], mapping: Mapping[str, str], tools: Iterable[Format], stem: str = "row"
) -> Iterator[tuple[Row, int]]:
    """Yield the answers in rows of a tool with the rows' numbers; rows of our own as they are.

    The first row says which tool made them.
    """
    reading = iter(rows)
    first = next(reading, None)
    if first is None:
        return
    tool = tool_of(first, tools)
    everything = chain((first,), reading)
    for number, row in enumerate(everything, 1):
        if tool is None:
            yield row, number
            continue
        try:
            found = list(tool.adapted(row, mapping))
        except DataError as error:
            raise DataError(error.problem, f"{stem} {number}") from error
        yield from ((made, number) for made in with_ids(found, f"{stem}:{number}"))


def first_row(head: Head) -> dict[str, Any] | None:
    """Return the first row of JSON lines, an array or a table; None where it cannot be read."""
    if head.start.startswith(b"{"):
        return head.row
    if head.start.startswith(b"["):
        return first_item(head)
    _, names = head.columns
    return dict.fromkeys(names, "") if len(names) > 1 else None


def first_item(head: Head) -> dict[str, Any] | None:
    """Return the first object of a JSON array."""
    from json import JSONDecodeError, JSONDecoder  # noqa: PLC0415 - for arrays alone

    text = head.long_start[1:].decode(errors="replace").lstrip()
    try:
        found, _ = JSONDecoder(strict=False).raw_decode(text)
    except (JSONDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def container_rows(source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
    """Yield the rows of JSON lines, an array or a table with their lines."""
    head = Head(source)
    if head.start.startswith(b"["):
        return _decoded(items(source), source, context)
    if head.start.startswith(b"{") and head.line is None and head.whole is not None:
        return _decoded(iter([(1, b"".join(source.chunks()))]), source, context)
    if head.start.startswith(b"{"):
        return _decoded(_lines(source), source, context)
    return _table(source, context, head.columns[0])


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    for first, lines in source.line_batches():
        yield from ((number, line) for number, line in enumerate(lines, first) if line and not line.isspace())


def _decoded(texts: Iterator[tuple[int, bytes]], source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
    for line, text in texts:
        try:
            row = decode_row(text, decode_python_object)
        except DECODING_ERRORS as error:
            context.refuse(explain(text, error), source.name, line)
            continue
        except DataError as error:
            context.refuse(error.problem, source.name, line)
            continue
        yield row, line


def _table(source: Source, context: ReadContext, delimiter: str) -> Iterator[tuple[Row, int]]:
    reading = records(source, context, delimiter)
    names = header(reading, source)
    for line, cells in reading:
        yield {name: cell_value(cell) for name, cell in zip(names, cells, strict=True)}, line


def cell_value(cell: str) -> Any:  # noqa: ANN401 - whatever was written
    """Return what was written into a table's cell: a list or an object as JSON or as Python writes it, or the text.

    An empty cell is nothing.
    """
    if not cell:
        return None
    if cell[0] not in "[{" or cell[-1] not in "]}":
        return cell
    try:
        return decode_object(b'{"cell":' + cell.encode() + b"}")["cell"]
    except (*DECODING_ERRORS, UnicodeEncodeError):
        pass
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return cell


def _top_level(row: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the field of a row in which a path begins."""
    name = path
    while name not in row:
        name = name.rpartition(".")[0]
    return {name: row[name]}


def texts_of(value: object) -> list[str] | None:
    """Return the texts in a list, or one text as a list; None where there are none."""
    if isinstance(value, str):
        return [value] if value.strip() else None
    if isinstance(value, list | tuple):
        return [each for each in value if isinstance(each, str)] or None
    return None


def moved(row: Row, names: Mapping[str, str]) -> Row:
    """Return a row with fields renamed from theirs to ours, where it has them; fields without a value are left out."""
    made = {name: value for name, value in row.items() if name not in names}
    for theirs, ours in names.items():
        if row.get(theirs) is not None:
            made[ours] = row[theirs]
    return made
