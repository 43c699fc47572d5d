"""Records of comma- or tab-separated text, each with the physical line that it begins on."""

import csv
from collections.abc import Iterator, Sequence
from typing import Literal

from qassay.errors import DataError
from qassay.io.parsing.read_context import ReadContext
from qassay.io.source import LONGEST_LINE, Source

Record = tuple[int, list[str]]


class _Lines:
    """Decoded lines for the csv module; an error in a line is raised when its record is complete."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.problem: str | None = None

    def __iter__(self) -> Iterator[str]:
        for _, lines in self._source.line_batches():
            for line in lines:
                yield self._decoded(line)

    def _decoded(self, line: bytes) -> str:
        if b"\0" in line:
            self.problem = "holds a NUL byte: the file is damaged or not UTF-8; save it as UTF-8"
        try:
            return f"{line.decode()}\n"
        except UnicodeDecodeError as error:
            self.problem = f"is not UTF-8 (byte 0x{line[error.start]:02x}); save the file as UTF-8"
            return f"{line.decode(errors='replace')}\n"


def records(
    source: Source, context: ReadContext, delimiter: str, *, quoted: bool = True, padded: bool = False
) -> Iterator[Record]:
    """Yield the header and then every record, each with as many cells as the header; blank lines do not count.

    With `padded`, records that lack their last cells get empty ones.
    """
    # The limit is the module's, not the reader's; its default of 128 KiB is shorter than some contexts.
    csv.field_size_limit(LONGEST_LINE)
    lines = _Lines(source)
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    width: int | None = None
    while True:
        line = reader.line_num + 1
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines.problem = lines.problem or _explain(error)
        problem, lines.problem = lines.problem, None
        if padded and cells and width is not None:
            cells += [""] * (width - len(cells))
        if problem is None and width is not None and cells and len(cells) != width:
            problem = f"has {len(cells)} cells where the header has {width}; check the quotes and separators"
        if problem is not None:
            if width is None:
                raise DataError(problem, source.name, line)
            context.refuse(problem, source.name, line)
        elif cells:
            width = width or len(cells)
            yield line, cells


def header(reading: Iterator[Record], source: Source) -> list[str]:
    """Return the names of the columns, which are the first record; raise `DataError` where two are the same."""
    line, names = next(reading, (1, []))
    if not names:
        raise DataError("is empty; give a header and one row per answer", source.name)
    names = [name.strip() for name in names]
    for name in names:
        if name and names.count(name) > 1:
            raise DataError(f'the header has "{name}" twice; rename one column', source.name, line)
    return names


def need_columns(names: Sequence[str], needed: Sequence[str], source: Source) -> None:
    """Raise `DataError` if the header lacks a column that the format has."""
    for name in needed:
        if name not in names:
            columns = ", ".join(needed)
            raise DataError(f'the header has no column "{name}"; this format has {columns}', source.name, 1)


def delimiter_of(name: str) -> Literal[",", "\t"]:
    """Return the cell separator of the format of this name."""
    return "\t" if name == "tsv" else ","


def _explain(error: csv.Error) -> str:
    text = str(error)
    if "unexpected end" in text or "field larger" in text:
        return "a quote opened here is never closed; close it, or double it inside a quoted cell"
    if "expected after" in text:
        return "a quote ends before its cell does; double quotes inside a quoted cell"
    return f"is not a record ({text}); check the quotes and the line ends"
