"""JSON lines, one row a line; also the JSON array of the same rows."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from qassay.errors import DataError
from qassay.io.readers.json_array import items
from qassay.io.readers.read_context import ReadContext, Reading
from qassay.io.readers.rows import Row, rename, to_example
from qassay.io.source import Source

_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NOT_A_NUMBER = re.compile(rb"[:\[,]\s*-?(NaN|Infinity|nan|inf)\b")

DECODING_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises; `msgspec.ValidationError` is a `DecodeError`."""

decode_row = msgspec.json.Decoder(dict[str, Any]).decode


def read_jsonl(sources: Sequence[Source], context: ReadContext) -> Reading:
    """Read one row a line; blank lines do not count as rows."""
    source = sources[0]
    mapping, system = context.options.mapping, context.system()
    name, stem = source.name, source.stem
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            try:
                row: Row = decode_row(line)
                if mapping:
                    rename(row, mapping)
                example = to_example(row, stem, number, system)
            except DECODING_ERRORS as error:
                if line and not line.isspace():
                    context.refuse(explain(line, error), name, number)
                continue
            except DataError as error:
                context.refuse(error.problem, name, number)
                continue
            yield example, name, number


def read_json(sources: Sequence[Source], context: ReadContext) -> Reading:
    """Read the rows of one JSON array, one after the other; a missing id is `FILE:NUMBER` of the row."""
    source = sources[0]
    for number, (line, item) in enumerate(items(source), 1):
        try:
            row: Row = decode_row(item)
            rename(row, context.options.mapping)
            example = to_example(row, source.stem, number, context.system())
        except DECODING_ERRORS as error:
            context.refuse(explain(item, error), source.name, line)
            continue
        except DataError as error:
            context.refuse(error.problem, source.name, line)
            continue
        yield example, source.name, line


def explain(text: bytes, error: Exception) -> str:
    """Return why a row is not a JSON object, and what to do."""
    if b"\0" in text:
        return "holds a NUL byte: the file is damaged or not UTF-8; save it as UTF-8"
    match error:
        case UnicodeDecodeError():
            return f"is not UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"
        case RecursionError():
            return "is nested too deeply; give plain fields"
        case msgspec.ValidationError() if "out of range" in str(error):
            return "holds a number that is out of range; write it as a string"
        case msgspec.ValidationError():
            return 'is not a JSON object; write {"references": ["…"], "candidate": "…"}'
        case _:
            return _explain_syntax(text, str(error))


def _explain_syntax(text: bytes, detail: str) -> str:
    if found := _NOT_A_NUMBER.search(text):
        return f"holds {found[1].decode()}, which is not JSON; write null"
    if _HALF_A_PAIR.search(text) and _decodes(_HALF_A_PAIR.sub(b"?", text)):
        return "holds half of a surrogate pair, such as \\ud800, which is no character; remove it"
    detail = detail.removeprefix("JSON is malformed: ").lower()
    return f"is not valid JSON ({detail}); write one JSON object a row"


def _decodes(text: bytes) -> bool:
    try:
        decode_row(text)
    except DECODING_ERRORS:
        return False
    return True
