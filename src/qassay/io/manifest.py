"""Which public data files Qassay knows: where each is published, at which commit, its size and its hash."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from qassay.errors import QassayError

GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One published file, named by its path in the data folder: `bench/kpqa_human/marco_all.csv`."""

    name: str
    repository: str
    path: str
    commit: str
    size: int
    sha256: str

    def url(self, base_url: str = GITHUB) -> str:
        """Return its address: the commit never changes, so neither does the file."""
        return f"{base_url}/{self.repository}/{self.commit}/{quote(self.path)}"


@dataclass(frozen=True, slots=True)
class OmittedFile:
    """A file of a set that is not fetched, with its source and the reason."""

    name: str
    repository: str
    path: str
    commit: str
    reason: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """A named set of public files."""

    name: str
    about: str
    licence: str
    """As its source states it."""
    files: tuple[DataFile, ...]
    left_out: tuple[OmittedFile, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """What the files are for: `bench` to measure on and never to train on, `train`, `resources`."""
        names = [each.name for each in self.files] + [each.name for each in self.left_out]
        return tuple(sorted({name.partition("/")[0] for name in names}))

    @property
    def size(self) -> int:
        """Bytes of all files that can be fetched."""
        return sum(file.size for file in self.files)

    def missing(self, folder: Path) -> tuple[DataFile, ...]:
        """Return the files that are missing from the folder or incomplete, by their sizes."""
        return tuple(file for file in self.files if _size(folder / file.name) != file.size)


@cache
def list_sets() -> tuple[DataSet, ...]:
    """Return all sets, by name."""
    rows = _rows("manifest.tsv")
    return tuple(
        _data_set(row, (each for each in rows if each["file"].split("/")[1] == row["name"]))
        for row in _rows("sets.tsv")
    )


def find_set(name: str) -> DataSet:
    """Return the set of that name; raise an error with the nearest name if there is none."""
    sets = {each.name: each for each in list_sets()}
    if name not in sets:
        begun = [each for each in sets if name and each.startswith(name)]
        close = begun or get_close_matches(name, sets, n=1, cutoff=0.5)
        nearest = f'did you mean "{close[0]}"? ' if close else ""
        raise QassayError(f'there is no data set "{name}"; {nearest}`qassay data list` shows them all')
    return sets[name]


def _data_set(row: dict[str, str], entries: Iterable[dict[str, str]]) -> DataSet:
    published, left_out = [], []
    for each in entries:
        source = (each["file"], each["repository"], each["path"], each["commit"])
        if each["left_out"]:
            left_out.append(OmittedFile(*source, each["left_out"]))
        else:
            published.append(DataFile(*source, int(each["bytes"]), each["sha256"]))
    return DataSet(row["name"], row["about"], row["licence"], tuple(published), tuple(left_out))


def _rows(table: str) -> list[dict[str, str]]:
    text = files("qassay.io").joinpath(table).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
