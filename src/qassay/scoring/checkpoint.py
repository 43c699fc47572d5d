"""Output that survives a kill: rows go to `OUT.part`, with a state file next to it from which a run resumes."""

from __future__ import annotations

import os
from hashlib import blake2b
from stat import S_ISREG
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Self, cast

import msgspec

from qassay.errors import DataError, OutputError, StoppedError, option
from qassay.io.atomic_output import unwritable
from qassay.io.example_columns import ExampleColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from qassay.records import Example
    from qassay.scoring.aggregates.aggregation import Totals

SHORTEST_INTERVAL = 0.2
"""The least number of seconds between checkpoints."""
SHARE = 0.02
"""The share of a run's time that checkpoints may take."""
AGAIN = f"run again without {option('resume', value=True)} to start over"
"""What to do when a run cannot be resumed."""
MARK = b"qassay checkpoint 2\n"
"""The first line of every state file; a part file without one is not ours and is never overwritten."""
_DIGEST = 16
_CHUNK = 1 << 20
_encode_lines = msgspec.json.Encoder().encode_lines


class State(msgspec.Struct):
    """The progress of a run at its last checkpoint."""

    run: str
    """What is scored and how; a run resumes only if this is unchanged."""
    rows: int = 0
    written: int = 0
    """Bytes of output that hold those rows."""
    examples_hash: bytes = b""
    """Hash of the answers of those rows, in order."""
    output_hash: bytes = b""
    """Hash of the bytes written."""
    totals: bytes = b""
    metrics: dict[str, dict[str, str]] = {}
    """By spec, what its scores depend on, such as the fingerprint of its model."""


class CheckpointedOutput:
    """Rows written so far. A context manager: a failure within removes what this run began."""

    def __init__(
        self, output: Path, run: str, metrics: dict[str, dict[str, str]] | None = None, *, resume: bool = False
    ) -> None:
        self.path = output.with_name(output.name + ".part")
        self._state_path = output.with_name(output.name + ".part.state")
        self._fresh_path = output.with_name(output.name + ".part.state.new")
        self._refuse_foreign()
        self._written, self._read = _hash(), _hash()
        self.state = self._load(run, metrics or {}) if resume else State(run, metrics=metrics or {})
        self.resumed = self.state.rows > 0
        self._saved_rows = self.state.rows
        self._file: BinaryIO | None = None
        self._saved_at = monotonic()
        self._interval = SHORTEST_INTERVAL

    def __enter__(self) -> Self:
        try:
            if not self.resumed:
                self.discard()
                # First, so that whoever finds the part knows whose it is.
                self._save()
            self._file = open_itself(self.path)
            self._file.truncate(self.state.written)
            self._file.seek(self.state.written)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file:
            self._file.close()
        # A run that was stopped, or ran out of disk, can be resumed; one that failed on its input is removed.
        if kind is not None:
            stays = self.resumed or issubclass(kind, KeyboardInterrupt | OutputError | StoppedError)
            if not stays or not self._saved_rows:
                self.discard()

    def skip_done(self, chunks: Iterable[Sequence[Example]]) -> Iterator[Sequence[Example]]:
        """Skip the examples that are already written; raise `DataError` if they are not the same ones."""
        stream = iter(chunks)
        done, chunk = 0, cast("Sequence[Example]", ())
        while done < self.state.rows:
            found = next(stream, None)
            if found is None:
                raise DataError(f"the input has only {done} answers, and {self.state.rows} were scored; {AGAIN}")
            chunk = found[self.state.rows - done :]
            skipped = found[: self.state.rows - done]
            self._read.update(identity_lines(skipped))
            done += len(skipped)
        if done and self._read.digest() != self.state.examples_hash:
            raise DataError(f"the input is not the one that the unfinished run read; {AGAIN}")
        if len(chunk):
            yield chunk
        yield from stream

    def write(self, rows: bytes, examples: Sequence[Example], totals: Totals) -> None:
        """Write scored rows, with a checkpoint now and then. `totals` includes these rows."""
        file = self._opened()
        try:
            file.write(rows)
            self._written.update(rows)
            self._read.update(identity_lines(examples))
            self.state.rows += len(examples)
            self.state.written += len(rows)
            if monotonic() - self._saved_at >= self._interval:
                self.checkpoint(totals)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem

    def checkpoint(self, totals: Totals) -> None:
        """Save the state, so that a run killed later can resume at this row."""
        begun = monotonic()
        file = self._opened()
        file.flush()
        os.fsync(file.fileno())
        self.state.examples_hash = self._read.digest()
        self.state.output_hash = self._written.digest()
        self.state.totals = totals.state()
        self._save()
        self._saved_at = monotonic()
        self._interval = max(SHORTEST_INTERVAL, (self._saved_at - begun) / SHARE)

    def flush(self) -> None:
        """Flush all rows to the file."""
        try:
            self._opened().flush()
        except OSError as problem:
            raise unwritable(self.path, problem) from problem

    def discard(self) -> None:
        """Remove the part and its state."""
        for path in (self.path, self._fresh_path, self._state_path):
            path.unlink(missing_ok=True)

    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise ValueError("the checkpointed output is used outside its context")
        return self._file

    def _save(self) -> None:
        payload = msgspec.msgpack.encode(self.state)
        with open_itself(self._fresh_path) as file:
            file.truncate(0)
            file.write(MARK + _hash(payload).digest() + payload)
        self._fresh_path.replace(self._state_path)
        self._saved_rows = self.state.rows

    def _refuse_foreign(self) -> None:
        """Raise `OutputError` rather than overwrite a file, or follow a link, that no run of ours made."""
        try:
            marked = _is_marked(self._state_path)
            for path in (self.path, self._state_path, self._fresh_path):
                regular = os.path.lexists(path) and S_ISREG(path.lstat().st_mode)
                if os.path.lexists(path) and not (regular and (marked if path == self.path else _is_marked(path))):
                    raise in_the_way(path)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem

    def _load(self, run: str, metrics: dict[str, dict[str, str]]) -> State:
        if not self._state_path.exists() or not self.path.exists():
            return State(run, metrics=metrics)
        try:
            stored = self._state_path.read_bytes()[len(MARK) :]
            if _hash(stored[_DIGEST:]).digest() != stored[:_DIGEST]:
                raise DataError(f"is damaged; {AGAIN}", self._state_path)
            state = msgspec.msgpack.decode(stored[_DIGEST:], type=State)
        except (OSError, msgspec.MsgspecError) as problem:
            raise DataError(f"cannot be read ({problem}); {AGAIN}", self._state_path) from problem
        if state.run != run:
            raise DataError(
                f"belongs to another run ({state.run}, not {run}); give the same options, or {AGAIN}", self._state_path
            )
        if changed := _changed(state.metrics, metrics):
            raise DataError(
                f"belongs to another run: {', '.join(changed)}; give the same options, or {AGAIN}", self._state_path
            )
        if self.path.stat().st_size < state.written:
            raise DataError(f"is shorter than its state says; {AGAIN}", self.path)
        self._check_part(state)
        return state

    def _check_part(self, state: State) -> None:
        left = state.written
        with self.path.open("rb") as file:
            while left and (chunk := file.read(min(_CHUNK, left))):
                self._written.update(chunk)
                left -= len(chunk)
        if state.rows and self._written.digest() != state.output_hash:
            raise DataError(f"is not what the unfinished run wrote; {AGAIN}", self.path)


def _changed(before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> list[str]:
    """Name what the metrics depend on and is not as it was."""
    return [
        f"the {field} of {spec} is another one now ({fields.get(field)}, before {before.get(spec, {}).get(field)})"
        for spec, fields in now.items()
        for field in dict.fromkeys([*before.get(spec, {}), *fields])
        if before.get(spec, {}).get(field) != fields.get(field)
    ]


def in_the_way(path: Path) -> OutputError:
    """Return the error for a file that would be overwritten."""
    return OutputError(
        "is in the way, and no unfinished run of Qassay wrote it; move it away, or choose another place", path
    )


def open_itself(path: Path) -> BinaryIO:
    """Open a file for reading and writing, creating it if needed; never follow a link."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666), "r+b")


def _is_marked(path: Path) -> bool:
    """Whether a state file is ours; it may be cut short by a kill."""
    if not os.path.lexists(path) or not S_ISREG(path.lstat().st_mode):
        return False
    with path.open("rb") as file:
        return MARK.startswith(file.read(len(MARK)))


def _hash(content: bytes = b"") -> blake2b:
    return blake2b(content, digest_size=_DIGEST)


def checksum(content: bytes) -> str:
    """Return the hash of some bytes."""
    return _hash(content).hexdigest()


def identity_lines(examples: Sequence[Example]) -> bytes:
    """Return what tells answers apart, with all their fields: the same however they are cut into chunks."""
    if isinstance(examples, ExampleColumns):
        columns = (examples.ids, examples.questions, examples.references, examples.candidates, examples.systems)
        return _encode_lines(list(zip(*columns, strict=True)))
    return _encode_lines([_plain_fields(each) or repr(each) for each in examples])


def _plain_fields(example: Example) -> tuple[object, ...] | None:
    """Return the fields of an answer that columns hold; None where it has others."""
    absent = (example.opinion, example.context, example.question_type, example.judgement) == (None,) * 4
    opinions = [each.opinion for each in example.references if each.opinion is not None]
    if example.entities or example.extra or opinions or not absent:
        return None
    references = [each.text for each in example.references]
    return (example.id, example.question, references, example.candidate, example.system)


def digest(example: Example) -> str:
    """Return a hash of an answer with all its fields, since a metric may read any of them."""
    return checksum(repr(example).encode(errors="surrogatepass"))
