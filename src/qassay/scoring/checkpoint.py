"""Output that survives a kill: rows go to `OUT.part`, with a state file beside it from which a run resumes."""

from __future__ import annotations

import os
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Self

import msgspec

from qassay.errors import DataError, OutputError, option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from qassay.records import Example
    from qassay.scoring.aggregation import Tally

SHORTEST_INTERVAL = 0.2
"""Seconds between checkpoints at the least."""
SHARE = 0.02
"""Of a run's time that checkpoints may take."""
_HASH_RANGE = 1 << 128
AGAIN = f"run again without {option('resume', value=True)} to begin anew"
"""What to do where a run cannot go on."""


class State(msgspec.Struct):
    """Where a run stood at its last checkpoint."""

    run: str
    """What is scored and how; a run resumes only as itself."""
    rows: int = 0
    written: int = 0
    """Bytes of output behind those rows."""
    examples_hash: str = "0"
    tally: bytes = b""


class CheckpointedOutput:
    """Rows written so far. Use as a context manager: a failure within removes what this run began."""

    def __init__(self, output: Path, run: str, *, resume: bool = False) -> None:
        self.path = output.with_name(output.name + ".part")
        self._state_path = output.with_name(output.name + ".part.state")
        self.state = self._load(run) if resume else State(run)
        self.resumed = self.state.rows > 0
        self._examples_hash = int(self.state.examples_hash, 16)
        self._file: BinaryIO | None = None
        self._saved_at = monotonic()
        self._interval = SHORTEST_INTERVAL

    def __enter__(self) -> Self:
        try:
            self._file = self.path.open("r+b" if self.resumed else "w+b")
            self._file.truncate(self.state.written)
            self._file.seek(self.state.written)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file:
            self._file.close()
        # An interrupted run, or one that ran out of disk, can be resumed; one that failed on its input is removed.
        if kind is not None and not issubclass(kind, KeyboardInterrupt | OutputError) and not self.resumed:
            self.discard()
        if kind is not None and not self._state_path.exists():
            self.discard()

    def skip_done(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Pass over the examples that are written already, making sure that they are the same ones."""
        stream = iter(examples)
        seen = 0
        for done in range(self.state.rows):
            example = next(stream, None)
            if example is None:
                raise DataError(f"the input has only {done} answers, and {self.state.rows} were scored; {AGAIN}")
            seen = (seen + int(digest(example), 16)) % _HASH_RANGE
        if self.state.rows and seen != self._examples_hash:
            raise DataError(f"the input is not the one that the unfinished run read; {AGAIN}")
        yield from stream

    def write(self, rows: bytes, examples: Iterable[Example], tally: Tally) -> None:
        """Add scored rows; now and then make a checkpoint. `tally` includes these rows."""
        file = self._opened()
        try:
            file.write(rows)
            for example in examples:
                self._examples_hash = (self._examples_hash + int(digest(example), 16)) % _HASH_RANGE
                self.state.rows += 1
            self.state.written += len(rows)
            if monotonic() - self._saved_at >= self._interval:
                self.checkpoint(tally)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem

    def checkpoint(self, tally: Tally) -> None:
        """Make sure that a run killed from here on can resume at this row."""
        begun = monotonic()
        file = self._opened()
        file.flush()
        os.fsync(file.fileno())
        self.state.examples_hash = f"{self._examples_hash:x}"
        self.state.tally = tally.state()
        fresh = self._state_path.with_name(self._state_path.name + ".new")
        fresh.write_bytes(msgspec.msgpack.encode(self.state))
        fresh.replace(self._state_path)
        self._saved_at = monotonic()
        self._interval = max(SHORTEST_INTERVAL, (self._saved_at - begun) / SHARE)

    def flush(self) -> None:
        """Bring all rows to the file."""
        try:
            self._opened().flush()
        except OSError as problem:
            raise unwritable(self.path, problem) from problem

    def discard(self) -> None:
        """Remove the partial output."""
        for path in (self.path, self._state_path):
            path.unlink(missing_ok=True)

    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise ValueError("the partial output is used outside its context")
        return self._file

    def _load(self, run: str) -> State:
        if not self._state_path.exists() or not self.path.exists():
            return State(run)
        try:
            state = msgspec.msgpack.decode(self._state_path.read_bytes(), type=State)
        except (OSError, msgspec.MsgspecError) as problem:
            raise DataError(f"cannot be read ({problem}); {AGAIN}", self._state_path) from problem
        if state.run != run:
            raise DataError(
                f"belongs to another run ({state.run}, not {run}); give the same options, or {AGAIN}", self._state_path
            )
        if self.path.stat().st_size < state.written:
            raise DataError(f"is shorter than its state says; {AGAIN}", self.path)
        return state


def unwritable(path: Path, problem: OSError) -> OutputError:
    """Say that an output cannot be written, and what to do."""
    return OutputError(f"cannot be written: {problem.strerror}; choose another place, or make room for it", path)


def digest(example: Example) -> str:
    """Identify an answer with all that came with it, of which any metric may make use."""
    return blake2b(repr(example).encode(errors="surrogatepass"), digest_size=16).hexdigest()
