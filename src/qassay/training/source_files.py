"""Opening the files of published data sets, with errors that name the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from qassay.errors import DataError

Shape = TypeVar("Shape")


def read_text(path: Path) -> str:
    """Read a whole text file as UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as missing:
        raise DataError("there is no such file", path) from missing
    except UnicodeDecodeError as problem:
        raise DataError(f"not UTF-8 text: {problem}", path) from problem


def read_json(path: Path, shape: type[Shape]) -> Shape:
    """Read one JSON document of the given shape."""
    try:
        return msgspec.json.decode(read_text(path), type=shape)
    except msgspec.DecodeError as problem:
        raise DataError(f"not in the expected format: {problem}", path) from problem


def read_json_lines(path: Path, shape: type[Shape]) -> Iterator[Shape]:
    """Read a file with one JSON document a line, each of the given shape."""
    decoder = msgspec.json.Decoder(shape)
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not in the expected format: {problem}", path, number) from problem


def read_table(path: Path) -> Iterator[list[str]]:
    """Read a file of tab-separated columns without quoting."""
    for line in read_text(path).split("\n"):
        if line:
            yield line.rstrip("\r").split("\t")
