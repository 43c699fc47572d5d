"""The tables of the rules: tab-separated files with a header, in `data/`."""

from __future__ import annotations

from functools import cache
from importlib import resources


def read_bytes(name: str) -> bytes:
    """Return a table's file."""
    return resources.files("qassay.equivalence").joinpath("data", f"{name}.tsv").read_bytes()


@cache
def read_table(name: str) -> tuple[tuple[str, ...], ...]:
    """Return a table's rows without its header."""
    lines = read_bytes(name).decode().splitlines()
    return tuple(tuple(line.split("\t")) for line in lines[1:])


def read_words(name: str) -> frozenset[str]:
    """Return a table of one column as a set of words."""
    return frozenset(row[0] for row in read_table(name))
