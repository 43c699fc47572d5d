"""What a format is: a name, how its files are recognised, and how they are read."""

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePath
from typing import Any, ClassVar, Literal

from qassay.errors import DataError, PluginError, QassayError
from qassay.io.example_columns import ColumnChunk
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_python_object
from qassay.io.parsing.read_context import MAPPED, LocatedExample, ReadContext, Reading
from qassay.io.parsing.rows import need_text, rename, to_example
from qassay.io.source import BYTE_ORDER_MARK, Source
from qassay.plugins import FAILURES, described, failure, guard_methods, is_ours
from qassay.records import Example

HEAD = 1 << 16
LONG_HEAD = 1 << 22
"""How much of the first line of JSON is read; one line of DuReader is some 30 KB, all of SQuAD is one line."""
COMPRESSED = (".gz", ".zst")

Role = Literal["data", "answers"]
"""Whether an input is complete, or holds a system's answers to the questions of the input before it."""

LocatedChunk = list[LocatedExample] | ColumnChunk
"""Answers, each with its input and line."""
AT_ONCE = 2048
"""How many rows are checked together."""

SPECIFIC, GENERAL = -1, -2
"""Priorities of Qassay's own formats: those with fields of their own, and those that hold any rows."""


class Head:
    """The beginning of an input, parsed once for all formats that look at it."""

    def __init__(self, source: Source, mapping: Mapping[str, str] | None = None) -> None:
        self._source = source
        self.mapping = mapping or {}
        """Our field to their field, as `--map` has it."""
        self.bytes = source.head(HEAD).removeprefix(BYTE_ORDER_MARK)
        """The first 64 KiB, or all if there are fewer."""
        self.start = self.bytes.lstrip()
        """The same without white space before it."""

    @property
    def text(self) -> str:
        """The first 64 KiB as text, with what is not UTF-8 replaced."""
        return self.bytes.decode(errors="replace")

    @property
    def extension(self) -> str:
        """The last suffix of the file's name in small letters, compression aside: `.jsonl` of `A.JSONL.gz`."""
        suffixes = [each for each in PurePath(self._source.stem.lower()).suffixes if each not in COMPRESSED]
        return suffixes[-1] if suffixes else ""

    @cached_property
    def long_start(self) -> bytes:
        """As `start`, of the first 4 MiB."""
        return self._source.head(LONG_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()

    @property
    def fills_long_head(self) -> bool:
        """Whether there are 4 MiB and probably more."""
        return len(self._source.head(LONG_HEAD)) == LONG_HEAD

    @cached_property
    def line(self) -> dict[str, Any] | None:
        """The JSON object in the first of several lines."""
        line, _, rest = self.start.partition(b"\n")
        return _decoded(line) if rest.strip() else None

    @cached_property
    def whole(self) -> dict[str, Any] | None:
        """The JSON object that fills the input."""
        return None if self.line is not None else _decoded(self.long_start)

    @property
    def row(self) -> dict[str, Any] | None:
        """The JSON object that the input begins with, where it can be read."""
        return self.line if self.line is not None else self.whole

    @cached_property
    def columns(self) -> tuple[str, frozenset[str]]:
        """The separator and the column names of the first line; no names if it is no table."""
        try:
            line = self.start.partition(b"\n")[0].decode().rstrip("\r")
            delimiter = "\t" if "\t" in line else ","
            return delimiter, frozenset(name.strip() for name in next(csv.reader([line], delimiter=delimiter), []))
        except (UnicodeDecodeError, csv.Error):
            return "", frozenset()


def in_chunks(reading: Reading) -> Iterator[list[LocatedExample]]:
    """Yield answers many at a time; those before one that is refused come before the error."""
    waiting: list[LocatedExample] = []
    try:
        for placed in reading:
            waiting.append(placed)
            if len(waiting) == AT_ONCE:
                full, waiting = waiting, []
                yield full
    except DataError:
        if waiting:
            yield waiting
        raise
    if waiting:
        yield waiting


def _decoded(text: bytes) -> dict[str, Any] | None:
    if not text.startswith(b"{"):
        return None
    try:
        return decode_python_object(text)
    except DECODING_ERRORS:
        return None


class Format(ABC):
    """A kind of file that Qassay reads; the first line of a subclass's docstring describes it."""

    name: ClassVar[str]
    """As `--format` takes it."""
    extensions: ClassVar[tuple[str, ...]] = ()
    """How names of its files end; they count where no format recognises the content."""
    priority: ClassVar[int] = 0
    """Formats of higher priority are tried first; Qassay's own have -1 and -2."""
    fields: ClassVar[tuple[str, ...]] = MAPPED
    """What a field may be renamed to; empty where fields are fixed."""
    variants: ClassVar[tuple[str, ...]] = ()
    """Formats of the same content: where this one is named, a file that one of them recognises is read by that."""
    takes_answers: ClassVar[bool] = False
    """Whether files of answers may follow the file of questions."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        guard_methods(cls, "format", ("__init__", "recognises", "read", "read_files"))

    @property
    def description(self) -> str:
        """What such a file holds, in one line."""
        return (type(self).__doc__ or "").strip().partition("\n")[0].removesuffix(".")

    def recognises(self, head: Head) -> bool | Role:
        """Whether a file that begins so is of this format; `"answers"` where it belongs after a file of questions."""
        del head
        return False

    @abstractmethod
    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example | dict[str, Any], int]]:
        """Yield each answer with the number of its line, as an `Example` or as a dictionary of the fields of JSONL.

        A dictionary is checked as a row of JSONL is: `--map`, `--system` and `--on-error skip` apply to it.
        """

    def read_chunks(self, sources: Sequence[Source], context: ReadContext) -> Iterator[LocatedChunk]:
        """Yield the same answers, many at a time; as columns where the files have them so."""
        return in_chunks(self.read_files(sources, context))

    def read_files(self, sources: Sequence[Source], context: ReadContext) -> Reading:
        """Yield each answer with its input and line; only formats that take answers get more than one file."""
        source = sources[0]
        rows = self.read(source, context)
        return self.examples(rows if is_ours(type(self)) else self._checked_rows(rows), source, context)

    def examples(
        self, rows: Iterable[tuple[Example | dict[str, Any], int]], source: Source, context: ReadContext
    ) -> Reading:
        """Yield each answer with its input and line; dictionaries are checked, and refused or converted."""
        for found, line in rows:
            if isinstance(found, Example):
                yield found, source.name, line
                continue
            try:
                rename(found, context.options.mapping)
                example = to_example(found, source.stem, line, context.system(), bare=context.options.bare)
                need_text(example)
            except DataError as error:
                context.refuse(error.problem, source.name, line)
                continue
            yield example, source.name, line

    def _checked_rows(self, rows: object) -> Iterator[tuple[Example | dict[str, Any], int]]:
        """Yield what `read` of another package yields, which must be answers with their lines."""
        try:
            for row in rows:  # type: ignore[attr-defined]  # what cannot be iterated is the package's mistake
                if not isinstance(row, tuple) or len(row) != 2 or not isinstance(row[0], Example | dict):  # noqa: PLR2004
                    raise PluginError(
                        f"{described('format', self.name, type(self))} yielded {row!r:.60}; yield each answer, a "
                        "dictionary or a qassay.Example, with the number of its line"
                    )
                yield row
        except QassayError:
            raise
        except FAILURES as problem:
            raise failure("format", self.name, type(self).read, problem) from problem
