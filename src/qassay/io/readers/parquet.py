"""Parquet rows, streamed a group at a time."""

from collections.abc import Iterator

from qassay.errors import DataError
from qassay.io.parsing.read_context import ReadContext
from qassay.io.parsing.rows import Row
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source

BATCH = 1024


MAGIC = b"PAR1"


class Parquet(Format):
    """Parquet with the fields of jsonl as columns."""

    name = "parquet"
    extensions = (".parquet", ".pq")
    priority = SPECIFIC

    def recognises(self, head: Head) -> bool:
        """Whether the first bytes are Parquet's."""
        return head.bytes.startswith(MAGIC)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
        """Read the rows; the place of a row is its number."""
        del context
        return ((row, number) for number, row in enumerate(parquet_rows(source), 1))


def parquet_rows(source: Source) -> Iterator[Row]:
    """Return each row as a dictionary; every row has every column."""
    if source.path is None or not source.is_file:
        raise DataError("Parquet cannot be read from a pipe or an archive; give a file", source.name)
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional and heavy
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError as error:
        raise DataError('Parquet needs pyarrow; pip install "qassay[parquet]"', source.name) from error
    # A file that cannot be opened says so here, so that what goes wrong later is its content.
    source.head(1)
    source.close()
    size, done = source.size or 0, 0
    # A time before the year 1 or after 9999 is a ValueError or an OverflowError of Python's.
    damage = (pa.ArrowException, UnicodeDecodeError, OSError, ValueError, OverflowError)
    try:
        with parquet.ParquetFile(source.path) as file:
            names = file.schema_arrow.names
            if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
                raise DataError(f'has the column "{twice}" twice; rename one column', source.name)
            batches = file.iter_batches(batch_size=BATCH)
            while (batch := next(batches, None)) is not None:
                rows: list[Row] = batch.to_pylist()
                done += len(rows)
                source.bytes_read = round(size * done / max(1, file.metadata.num_rows))
                yield from rows
    except damage as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"is not a Parquet file that can be read ({reason}); write it again", source.name) from error
    source.bytes_read = size
