"""Cuts a JSON array into its items while it streams by, so that its length does not matter."""

import re
from collections.abc import Iterator

from qassay.errors import DataError
from qassay.io.source import LONGEST_LINE, Source

_TOKEN = re.compile(rb'[\[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)
_BETWEEN_ITEMS = re.compile(rb"\s*,\s*")
_BEFORE_MEMBER = re.compile(rb"\s*:\s*")


def items(source: Source, member: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Return each object of the array with the line it begins on.

    The array is the whole file, or with `member` the value of that key in the object that is the whole file.
    """
    return _Cutter(source, member).items()


class _Cutter:
    """Counts brackets outside strings; an item runs from its opening bracket to the one that closes it."""

    def __init__(self, source: Source, member: str | None) -> None:
        self._source = source
        self._key = None if member is None else b'"' + member.encode() + b'"'
        self._buffer = b""
        self._scanned = 0
        self._depth = 0
        self._array_depth = 1 if member is None else 2
        self._inside = False
        """Whether the array has begun and not ended."""
        self._ended = False
        self._gap = 0
        """Where the last token or item ended."""
        self._start: int | None = None
        self._count = 0
        self._line = 1
        self._line_known_at = 0
        self._last_key = b""

    def items(self) -> Iterator[tuple[int, bytes]]:
        for grown in self._growing():
            self._buffer = grown
            yield from self._cut()
            self._forget()
        if self._depth or not self._ended:
            raise self._error("the JSON is cut short: a bracket is never closed; fetch or write the file again")
        if self._buffer[self._gap :].strip():
            raise self._error("there is more after the end of the JSON; give one array a file")

    def _growing(self) -> Iterator[bytes]:
        """Add to what is left over; twice as much when an item is long, so that long items cost linear time."""
        parts = []
        held = 0
        for chunk in self._source.chunks():
            parts.append(chunk)
            held += len(chunk)
            if 2 * held >= len(self._buffer):
                yield b"".join((self._buffer, *parts))
                parts, held = [], 0
        if parts:
            yield b"".join((self._buffer, *parts))

    def _cut(self) -> Iterator[tuple[int, bytes]]:
        for token in _TOKEN.finditer(self._buffer, self._scanned):
            start, end = token.span()
            if self._buffer[start] == ord('"'):
                if not token[1]:
                    # The string goes on in the next chunk.
                    self._scanned = start
                    return
                self._string(token[0], start, end)
            elif self._buffer[start] in b"[{":
                self._open(start, end)
            else:
                item = self._close(start, end)
                if item is not None:
                    yield item
            self._scanned = end

    def _string(self, text: bytes, start: int, end: int) -> None:
        if self._start is not None:
            return
        if self._inside:
            self._separate(start)
            raise self._error('an item is a string; write objects: [{"references": ["…"], "candidate": "…"}]')
        if self._depth == 0:
            raise self._error("is not a JSON array; begin it with [")
        if self._depth == 1:
            self._last_key = text
            self._gap = end

    def _open(self, start: int, end: int) -> None:
        self._depth += 1
        if self._start is not None:
            return
        if self._inside:
            self._separate(start)
            self._start = start
            self._line += self._buffer.count(b"\n", self._line_known_at, start)
            self._line_known_at = start
        elif self._ended and self._depth == 1:
            raise self._error("there is more after the end of the JSON; give one array a file")
        elif self._depth == self._array_depth and self._begins_array(start):
            self._inside = True
            self._gap = end

    def _begins_array(self, start: int) -> bool:
        if self._buffer[start] != ord("["):
            if self._key is None:
                raise self._error("is not a JSON array; begin it with [")
            return False
        if self._key is None:
            return True
        return self._last_key == self._key and bool(_BEFORE_MEMBER.fullmatch(self._buffer, self._gap, start))

    def _close(self, start: int, end: int) -> tuple[int, bytes] | None:
        self._depth -= 1
        if self._depth < 0:
            raise self._error("a bracket is closed that was never opened; mend the JSON")
        if self._inside and self._start is None:
            if self._buffer[self._gap : start].strip():
                raise self._error("an item is not an object, or a comma stands before the end; mend the JSON")
            self._inside, self._ended, self._gap = False, True, end
        elif self._start is not None and self._depth == self._array_depth:
            item = self._line, self._buffer[self._start : end]
            self._start, self._gap = None, end
            self._count += 1
            return item
        elif not self._inside:
            self._gap = end
        return None

    def _separate(self, start: int) -> None:
        """Check that one comma stands between two items and nothing before the first."""
        between = self._buffer[self._gap : start]
        if between.strip() if self._count == 0 else not _BETWEEN_ITEMS.fullmatch(between):
            raise self._error("items must be objects with one comma between them; mend the JSON")

    def _forget(self) -> None:
        """Drop what has been cut."""
        keep = min(self._gap, self._scanned) if self._start is None else self._start
        if len(self._buffer) - keep > LONGEST_LINE:
            raise self._error(f"an item is longer than {LONGEST_LINE >> 20} MiB; is a quote left open?")
        self._line += self._buffer.count(b"\n", self._line_known_at, max(keep, self._line_known_at))
        self._buffer = self._buffer[keep:]
        self._line_known_at = max(0, self._line_known_at - keep)
        self._scanned -= keep
        self._gap -= keep
        if self._start is not None:
            self._start = 0

    def _error(self, problem: str) -> DataError:
        at = self._gap if self._start is None else self._start
        line = self._line + self._buffer.count(b"\n", self._line_known_at, max(at, self._line_known_at))
        return DataError(problem, self._source.name, line)
