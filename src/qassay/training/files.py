"""Files of training rows as `qassay build` writes them: one JSON document a line, `train.jsonl` beside `dev.jsonl`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from qassay.errors import DataError

Row = TypeVar("Row")


def write_rows(path: Path, rows: Iterable[msgspec.Struct]) -> int:
    """Write rows as JSON lines and give their number."""
    encoder = msgspec.json.Encoder()
    count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
            count += 1
    return count


def read_rows(
    path: Path, decoder: msgspec.json.Decoder[Row], kind: str, fault: Callable[[Row], str | None] = lambda _: None
) -> Iterator[Row]:
    """Read the rows that `qassay build KIND` wrote, or stop with the place of the first bad one.

    `fault` says what is wrong with a row that has the right fields.
    """
    if not path.is_file():
        raise DataError(f"there is no such file; make one with `qassay build {kind}`", path)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not a row of {kind} data: {problem}", path, number) from problem
            if found := fault(row):
                raise DataError(found, path, number)
            yield row


def read_sides(folder: Path, read: Callable[[Path], Iterator[Row]], sides: Sequence[str]) -> dict[str, list[Row]]:
    """Read `SIDE.jsonl` for each side of a split; none may be empty."""
    rows = {side: list(read(folder / f"{side}.jsonl")) for side in sides}
    for side, found in rows.items():
        if not found:
            raise DataError("there are no rows in this file", folder / f"{side}.jsonl")
    return rows
