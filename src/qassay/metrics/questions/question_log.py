"""What was asked so far, kept beside the output: a killed run asks on from there, and a report reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol, Self

import msgspec

from qassay.errors import DataError, OutputError
from qassay.io.atomic_output import replacing, unwritable
from qassay.metrics.questions.records import SummaryRecord  # noqa: TC001 - msgspec reads the annotation
from qassay.scoring.checkpoint import AGAIN, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from qassay.records import Example


class _Heading(msgspec.Struct):
    run: str
    """What is asked and how; a run resumes only as itself."""


class Kept(msgspec.Struct):
    """All that was asked about one summary."""

    digest: str
    """Of the summary and the texts it was held against."""
    records: list[SummaryRecord]


class Keeping(Protocol):
    """Is told what was asked, and may know what was asked before."""

    def known(self) -> Iterator[Kept]:
        """Return what an earlier run left, in the order of the input."""

    def add(self, examples: Sequence[Example], records: Sequence[Sequence[SummaryRecord]]) -> None:
        """Hear what was asked about some summaries."""


class KeptInMemory:
    """Records of a run that ends with the program."""

    def __init__(self) -> None:
        self.records: list[SummaryRecord] = []

    def known(self) -> Iterator[Kept]:
        """Know nothing from before."""
        return iter(())

    def add(self, examples: Sequence[Example], records: Sequence[Sequence[SummaryRecord]]) -> None:  # noqa: ARG002
        """Keep the records, which say themselves what they are about."""
        for each in records:
            self.records += each


class KeptRecords:
    """Records in the order of the input, one line a summary. Use as a context manager.

    When the run is interrupted they stay, if they are `resumable`; when all is done, or the input is at fault, they
    go.
    """

    def __init__(self, path: Path, run: str, *, resume: bool = False, resumable: bool = True) -> None:
        self._path = path
        self._run = run
        self._resume = resume
        self._resumable = resumable
        self._file: BinaryIO | None = None
        self._known = 0
        """Bytes of whole lines that an earlier run left."""

    def __enter__(self) -> Self:
        try:
            self._known = self._checked_length() if self._resume and self._path.exists() else 0
            self._file = self._path.open("r+b" if self._known else "w+b")
            self._file.truncate(self._known)
            self._file.seek(self._known)
            if not self._known:
                self._file.write(msgspec.json.encode(_Heading(self._run)) + b"\n")
                self._file.flush()
        except OSError as problem:
            raise unwritable(self._path, problem) from problem
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file:
            self._file.close()
        stays = kind is not None and (issubclass(kind, KeyboardInterrupt | OutputError) or self._known > 0)
        if not (stays and self._resumable):
            self._path.unlink(missing_ok=True)

    def known(self) -> Iterator[Kept]:
        """Return what an earlier run left."""
        if self._known:
            yield from self._lines(self._known)

    def add(self, examples: Sequence[Example], records: Sequence[Sequence[SummaryRecord]]) -> None:
        """Keep what was asked about some summaries; from here on a kill does not lose it."""
        if self._file is None:
            raise ValueError("the records are used outside their context")
        encode = msgspec.json.Encoder().encode
        lines = (encode(Kept(digest(example), list(each))) for example, each in zip(examples, records, strict=True))
        try:
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
        except OSError as problem:
            raise unwritable(self._path, problem) from problem

    def by_summary(self) -> Iterator[list[SummaryRecord]]:
        """Return all records so far, summary by summary."""
        for kept in self._lines(self._path.stat().st_size):
            yield kept.records

    def records(self) -> Iterator[SummaryRecord]:
        """Return all records so far, one by one."""
        for records in self.by_summary():
            yield from records

    def write_questions(self, path: Path, finish: Callable[[SummaryRecord], SummaryRecord]) -> None:
        """Write all records as JSON lines, each as `finish` has it."""
        encode = msgspec.json.Encoder().encode
        with replacing(path) as partial, partial.open("wb") as file:
            for record in self.records():
                file.write(encode(finish(record)) + b"\n")

    def _lines(self, length: int) -> Iterator[Kept]:
        decoder = msgspec.json.Decoder(Kept)
        with self._path.open("rb") as file:
            file.readline()
            while file.tell() < length:
                line = file.readline()
                try:
                    kept = decoder.decode(line)
                except msgspec.DecodeError as problem:
                    raise DataError(f"cannot be read ({problem}); {AGAIN}", self._path) from problem
                yield kept

    def _checked_length(self) -> int:
        """Return the length of the whole lines; a kill may have cut the last one."""
        with self._path.open("rb") as file:
            heading = file.readline()
            length = len(heading)
            for line in file:
                length += len(line) if line.endswith(b"\n") else 0
        try:
            found = msgspec.json.decode(heading, type=_Heading).run
        except msgspec.DecodeError:
            return 0
        if found != self._run:
            raise DataError(
                f"belongs to another run ({found}, not {self._run}); give the same options, or {AGAIN}", self._path
            )
        return length


def check_same(example: Example, kept: Kept) -> None:
    """Make sure that what was kept is about this very summary."""
    if kept.digest != digest(example):
        raise DataError(f'the summary with id "{example.id}" is not the one that the unfinished run read; {AGAIN}')


def by_example(examples: Sequence[Example], records: Iterable[SummaryRecord]) -> list[list[SummaryRecord]]:
    """Put records, which come example by example, with the examples they are about."""
    found: dict[tuple[str, str], list[SummaryRecord]] = {(each.system, each.id): [] for each in examples}
    for record in records:
        found[record.system, record.id].append(record)
    return list(found.values())
