"""Reading the graphs of a model folder without a library for them: an ONNX file is a small protocol buffer.

Only what `qassay.training.export` writes is read: nodes with their attributes, and the small arrays that lie in the
graph; the large ones lie in the file of weights.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DTYPES = {1: np.float32, 3: np.int8, 7: np.int64, 10: np.float16}
"""ONNX's numbers of the types of arrays."""
_HALF_RANGE, _FULL_RANGE = 1 << 63, 1 << 64

Field = tuple[int, int | bytes]


class Node(NamedTuple):
    """An operator with the names of its inputs and outputs."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, float]


class GraphFile(NamedTuple):
    """A graph: nodes in the order in which they run, inputs and outputs by name, and the arrays that lie in it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    widths: tuple[int, ...]
    """How many numbers each row of an output has."""
    nodes: tuple[Node, ...]
    arrays: dict[str, NDArray[Any]]


def read_graph(path: Path) -> GraphFile:
    """Read a graph from its file."""
    try:
        (graph,) = [value for number, value in _fields(path.read_bytes()) if number == 7]  # noqa: PLR2004 - ONNX's number
        return _graph(_as_bytes(graph))
    except (OSError, ValueError, IndexError, KeyError, struct.error, UnicodeDecodeError) as problem:
        raise ModelError(f"{path}: damaged, or not a graph of Qassay's: {problem}; export the model again") from problem


def _graph(content: bytes) -> GraphFile:
    found: dict[int, list[bytes]] = {}
    for number, value in _fields(content):
        if isinstance(value, bytes):
            found.setdefault(number, []).append(value)
    arrays = dict(filter(None, map(_array, found.get(5, []))))
    inputs, outputs = (tuple(_text(_only(each, 1)) for each in found.get(number, [])) for number in (11, 12))
    widths = tuple(_width(each) for each in found.get(12, []))
    return GraphFile(inputs, outputs, widths, tuple(map(_node, found.get(1, []))), arrays)


def _width(content: bytes) -> int:
    """Return the last of an output's dimensions."""
    # Of the output its type, of that a tensor's, of that the shape.
    shape = _only(_only(_only(content, 2), 1), 2)
    dimensions = [dict(_fields(_as_bytes(each))) for number, each in _fields(shape) if number == 1]
    return _signed(dimensions[-1].get(1, 0))


def _node(content: bytes) -> Node:
    inputs, outputs, kind, attributes = [], [], "", {}
    for number, value in _fields(content):
        if number == 1:
            inputs.append(_text(value))
        elif number == 2:  # noqa: PLR2004 - ONNX's numbers of fields
            outputs.append(_text(value))
        elif number == 4:  # noqa: PLR2004
            kind = _text(value)
        elif number == 5:  # noqa: PLR2004
            name, setting = _attribute(_as_bytes(value))
            attributes[name] = setting
    return Node(kind, tuple(inputs), tuple(outputs), attributes)


def _attribute(content: bytes) -> tuple[str, float]:
    """Return an attribute's name and its number."""
    found = dict(_fields(content))
    if 2 in found:  # noqa: PLR2004 - a float
        return _text(found[1]), float(struct.unpack("<f", _as_bytes(found[2]))[0])
    return _text(found[1]), _signed(found.get(3, 0))


def _array(content: bytes) -> tuple[str, NDArray[Any]] | None:
    """Return a small array with its name, or None for one that lies in the file of weights."""
    dims, kind, name, raw = [], 0, "", None
    for number, value in _fields(content):
        if number == 1:
            dims += _integers(value)
        elif number == 2 and isinstance(value, int):  # noqa: PLR2004
            kind = value
        elif number == 8:  # noqa: PLR2004
            name = _text(value)
        elif number == 9:  # noqa: PLR2004
            raw = _as_bytes(value)
    return None if raw is None else (name, np.frombuffer(raw, _DTYPES[kind]).reshape(dims))


def _integers(value: int | bytes) -> list[int]:
    """Return repeated integers, packed or one by one."""
    if isinstance(value, int):
        return [_signed(value)]
    found, place = [], 0
    while place < len(value):
        number, place = _varint(value, place)
        found.append(_signed(number))
    return found


def _fields(content: bytes) -> Iterator[Field]:
    """Yield the fields of a protocol buffer: number and content."""
    place = 0
    while place < len(content):
        tag, place = _varint(content, place)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, place = _varint(content, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _varint(content, place)
        else:
            size = {_FIXED64: 8, _FIXED32: 4}[kind]
        if place + size > len(content):
            raise ValueError("it ends too early")
        yield number, content[place : place + size]
        place += size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the last byte of a number
            return value, place
        shift += 7


def _signed(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ValueError("a number was expected")  # noqa: TRY004 - the file is wrong, not the caller
    return value - _FULL_RANGE if value >= _HALF_RANGE else value


def _only(content: bytes, wanted: int) -> bytes:
    return next(_as_bytes(value) for number, value in _fields(content) if number == wanted)


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("bytes were expected")  # noqa: TRY004 - the file is wrong, not the caller
    return value


def _text(value: int | bytes) -> str:
    return _as_bytes(value).decode()
