"""Batches of Arrow's records: columns where they hold texts alone, and rows where there is anything else."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from qassay.io.example_columns import COLUMNS, ColumnChunk, checked_columns
from qassay.io.parsing.read_context import ReadContext
from qassay.io.parsing.rows import Row
from qassay.io.readers.format import Format, LocatedChunk, in_chunks
from qassay.io.readers.formats import tool_formats
from qassay.io.readers.tools.tool_rows import adapt_rows
from qassay.io.source import Source

_Found = TypeVar("_Found")


class RecordBatches(Format):
    """A format whose files Arrow reads, batch after batch."""

    @abstractmethod
    def batches(self, source: Source, convert: Callable[[Any, int], _Found]) -> Iterator[_Found]:
        """Yield what `convert` makes of each batch, given the number of rows before it.

        What cannot be converted is a `DataError`, as what cannot be read.
        """

    def rows(self, source: Source) -> Iterator[Row]:
        """Return each row as a dictionary; every row has every column."""
        return chain.from_iterable(self.batches(source, lambda batch, _: batch.to_pylist()))

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
        """Read the rows; the place of a row is its number."""
        return adapt_rows(self.rows(source), context.options.mapping, tool_formats())

    def read_chunks(self, sources: Sequence[Source], context: ReadContext) -> Iterator[LocatedChunk]:
        """Read batches of texts as columns, and what else there is row by row."""
        source, system = sources[0], context.system()

        def converted(batch: Any, done: int) -> ColumnChunk | list[Row]:  # noqa: ANN401 - the library is not typed
            columns = checked_columns(batch.to_pydict(), batch.num_rows, source.stem, system, done + 1)
            if columns is not None:
                return ColumnChunk(columns, source.name, done + 1)
            rows: list[Row] = batch.to_pylist()
            return rows

        if context.options.mapping or not COLUMNS.issuperset(self._names(source)):
            yield from super().read_chunks(sources, context)
            return
        done = 0
        for found in self.batches(source, converted):
            if isinstance(found, ColumnChunk):
                done += len(found.columns)
                yield found
            else:
                numbered = zip(found, range(done + 1, done + 1 + len(found)), strict=True)
                done += len(found)
                yield from in_chunks(self.examples(numbered, source, context))

    def _names(self, source: Source) -> list[str]:
        """Return the names of the columns; none where there are no rows."""
        names: list[str] = next(self.batches(source, lambda batch, _: list(batch.schema.names)), [])
        return names
