"""Files of published data sets, and files of training rows, with errors that name the file and the line."""

import csv
import gzip
import hashlib
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar
from xml.etree import ElementTree as ET

import msgspec

from qassay.errors import DataError

Row = TypeVar("Row")
_PACKED = {".gz": "a gzip", ".xz": "an xz"}
"""How files of training rows may be packed, by the end of their name."""


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as problem:
        raise DataError(_unopened(problem), path) from problem
    except UnicodeDecodeError as problem:
        raise DataError(f"not UTF-8 text: {problem}", path) from problem


def _unopened(problem: OSError) -> str:
    """Return why a file cannot be read, for a message."""
    match problem:
        case FileNotFoundError():
            return "there is no such file"
        case IsADirectoryError():
            return "is a folder; give a file inside it"
        case _:
            return f"cannot be read: {problem.strerror}"


def read_json(path: Path, shape: type[Row]) -> Row:
    """Return one JSON document of the given shape."""
    try:
        return msgspec.json.decode(read_text(path), type=shape)
    except msgspec.DecodeError as problem:
        raise DataError(f"not in the expected format: {problem}", path) from problem


def read_json_lines(path: Path, shape: type[Row]) -> Iterator[Row]:
    """Yield the documents of a file with one JSON document per line, each of the given shape."""
    decoder = msgspec.json.Decoder(shape)
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not in the expected format: {problem}", path, number) from problem


def read_table(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a file of tab-separated columns without quoting."""
    for line in read_text(path).split("\n"):
        if line:
            yield line.rstrip("\r").split("\t")


def read_csv(path: Path, delimiter: str = ",", *, quoted: bool = True) -> "csv.DictReader[str]":
    """Return the rows of a file of columns with a header; without `quoted` quotation marks are plain text."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    return csv.DictReader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, quoting=quoting)


def read_xml(path: Path) -> ET.Element:
    """Return the root of an XML document."""
    try:
        return ET.fromstring(read_text(path))  # noqa: S314 - data set files that the user names
    except ET.ParseError as problem:
        raise DataError(f"not XML: {problem}", path) from problem


def read_archive(path: Path, chosen: Callable[[str], bool], what: str) -> list[bytes]:
    """Return the chosen files of a ZIP archive, in the order of their names; `what` says what there must be."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [archive.read(name) for name in sorted(archive.namelist()) if chosen(name)]
    except OSError as problem:
        raise DataError(f"{_unopened(problem)}; {what} is needed", path) from problem
    except zipfile.BadZipFile as problem:
        raise DataError(f"not a ZIP archive: {problem}; {what} is needed", path) from problem
    if not found:
        raise DataError(f"is not {what}", path)
    return found


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_rows(path: Path, rows: Iterable[msgspec.Struct]) -> int:
    """Write rows as JSON lines and return their number."""
    encoder = msgspec.json.Encoder()
    count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
            count += 1
    return count


def write_sides(folder: Path, sides: Mapping[str, Iterable[msgspec.Struct]], report: Mapping[str, object]) -> None:
    """Write `SIDE.jsonl` per side of a split, and `sources.json`: where the rows come from, and how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    for side, rows in sides.items():
        write_rows(folder / f"{side}.jsonl", rows)
    (folder / "sources.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def read_rows(
    path: Path, decoder: msgspec.json.Decoder[Row], kind: str, fault: Callable[[Row], str | None] = lambda _: None
) -> Iterator[Row]:
    """Yield the rows that `qassay build KIND` wrote; raise an error with the place of the first bad one.

    `fault` returns what is wrong with a row of the right fields. Files whose name ends in .gz or .xz are unpacked.
    """
    if not path.is_file():
        raise DataError(f"there is no such file; make one with `qassay build {kind}`", path)
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise DataError(f"not a row of {kind} data: {problem}", path, number) from problem
        if found := fault(row):
            raise DataError(found, path, number)
        yield row


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with _opened(path) as file:
            yield from file
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as problem:
        raise DataError(f"not {_PACKED[path.suffix]} file: {problem}", path) from problem


def _opened(path: Path) -> io.BufferedIOBase:
    match path.suffix:
        case ".gz":
            return gzip.GzipFile(path)
        case ".xz":
            return lzma.LZMAFile(path)
        case _:
            return path.open("rb")


def read_sides(folder: Path, read: Callable[[Path], Iterator[Row]], sides: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows of `SIDE.jsonl` per side of a split; none may be empty."""
    rows = {side: list(read(folder / f"{side}.jsonl")) for side in sides}
    for side, found in rows.items():
        if not found:
            raise DataError("there are no rows in this file", folder / f"{side}.jsonl")
    return rows
