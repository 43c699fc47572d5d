"""JSON lines, one row per line; also the JSON array of the same rows."""

from collections.abc import Iterator, Sequence

from qassay.errors import DataError
from qassay.io.example_columns import ColumnChunk, ExampleColumns, plain_columns
from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import FIELDS, ReadContext
from qassay.io.parsing.rows import Row, rename, to_example
from qassay.io.readers.format import AT_ONCE, GENERAL, Format, Head, LocatedChunk, in_chunks
from qassay.io.source import Source
from qassay.records import Example

_KNOWN = (*FIELDS, "question_id", "scores", "summary")
"""Fields that distinguish a single row from any other object."""


class Jsonl(Format):
    """One JSON object per line, also .gz and .zst."""

    name = "jsonl"
    extensions = (".jsonl", ".ndjson")
    priority = GENERAL

    def recognises(self, head: Head) -> bool:
        """Whether there are JSON objects in lines, or one object with a field that is ours."""
        if not head.start.startswith(b"{"):
            return False
        if head.row is None:
            return head.start.partition(b"\n")[0].strip() != b"{"
        return head.line is not None or head.extension in self.extensions or has_known_field(head)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read one row per line; blank lines do not count as rows."""
        for first, lines in source.line_batches():
            yield from _examples(lines, first, source, context)

    def read_chunks(self, sources: Sequence[Source], context: ReadContext) -> Iterator[LocatedChunk]:
        """Read lines of texts as columns, and what else there is row by row."""
        source = sources[0]
        for begin, everything in source.line_batches():
            for start in range(0, len(everything), AT_ONCE):
                first, lines = begin + start, everything[start : start + AT_ONCE]
                columns = None if context.options.mapping else _columns(lines, first, source, context)
                if columns is not None:
                    yield ColumnChunk(columns, source.name, first)
                else:
                    yield from in_chunks(self.examples(_examples(lines, first, source, context), source, context))


def _examples(
    lines: Sequence[bytes], first: int, source: Source, context: ReadContext
) -> Iterator[tuple[Example, int]]:
    mapping, system, bare = context.options.mapping, context.system(), context.options.bare
    name, stem = source.name, source.stem
    for number, line in enumerate(lines, first):
        try:
            row: Row = decode_row(line)
            if mapping:
                rename(row, mapping)
            example = to_example(row, stem, number, system, bare=bare)
        except DECODING_ERRORS as error:
            if line and not line.isspace():
                context.refuse(explain(line, error), name, number)
            continue
        except DataError as error:
            context.refuse(error.problem, name, number)
            continue
        yield example, number


def _columns(lines: Sequence[bytes], first: int, source: Source, context: ReadContext) -> ExampleColumns | None:
    """Return the rows of all lines as columns; None where some line needs a closer look."""
    try:
        return plain_columns(list(map(decode_row, lines)), source.stem, context.system(), first)
    except (*DECODING_ERRORS, DataError):
        return None


class Json(Format):
    """One JSON array of the same objects."""

    name = "json"
    priority = GENERAL

    def recognises(self, head: Head) -> bool:
        """Whether an array begins."""
        return head.start.startswith(b"[")

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read the rows one after the other; a missing id is `FILE:NUMBER` of the row."""
        mapping, system, bare = context.options.mapping, context.system(), context.options.bare
        for number, (line, item) in enumerate(items(source), 1):
            try:
                row: Row = decode_row(item)
                if mapping:
                    rename(row, mapping)
                example = to_example(row, source.stem, number, system, bare=bare)
            except DECODING_ERRORS as error:
                context.refuse(explain(item, error), source.name, line)
                continue
            except DataError as error:
                context.refuse(error.problem, source.name, line)
                continue
            yield example, line


def has_known_field(head: Head) -> bool:
    """Whether the JSON object that the input begins with has a field that a row has."""
    row = head.row or {}
    return any(field in row for field in (*_KNOWN, *head.mapping.values()))
