"""Inputs as byte streams: a file, standard input or a member of an archive, plain or compressed."""

import gzip
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, Protocol, Self

from qassay.errors import DataError
from qassay.io.locations import Location, is_url

CHUNK = 1 << 20
LONGEST_LINE = 1 << 28
"""A line beyond 256 MiB is no answer: the file has no line ends, and reading on would fill the memory."""
STANDARD_INPUT = "stdin"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
# Small, because a compressed piece may grow a thousandfold and is held whole.
ZSTANDARD_PIECE = 1 << 14


class _Reading(Protocol):
    """What every decompressor offers here."""

    def read(self, size: int, /) -> bytes: ...


class _ZstandardReading:
    """Decompresses frame by frame, so that a file that ends inside a frame is noticed."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard  # noqa: PLC0415 - optional, needed for .zst only

        self._raw = raw
        self._frame = zstandard.ZstdDecompressor
        self._damage = zstandard.ZstdError
        self._current = self._frame().decompressobj()
        self._fed = False
        self._leftover = b""

    def read(self, _size: int) -> bytes:
        while True:
            piece = self._leftover or self._raw.read(ZSTANDARD_PIECE)
            if not piece:
                if self._fed and not self._current.eof:
                    raise EOFError
                return b""
            if self._current.eof:
                self._current = self._frame().decompressobj()
            try:
                text = self._current.decompress(piece)
            except self._damage as error:
                raise EOFError(str(error)) from error
            self._fed = True
            self._leftover = self._current.unused_data if self._current.eof else b""
            if text:
                return text


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Raise errors of the operating system and of decompressors as `DataError`s that name the file."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError("there is no such file; check the path", name) from error
    except IsADirectoryError as error:
        raise DataError("is a folder; give the file inside it", name) from error
    except PermissionError as error:
        raise DataError("cannot be read: no permission; check the file's permissions", name) from error
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise DataError("the compressed file is damaged or cut short; make or fetch it again", name) from error
    except ImportError as error:
        raise DataError('a .zst file needs zstandard; pip install "qassay[zst]"', name) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror or error}); check the file", name) from error
    except (NotImplementedError, RuntimeError) as error:
        # How zipfile says that a member is encrypted or packed in a way it does not know.
        raise DataError(f"cannot be unpacked ({error}); unpack it first", name) from error
    except ValueError as error:
        # The path itself is impossible, for example because it holds a NUL byte.
        raise DataError(f"is not a path ({error})", repr(name)) from error


class BufferedInput(str):
    """The path of a file that holds what came from elsewhere, and what messages call that."""

    __slots__ = ("shown",)
    shown: str

    def __new__(cls, path: str | Path, shown: str = STANDARD_INPUT) -> Self:
        """Name a file that holds standard input or, with another name, rows in memory."""
        made = super().__new__(cls, path)
        made.shown = shown
        return made


def shown_name(path: str | Path) -> str:
    """Return what messages call an input."""
    return path.shown if isinstance(path, BufferedInput) else str(path)


def standard_input() -> IO[bytes]:
    """Return standard input; a program may be started without one."""
    if sys.stdin is None:
        raise DataError("is closed; pipe the answers in, or give a file", STANDARD_INPUT)
    return sys.stdin.buffer


class Source:
    """One input as a stream of decompressed bytes, counted as they pass."""

    def __init__(
        self,
        name: str,
        stem: str,
        opener: Callable[[], IO[bytes]],
        size: int | None,
        path: Path | Location | None = None,
    ) -> None:
        self.name = name
        """As the user wrote it: it begins every message about this input."""
        self.stem = stem
        """The file's name without folders: it begins the ids of rows that have none."""
        self.size = size
        """Its bytes on the disk; `None` where that is not known, as of a pipe, which is read once only."""
        self.path = path
        self.bytes_read = 0
        """Bytes taken from the file itself, compressed as they are: what a progress bar shows."""
        self.passes = 1
        """How often the file will be read: once for each system's answers, in formats that need it."""
        self._opener = opener
        self._raw: IO[bytes] | None = None
        self._stream: _Reading | None = None
        self._head = b""
        self._ended = False

    @classmethod
    def at(cls, path: str | Path) -> "Source":
        """Return the source of a file, or of standard input for `-`; nothing is opened yet."""
        name = str(path)
        if name == "-":
            return cls(STANDARD_INPUT, STANDARD_INPUT, standard_input, None)
        if is_url(name):
            return cls._elsewhere(Location(name), shown_name(path))
        with readable(name):
            status = Path(path).stat()
        if S_ISDIR(status.st_mode):
            raise DataError("is a folder; give the file inside it", name)
        size = status.st_size if S_ISREG(status.st_mode) else None
        place = Path(path)
        # What is no UTF-8 in a file's name could not be written in an id or a system's name.
        stem = os.fsencode(place.name).decode(errors="replace")
        if isinstance(path, BufferedInput):
            name = shown_name(path)
            stem = name if name == STANDARD_INPUT else stem
        return cls(name, stem, lambda: place.open("rb"), size, place)

    @classmethod
    def _elsewhere(cls, place: Location, name: str) -> "Source":
        """Return the source of a file on another file system."""
        with readable(name):
            found = place.status()
        if found is None:
            raise DataError("there is no such file; check the address", name)
        if found.is_folder:
            raise DataError("is a folder; give the file inside it", name)
        return cls(name, place.name, place.open, found.size, place)

    @property
    def is_file(self) -> bool:
        """Whether it can be read more than once."""
        return self.size is not None

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes, or all if there are fewer, without using them up."""
        with readable(self.name):
            while len(self._head) < size and not self._ended:
                self._take()
        return self._head[:size]

    def chunks(self) -> Iterator[bytes]:
        """Return all bytes from the start, without a byte order mark."""
        first = self.head(len(BYTE_ORDER_MARK))
        held, self._head = self._head, b""
        if first == BYTE_ORDER_MARK:
            held = held[len(BYTE_ORDER_MARK) :]
        try:
            if held:
                yield held
            while not self._ended:
                with readable(self.name):
                    self._take()
                held, self._head = self._head, b""
                if held:
                    yield held
        finally:
            self.close()

    def line_batches(self) -> Iterator[tuple[int, list[bytes]]]:
        """Return lines without their line feed, many at a time, with the number of the first."""
        number = 1
        parts: list[bytes] = []
        held = 0
        for chunk in self.chunks():
            lines = chunk.split(b"\n")
            parts.append(lines[0])
            held += len(lines[0])
            if held > LONGEST_LINE:
                raise DataError(
                    f"the line is longer than {LONGEST_LINE >> 20} MiB; put each row on a line of its own",
                    self.name,
                    number,
                )
            if len(lines) == 1:
                continue
            lines[0] = b"".join(parts)
            last = lines.pop()
            yield number, lines
            number += len(lines)
            parts = [last]
            held = len(last)
        last = b"".join(parts)
        if last:
            yield number, [last]

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line as text without its end, with its number; raise `DataError` where it is not UTF-8."""
        for first, lines in self.line_batches():
            for number, line in enumerate(lines, first):
                try:
                    yield number, line.decode().removesuffix("\r")
                except UnicodeDecodeError as error:
                    raise DataError("is not UTF-8; save the file as UTF-8", self.name, number) from error

    def close(self) -> None:
        """Close the file; the next reading starts from the beginning."""
        if self._raw is not None and (self.is_file or self.name != STANDARD_INPUT):
            self._raw.close()
        if self.is_file:
            self._ended = False
        self._raw = self._stream = None
        self._head = b""

    def _take(self) -> None:
        """Move one more piece of the stream to the head."""
        if self._stream is None or self._raw is None:
            self._raw = self._opener()
            self._stream = _decompressed(self._raw)
        before = self._position()
        piece = self._stream.read(CHUNK)
        after = self._position()
        self.bytes_read += len(piece) if before is None or after is None else after - before
        self._head += piece
        self._ended = not piece

    def _position(self) -> int | None:
        return self._raw.tell() if self.is_file and self._raw is not None else None


def _decompressed(raw: IO[bytes]) -> _Reading:
    """Return the compression by content, since names may be wrong and standard input has none."""
    magic: bytes = raw.peek(4)[:4] if hasattr(raw, "peek") else b""
    if magic.startswith(GZIP_MAGIC):
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if magic == ZSTANDARD_MAGIC:
        return _ZstandardReading(raw)
    return raw
