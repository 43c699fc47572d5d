"""Parquet rows, streamed a group at a time."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from qassay.errors import DataError
from qassay.io.locations import Location
from qassay.io.parsing.rows import Row
from qassay.io.readers.format import AT_ONCE, SPECIFIC, Head
from qassay.io.readers.row_files.record_batches import RecordBatches
from qassay.io.source import Source

_Found = TypeVar("_Found")
MAGIC = b"PAR1"


class Parquet(RecordBatches):
    """Parquet with the fields of jsonl as columns."""

    name = "parquet"
    extensions = (".parquet", ".pq")
    priority = SPECIFIC

    def recognises(self, head: Head) -> bool:
        """Whether the first bytes are Parquet's."""
        return head.bytes.startswith(MAGIC)

    def batches(self, source: Source, convert: Callable[[Any, int], _Found]) -> Iterator[_Found]:
        """Yield what is made of each batch of records."""
        return _converted_batches(source, convert)


def _seekable(source: Source) -> Any:  # noqa: ANN401 - what Arrow reads from
    return source.path.seekable() if isinstance(source.path, Location) else source.path


def parquet_rows(source: Source) -> Iterator[Row]:
    """Return each row as a dictionary; every row has every column."""
    return Parquet().rows(source)


def _converted_batches(source: Source, convert: Callable[[Any, int], _Found]) -> Iterator[_Found]:
    """Yield what is made of each batch of records, given the number of rows before it."""
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
        with parquet.ParquetFile(_seekable(source)) as file:
            names = file.schema_arrow.names
            if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
                raise DataError(f'has the column "{twice}" twice; rename one column', source.name)
            batches = file.iter_batches(batch_size=AT_ONCE)
            while (batch := next(batches, None)) is not None:
                found = convert(batch, done)
                done += batch.num_rows
                source.bytes_read = round(size * done / max(1, file.metadata.num_rows))
                yield found
    except damage as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"is not a Parquet file that can be read ({reason}); write it again", source.name) from error
    source.bytes_read = size
