"""One JSON object -> a dictionary, or an error with the remedy."""

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

from qassay.errors import DataError

_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NOT_A_NUMBER = re.compile(rb"[:\[,]\s*-?(NaN|Infinity|nan|inf)\b")
_END_OF_KEY = re.compile(rb'"\s*:')

DECODING_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises; `msgspec.ValidationError` is a `DecodeError`."""

decode_object = msgspec.json.Decoder(dict[str, Any]).decode
"""Decodes an object without checks: of two fields of one name the last counts."""


def decode_python_object(text: bytes) -> dict[str, Any]:
    """Decode an object as Python's own `json` writes it: NaN and Infinity, which are not JSON, are nothing."""
    try:
        return decode_object(text)
    except msgspec.DecodeError:
        if not _NOT_A_NUMBER.search(text):
            raise
        try:
            found = json.loads(text, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise
        return found


def decode_row(text: bytes, decode: Callable[[bytes], dict[str, Any]] = decode_object) -> dict[str, Any]:
    """Decode an object; raise `DataError` where a field comes twice."""
    row = decode(text)
    # Each name is followed by a colon: as many colons as names leave none for a second of the same name.
    if text.count(b":") != len(row) and len(_END_OF_KEY.findall(text)) != len(row):
        refuse_repeated_names(text)
    return row


def refuse_repeated_names(text: bytes) -> None:
    """Raise `DataError` if any object in the text, which is known to be JSON, has two fields of one name."""
    json.loads(text, object_pairs_hook=_different)


def _different(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            name = next(each for at, each in enumerate(names) if each in names[:at])
            raise DataError(f'has "{name:.40}" twice; keep one')


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
    return f"is not valid JSON ({detail}); write one JSON object per row"


def _decodes(text: bytes) -> bool:
    try:
        decode_object(text)
    except DECODING_ERRORS:
        return False
    return True
