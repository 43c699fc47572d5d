"""Splits a JSON array into its items as a stream, so that its length does not matter.

Python's own JSON scanner says where an item ends: it is as fast as a streaming parser and knows the place of a fault.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

from qassay.errors import DataError
from qassay.io.source import LONGEST_LINE, Source

# Numbers and control characters are judged by whoever decodes the item.
_scan = JSONDecoder(parse_int=str, parse_float=str, strict=False).raw_decode
_NO_SPACE = re.compile(r"[^ \t\r\n]")
_LONGEST_TOKEN = 12
"""A fault that is not further from the end of the text may be a token that goes on, such as `fals` or `\\ud83`."""


def items(source: Source, member: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield each object of the array with the line it begins on.

    The array is the whole file, or with `member` the value of that key in the object that is the whole file.
    """
    text = _Text(source)
    if member is None:
        text.begin_array()
        yield from _objects(text)
    elif text.peek() != "{":
        raise text.error(f'is not a JSON object; write {{"{member}": […]}}')
    else:
        yield from _objects_of(text, member)
    if text.peek():
        raise text.error("there is more after the end of the JSON; give one array per file")


def _objects(text: "_Text") -> Iterator[tuple[int, bytes]]:
    """Yield the items of an array whose bracket is passed, and pass its end."""
    if text.peek() == "]":
        text.skip()
        return
    while True:
        begins = text.peek()
        if begins == '"':
            raise text.error('an item is a string; write objects: [{"references": ["…"], "candidate": "…"}]')
        if begins == ",":
            raise text.error("items must be objects with one comma between them; fix the JSON")
        if begins and begins not in "{[":
            raise text.error("an item is not an object, or there is a comma before the end; fix the JSON")
        yield text.value()
        after = text.peek()
        if after and after not in ",]":
            raise text.error("items must be objects with one comma between them; fix the JSON")
        text.skip()
        if after == "]":
            return


def _objects_of(text: "_Text", member: str) -> Iterator[tuple[int, bytes]]:
    """Yield the items of the array under a key, and pass over all other keys."""
    found = False
    while text.peek() in {"{", ","}:
        text.skip()
        if text.peek() == "}":
            break
        key = text.value()[1] if text.peek() == '"' else b""
        if text.peek() != ":":
            raise text.error("is not valid JSON (a key in quotes and a colon are expected); fix the file")
        text.skip()
        if key == b'"' + member.encode() + b'"' and text.peek() == "[":
            found = True
            text.skip()
            yield from _objects(text)
        else:
            text.peek()
            text.value()
    if text.peek() != "}":
        raise text.error("is not valid JSON (a comma or } is expected); fix the file")
    text.skip()
    if not found:
        raise text.error(f'has no array "{member}"; check the file')


class _Text:
    """The unread text of a source, one character per byte."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chunks = source.chunks()
        self._text = ""
        self._at = 0
        self._line = 1
        self._counted = 0
        """How far the line ends of the text are in `_line`."""

    def begin_array(self) -> None:
        """Pass the first bracket."""
        begins = self.peek()
        if begins == "]":
            raise self.error("a bracket is closed that was never opened; fix the JSON")
        if begins and begins != "[":
            raise self.error("is not a JSON array; begin it with [")
        self.skip()

    def peek(self) -> str:
        """Return the next character that is no space, or the empty string at the end."""
        while True:
            self._at = len(self._text) if (found := _NO_SPACE.search(self._text, self._at)) is None else found.start()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def skip(self) -> None:
        """Pass one character."""
        if self._at >= len(self._text):
            raise self._cut_short()
        self._at += 1

    def value(self) -> tuple[int, bytes]:
        """Pass the value that begins here; return its line and its bytes."""
        while True:
            try:
                _, end = _scan(self._text, self._at)
            except JSONDecodeError as error:
                open_string = error.msg.startswith("Unterminated string")
                if not open_string and error.pos < len(self._text) - _LONGEST_TOKEN:
                    raise self._invalid(error) from error
                if not self._grow():
                    short = open_string or error.pos >= len(self._text)
                    raise (self._cut_short() if short else self._invalid(error)) from error
                continue
            except RecursionError as error:
                raise self.error("is nested too deeply; give plain fields") from error
            # A number that ends with the text may go on.
            if end < len(self._text) or self._text[end - 1] in '"]}' or not self._grow():
                break
        self._count_to(self._at)
        found = self._line, self._text[self._at : end].encode("latin-1")
        self._at = end
        return found

    def error(self, problem: str) -> DataError:
        """Return an error with the current line."""
        self._count_to(self._at)
        return DataError(problem, self._source.name, self._line)

    def _grow(self) -> bool:
        """Read more, doubling the unread text so that long items cost linear time; return whether there was more."""
        self._count_to(self._at)
        left = self._text[self._at :]
        parts, held = [left], 0
        for chunk in self._chunks:
            parts.append(chunk.decode("latin-1"))
            held += len(chunk)
            if held >= len(left):
                break
        self._text, self._at, self._counted = "".join(parts), 0, 0
        if len(self._text) > LONGEST_LINE + held:
            raise self.error(f"an item is longer than {LONGEST_LINE >> 20} MiB; is a quote left open?")
        return held > 0

    def _count_to(self, end: int) -> None:
        self._line += self._text.count("\n", self._counted, end)
        self._counted = max(end, self._counted)

    def _invalid(self, error: JSONDecodeError) -> DataError:
        self._count_to(error.pos)
        return DataError(f"is not valid JSON ({error.msg.lower()}); fix the file", self._source.name, self._line)

    def _cut_short(self) -> DataError:
        return self.error("the JSON is cut short: a bracket is never closed; fetch or write the file again")
