"""Inputs of any known format -> a stream of examples, in constant memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from qassay.errors import DataError
from qassay.io.dataset_folders import dataset_files
from qassay.io.duplicate_ids import SeenIds
from qassay.io.example_columns import ColumnChunk, ExampleColumns
from qassay.io.parsing.read_context import MAPPED, LocatedExample, ReadContext, Reading, ReadOptions, SkippedRow
from qassay.io.parsing.rows import check_mapping
from qassay.io.readers.format import Format, Head, LocatedChunk, Role, in_chunks
from qassay.io.readers.formats import FORMATS, RecognisedFormat, format_named, recognise, role_of
from qassay.io.source import Source
from qassay.records import Example

__all__ = ["FORMATS", "Format", "ReadOptions", "Reader", "SkippedRow", "distinct", "repeated", "sniff"]

ONE_ID_EACH = (
    'give each answer of a system its own id, each system its name, and samples of one question a number in "sample"'
)

Group = tuple[Format, list[Source]]
Refusal = Callable[[Example, str, int], None]


class NumberedExamples(NamedTuple):
    """Examples with the numbers of their rows, counted from 0."""

    rows: range
    examples: Sequence[Example]


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
        fields = () if self._options.format == "auto" else format_named(self._options.format).fields
        check_mapping(self._options.mapping, fields or MAPPED)
        self._sources = [source for each in inputs for source in _sources(each)]
        if sum(source.name == "stdin" for source in self._sources) > 1:
            raise DataError("standard input can be read once; give - once")
        self._context = ReadContext(self._options)
        self.unnamed: set[str] = set()
        """Inputs with answers that name no system."""
        self.samples = 0
        """How many answers are samples of a question, without those that repeat an id."""

    def __iter__(self) -> Iterator[Example]:
        return chain.from_iterable(self.sequences())

    def sequences(self) -> Iterator[Sequence[Example]]:
        """Yield the examples many at a time, as columns where the input has them so."""
        self._context = ReadContext(self._options)
        self.unnamed = set()
        for source in self._sources:
            source.bytes_read, source.passes = 0, 1
        try:
            for chunk in self._distinct():
                yield chunk.examples
        finally:
            for source in self._sources:
                source.close()

    def chunks(self, dropped: frozenset[int] = frozenset()) -> Iterator[NumberedExamples]:
        """Yield the examples with the numbers of their rows, many at a time, without repeated ids and `dropped` rows.

        Rows that cannot be read have no number.
        """
        self._context = ReadContext(self._options)
        return self._distinct(dropped)

    def located(self) -> Reading:
        """Yield each example with its input and line, without checking for repeated ids."""
        self._context = ReadContext(self._options)
        return chain.from_iterable(map(_located, self._chunks()))

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

    def _chunks(self) -> Iterator[LocatedChunk]:
        for kind, sources in self._groups():
            before = self.skipped_total
            reading = kind.read_chunks(sources, self._context)
            first = next(reading, None)
            if first is None:
                raise self._no_answers(sources[-1], self.skipped_total - before)
            for chunk in chain((first,), reading):
                if isinstance(chunk, ColumnChunk):
                    self.unnamed.update([] if all(chunk.columns.systems) else [chunk.name])
                else:
                    self.unnamed.update(name for example, name, _ in chunk if not example.system)
                yield chunk

    def _distinct(self, dropped: frozenset[int] = frozenset()) -> Iterator[NumberedExamples]:
        self.samples = 0
        for chunk in distinct_chunks(self._chunks(), self._refuse_repetition, dropped):
            self.samples += count_samples(chunk.examples)
            yield chunk

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


def _sources(given: str | Path | Source) -> list[Source]:
    """Return the source of an input; those of its files where it is a dataset's folder."""
    if isinstance(given, Source):
        return [given]
    files: Sequence[str | Path] = dataset_files(given) or [given]
    return [Source.at(each) for each in files]


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
    return (example for chunk in distinct_chunks(in_chunks(reading), refuse) for example in chunk.examples)


def _located(chunk: LocatedChunk) -> list[LocatedExample]:
    return chunk.located() if isinstance(chunk, ColumnChunk) else chunk


def distinct_chunks(
    chunks: Iterable[LocatedChunk], refuse: Refusal, dropped: frozenset[int] = frozenset()
) -> Iterator[NumberedExamples]:
    """Yield the examples with the numbers of their rows, many at a time, and call `refuse` for repeated ones.

    Repeated are those whose `(system, id)` an earlier one has, and those whose rows, counted from 0, are `dropped`.
    """
    seen = SeenIds()
    begun = 0
    for chunk in chunks:
        if isinstance(chunk, ColumnChunk):
            examples: Sequence[Example] = chunk.columns
            keys = list(zip(chunk.columns.systems, chunk.columns.ids, strict=True))
        else:
            examples = [example for example, _, _ in chunk]
            keys = [(example.system, example.id) for example in examples]
        size = len(examples)
        refused = {*seen.add(keys)}
        refused |= {position for position in range(size) if begun + position in dropped} if dropped else set()
        start = 0
        for position in sorted(refused):
            yield NumberedExamples(range(begun + start, begun + position), examples[start:position])
            refuse(*_located(chunk)[position])
            start = position + 1
        yield NumberedExamples(range(begun + start, begun + size), examples[start:] if start else examples)
        begun += size


def count_samples(examples: Iterable[Example]) -> int:
    """Return how many answers are one of several samples of a question, as their field `sample` says."""
    if isinstance(examples, ExampleColumns):
        # Columns hold texts alone.
        return 0
    return sum("sample" in each.extra and "question_id" in each.extra for each in examples)


def repeated(example: Example) -> str:
    """Return the message that an id of a system appears twice."""
    of_system = f' of system "{example.system}"' if example.system else ""
    return f'the id "{example.id}"{of_system} appears twice'
