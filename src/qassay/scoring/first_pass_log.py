"""The results of a long first pass, stored next to the output for a resumed run and for reports."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, Self

import msgspec

from qassay.errors import DataError, OutputError, StoppedError
from qassay.io.atomic_output import unwritable
from qassay.scoring.checkpoint import AGAIN, checksum, digest, in_the_way, open_itself

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from qassay.records import Example


class _Heading(msgspec.Struct):
    run: str
    """What is asked and how; a run resumes only if this is unchanged."""


class _Line(msgspec.Struct):
    digest: str
    """Of the example."""
    found: msgspec.Raw
    """JSON."""
    check: str
    """Checksum of `found`, which shows whether the file was changed."""


class MemoryLog:
    """The results of a first pass that are not stored in a file."""

    def __init__(self) -> None:
        self.found: list[bytes] = []

    def known(self, example: Example) -> bytes | None:  # noqa: ARG002 - the same for all
        """Return None: there is no earlier run."""
        return None

    def add(self, examples: Sequence[Example], found: Sequence[bytes]) -> None:  # noqa: ARG002 - found says it itself
        """Keep what was found."""
        self.found += found


class QuestionLog:
    """A first pass's results in the order of the input, one line per example. A context manager.

    When the run is interrupted they stay, if they are `resumable`; when all is done, or the input is at fault, they
    go.
    """

    def __init__(self, path: Path, run: str, *, resume: bool = False, resumable: bool = True) -> None:
        self._path = path
        self._run = run
        self._resume = resume
        self._resumable = resumable
        self._file: BinaryIO | None = None
        self._known_length = 0
        """Length in bytes of the whole lines that an earlier run wrote."""
        self._earlier: Iterator[_Line] = iter(())

    def __enter__(self) -> Self:
        try:
            self._known_length = self._checked_length() if self._resume and self._path.exists() else 0
            self._refuse_foreign()
            self._file = open_itself(self._path)
            self._file.truncate(self._known_length)
            self._file.seek(self._known_length)
            if not self._known_length:
                self._file.write(msgspec.json.encode(_Heading(self._run)) + b"\n")
                self._file.flush()
        except OSError as problem:
            raise unwritable(self._path, problem) from problem
        self._earlier = self._lines(self._known_length)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file:
            self._file.close()
        stays = kind is not None and (
            issubclass(kind, KeyboardInterrupt | OutputError | StoppedError) or self._known_length > 0
        )
        if not (stays and self._resumable):
            self._path.unlink(missing_ok=True)

    def known(self, example: Example) -> bytes | None:
        """Return an earlier run's result for the next example of the input, or None if it had not got that far."""
        line = next(self._earlier, None)
        if line is None:
            return None
        if line.check != checksum(bytes(line.found)):
            raise DataError(f"is not what the unfinished run wrote; {AGAIN}", self._path)
        if line.digest != digest(example):
            raise DataError(f'the answer with id "{example.id}" is not the one that the unfinished run read; {AGAIN}')
        return bytes(line.found)

    def add(self, examples: Sequence[Example], found: Sequence[bytes]) -> None:
        """Store the results of some examples safely: a kill afterwards does not lose them."""
        if self._file is None:
            raise ValueError("the log is used outside its context")
        encode = msgspec.json.Encoder().encode
        lines = [
            encode(_Line(digest(each), msgspec.Raw(held), checksum(held)))
            for each, held in zip(examples, found, strict=True)
        ]
        try:
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
        except OSError as problem:
            raise unwritable(self._path, problem) from problem

    def __iter__(self) -> Iterator[bytes]:
        """Yield what was found in each example so far."""
        for line in self._lines(self._path.stat().st_size):
            yield bytes(line.found)

    def _lines(self, length: int) -> Iterator[_Line]:
        decoder = msgspec.json.Decoder(_Line)
        with self._path.open("rb") as file:
            file.readline()
            while file.tell() < length:
                try:
                    yield decoder.decode(file.readline())
                except msgspec.DecodeError as problem:
                    raise DataError(f"cannot be read ({problem}); {AGAIN}", self._path) from problem

    def _refuse_foreign(self) -> None:
        """Raise `OutputError` rather than overwrite a file that is no log, or follow a link."""
        if not os.path.lexists(self._path):
            return
        try:
            with self._path.open("rb") as file:
                heading = file.readline()
                if heading:
                    msgspec.json.decode(heading, type=_Heading)
        except (msgspec.DecodeError, UnicodeDecodeError, OSError) as problem:
            raise in_the_way(self._path) from problem
        if self._path.is_symlink():
            raise in_the_way(self._path)

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
