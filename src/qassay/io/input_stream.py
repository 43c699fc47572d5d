"""Inputs of any known format -> a stream of examples, in constant memory."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from qassay.errors import DataError
from qassay.io.duplicate_ids import SeenIds
from qassay.io.parsing.read_context import MAPPED, LocatedExample, ReadContext, Reading, ReadOptions, SkippedRow
from qassay.io.parsing.rows import check_mapping
from qassay.io.readers.format import Format, Head, Role
from qassay.io.readers.formats import FORMATS, RecognisedFormat, format_named, recognise, role_of
from qassay.io.source import Source
from qassay.records import Example

__all__ = ["FORMATS", "Format", "ReadOptions", "Reader", "SkippedRow", "distinct", "repeated", "sniff"]

AT_ONCE = 2048
"""How many rows are checked for duplicate ids together."""
ONE_ID_EACH = "give each answer of a system its own id, and each system its name"

Group = tuple[Format, list[Source]]
Refusal = Callable[[Example, str, int], None]


class Reader:
    """The examples of one or several inputs, one after the other.

    Every iteration starts again from the beginning of the files. While it runs, `bytes_read` of `total_bytes`
    says how far it is; afterwards `skipped` lists what was left out (the first thousand; `skipped_total` counts
    all).
    """

    def __init__(self, inputs: Sequence[str | Path | Source], options: ReadOptions | None = None) -> None:
        self._options = options or ReadOptions()
        if not inputs:
            raise DataError("there is no input; give a file, or - for standard input")
        fields = MAPPED if self._options.format == "auto" else format_named(self._options.format).fields
        check_mapping(self._options.mapping, fields)
        self._sources = [each if isinstance(each, Source) else Source.at(each) for each in inputs]
        if sum(source.name == "stdin" for source in self._sources) > 1:
            raise DataError("standard input can be read once; give - once")
        self._context = ReadContext(self._options)
        self.unnamed: set[str] = set()
        """Inputs with answers that name no system."""

    def __iter__(self) -> Iterator[Example]:
        self._context = ReadContext(self._options)
        self.unnamed = set()
        for source in self._sources:
            source.bytes_read, source.passes = 0, 1
        try:
            yield from distinct(self._placed(), self._refuse_repetition)
        finally:
            for source in self._sources:
                source.close()

    def located(self) -> Reading:
        """Yield each example with its input and line, without checking for repeated ids."""
        self._context = ReadContext(self._options)
        return self._placed()

    def apart(self) -> list["tuple[str, Reader]"]:
        """Return a reader for each input, with its file's name less the extension.

        A file of questions stays with the answers to it, and has their reader. What was read of a pipe to recognise
        it is kept for its reader.
        """
        try:
            parts = [sources for _, sources in self._groups()]
        finally:
            for source in self._sources:
                if source.is_file:
                    source.close()
        return [(_stem(part[0]), Reader(part, self._options)) for part in parts]

    @property
    def skipped(self) -> list[SkippedRow]:
        """What was left out and why; at most a thousand."""
        return self._context.skipped

    @property
    def skipped_total(self) -> int:
        """How many rows were left out."""
        return self._context.skipped_total

    @property
    def total_bytes(self) -> int | None:
        """The bytes that will be read, or `None` when an input is a pipe."""
        sizes = [None if source.size is None else source.size * source.passes for source in self._sources]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def bytes_read(self) -> int:
        """The bytes that have been read so far."""
        return sum(source.bytes_read for source in self._sources)

    def _placed(self) -> Reading:
        for kind, sources in self._groups():
            before = self.skipped_total
            reading = kind.read_files(sources, self._context)
            first = next(reading, None)
            if first is None:
                raise self._no_answers(sources[-1], self.skipped_total - before)
            for placed in chain((first,), reading):
                if not placed[0].system:
                    self.unnamed.add(placed[1])
                yield placed

    def _no_answers(self, source: Source, left_out: int) -> DataError:
        if not left_out:
            return DataError("there are no answers in it; check the file", source.name)
        last = self.skipped[-1]
        return DataError(
            f"there are no answers in it that can be scored: all {left_out} rows were left out, "
            f"such as {last.place} ({last.reason}); check the file",
            source.name,
        )

    def _refuse_repetition(self, example: Example, name: str, line: int) -> None:
        self._context.refuse(f"{repeated(example)}; {ONE_ID_EACH}", name, line)

    def _groups(self) -> Iterator[Group]:
        """Yield each file of questions together with the files of answers that follow it."""
        named = None if self._options.format == "auto" else format_named(self._options.format)
        groups: list[Group] = []
        for source in self._sources:
            if named is not None and not named.takes_answers:
                groups.append((_variant(named, source), [source]))
                continue
            found = self._recognised(source, named)
            kind = found.format
            if found.role == "data":
                groups.append((kind, [source]))
            elif groups and groups[-1][0] is kind:
                groups[-1][1].append(source)
            else:
                problem = f"holds answers and no questions ({kind.name}); give the file of questions before it"
                raise DataError(problem, source.name)
        yield from groups

    def _recognised(self, source: Source, named: Format | None) -> RecognisedFormat:
        if named is None:
            return recognise(source, self._options.mapping)
        by_position: Role = "data" if source is self._sources[0] else "answers"
        return RecognisedFormat(named, role_of(named, Head(source)) or by_position)


def _variant(named: Format, source: Source) -> Format:
    """Return the format's variant that recognises an input, or the format itself."""
    return next((FORMATS[each] for each in named.variants if role_of(FORMATS[each], Head(source))), named)


def sniff(path: str | Path) -> str:
    """Return the name of a file's format."""
    source = Source.at(path)
    try:
        found = recognise(source, {})
    finally:
        source.close()
    if found.role == "answers":
        raise DataError(f"holds answers and no questions ({found.format.name}); give it after them", source.name)
    return found.format.name


def _stem(source: Source) -> str:
    return source.stem.removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[0]


def distinct(reading: Reading, refuse: Refusal) -> Iterator[Example]:
    """Yield the examples, and call `refuse` for each repeated `(system, id)`."""
    seen = SeenIds()
    waiting: list[LocatedExample] = []
    try:
        for placed in reading:
            waiting.append(placed)
            if len(waiting) == AT_ONCE:
                full, waiting = waiting, []
                yield from _first_seen(full, seen, refuse)
    except DataError:
        yield from _first_seen(waiting, seen, refuse)
        raise
    yield from _first_seen(waiting, seen, refuse)


def _first_seen(chunk: Sequence[LocatedExample], seen: SeenIds, refuse: Refusal) -> Iterator[Example]:
    start = 0
    for position in seen.add([(example.system, example.id) for example, _, _ in chunk]):
        yield from [placed[0] for placed in chunk[start:position]]
        refuse(*chunk[position])
        start = position + 1
    yield from [placed[0] for placed in chunk[start:]]


def repeated(example: Example) -> str:
    """Return the message that an id of a system appears twice."""
    of_system = f' of system "{example.system}"' if example.system else ""
    return f'the id "{example.id}"{of_system} appears twice'
