"""Arrow files and streams, such as Hugging Face datasets on disk."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from qassay.errors import DataError
from qassay.io.locations import Location
from qassay.io.readers.format import SPECIFIC, Head
from qassay.io.readers.row_files.record_batches import RecordBatches
from qassay.io.source import Source

_Found = TypeVar("_Found")
_FILE, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"


class Arrow(RecordBatches):
    """Arrow files and streams: Hugging Face datasets on disk, a folder or its files."""

    name = "arrow"
    extensions = (".arrow", ".feather")
    priority = SPECIFIC

    def recognises(self, head: Head) -> bool:
        """Whether the first bytes are Arrow's."""
        return head.bytes.startswith((_FILE, _STREAM))

    def batches(self, source: Source, convert: Callable[[Any, int], _Found]) -> Iterator[_Found]:
        """Yield what is made of each batch of records."""
        return _converted_batches(source, convert)


def _converted_batches(source: Source, convert: Callable[[Any, int], _Found]) -> Iterator[_Found]:
    if source.path is None or not source.is_file:
        raise DataError("Arrow cannot be read from a pipe or an archive; give a file", source.name)
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional and heavy
        from pyarrow import ipc  # noqa: PLC0415 - as above
    except ImportError as error:
        raise DataError('Arrow needs pyarrow; pip install "qassay[parquet]"', source.name) from error
    is_file = source.head(len(_FILE)).startswith(_FILE)
    source.close()
    size = source.size or 0
    try:
        with _opened(source, pa) as raw:
            reader: Any = ipc.open_file(raw) if is_file else ipc.open_stream(raw)
            batches = (reader.get_batch(i) for i in range(reader.num_record_batches)) if is_file else reader
            done = 0
            for batch in batches:
                yield convert(batch, done)
                done += batch.num_rows
                source.bytes_read = min(size, raw.tell())
    except (pa.ArrowException, UnicodeDecodeError, OSError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"is not an Arrow file that can be read ({reason}); write it again", source.name) from error
    source.bytes_read = size


def _opened(source: Source, pa: Any) -> Any:  # noqa: ANN401 - the library is not typed
    if isinstance(source.path, Location):
        return source.path.seekable()
    return pa.memory_map(str(source.path))
