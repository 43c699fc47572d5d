"""What a training set is built from: files with their formats and stated licences, and recipes that list them."""

import json
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

from qassay.errors import DataError, SpecError
from qassay.training.answer_text import question_key
from qassay.training.files import digest, read_csv, read_json, read_text

NONE_STATED = "none stated"
_RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class DataSource:
    """One file to build from."""

    format: str
    path: Path
    name: str = ""
    """The source that its rows carry; where there is none, the format."""
    licence: str = NONE_STATED
    most: int | None = None
    """The most training rows that it may give."""

    def described(self) -> dict[str, str]:
        """Return what `sources.json` holds of it: the licence and the checksum beside the name."""
        return {"path": self.path.name, "licence": self.licence, "sha256": digest(self.path)}


def read_recipe(name: str, folder: Path) -> list[DataSource]:
    """Return the files behind an embedded model, in the folder that holds the public training sets.

    A file whose name begins with @ lies beside the recipe.
    """
    return [
        DataSource(row["format"], _file(row["file"], folder), row.get("name", ""), row["licence"], row.get("most"))
        for row in _recipe(name)["sources"]
    ]


def _file(name: str, folder: Path) -> Path:
    return _RECIPES / name[1:] if name.startswith("@") else folder / name


def licences(name: str) -> dict[str, str]:
    """Return the licence that the sources of each format of a recipe state."""
    others: dict[str, str] = _recipe(name).get("licences", {})
    return {source.format: source.licence for source in read_recipe(name, Path())} | others


def _recipe(name: str) -> dict[str, Any]:
    return tomllib.loads((_RECIPES / f"{name}.toml").read_text(encoding="utf-8"))


def parse_source(text: str, recipe: str, formats: Collection[str], what: str = "FORMAT") -> DataSource:
    """Return the file that `format:path` names, as in `squad:dev-v1.1.json`."""
    kind, colon, path = text.partition(":")
    if not colon or kind not in formats:
        raise SpecError(f'"{text}" is not {what}:FILE with a {what.lower()} among {", ".join(formats)}')
    return DataSource(kind, Path(path), licence=licences(recipe)[kind])


def licensed(sources: Iterable[DataSource], left_out: Counter[str]) -> list[DataSource]:
    """Return the sources that state a licence, and count the others."""
    chosen = [source for source in sources if source.licence != NONE_STATED]
    if unlicensed := len(list(sources)) - len(chosen):
        left_out["file without a stated licence"] += unlicensed
    return chosen


def nothing_left(left_out: Mapping[str, int]) -> DataError:
    """Return the error that no row has come of the sources, and why."""
    reasons = ", ".join(f"{reason}: {count}" for reason, count in left_out.items())
    return DataError(f"no row is left to build from; left out: {reasons or 'nothing, the files hold none'}")


def counts_by_source(sides: Mapping[str, Iterable[Any]]) -> dict[str, dict[str, int]]:
    """Count rows by source and side."""
    counted = {side: Counter(row.source for row in rows) for side, rows in sides.items()}
    names = sorted({name for counts in counted.values() for name in counts})
    return {name: {side: counts[name] for side, counts in counted.items()} for name in names}


def questions_in(paths: Iterable[Path]) -> set[str]:
    """Return the questions of evaluation files, as keys, so that training can leave them out.

    Reads JSON, JSON lines, CSV and TSV with a field or column `question` (any case), and TREC-QA's tagged text.
    """
    return {key for keys in questions_by_file(paths).values() for key in keys}


def questions_by_file(paths: Iterable[Path]) -> dict[Path, set[str]]:
    """Return the questions of each evaluation file, as keys."""
    return {path: {key for question in _questions(path) if (key := question_key(question))} for path in paths}


class _Asking(Protocol):
    @property
    def question(self) -> str: ...


Asking = TypeVar("Asking", bound=_Asking)


def without_questions(rows: Iterable[Asking], keys: Collection[str], met: set[str]) -> Iterator[Asking]:
    """Yield the rows whose question is not among the keys of evaluation sets; those that were are added to `met`."""
    for row in rows:
        if (key := question_key(row.question)) in keys:
            met.add(key)
        else:
            yield row


def _questions(path: Path) -> Iterator[str]:
    if path.suffix == ".xml":
        lines = read_text(path).splitlines()
        yield from (" ".join(following.split("\t")) for tag, following in pairwise(lines) if tag == "<question>")
    elif path.suffix == ".jsonl":
        for line in read_text(path).split("\n"):
            yield from _values_named_question(json.loads(line) if line.strip() else None)
    elif path.suffix == ".json":
        yield from _values_named_question(read_json(path, object))
    else:
        # WikiQA's test file holds stray quotation marks; in a CSV file they quote.
        rows = read_csv(path, "\t", quoted=False) if path.suffix == ".tsv" else read_csv(path)
        column = next((name for name in rows.fieldnames or () if name.casefold() == "question"), None)
        if column is None:
            raise DataError('there is no column "question"', path, 1)
        yield from (row[column] or "" for row in rows)


def _values_named_question(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name.casefold() == "question" and isinstance(value, str):
                yield value
            else:
                yield from _values_named_question(value)
    elif isinstance(node, list):
        for value in node:
            yield from _values_named_question(value)


def answers_in(paths: Iterable[Path]) -> set[str]:
    """Return the reference texts of CSV files of evaluation, as keys, so that training can leave them out.

    Some training sources have no questions by which an overlap would show.
    """
    found: set[str] = set()
    for path in paths:
        rows = read_csv(path)
        columns = [name for name in rows.fieldnames or () if name.casefold().startswith("reference")]
        if not columns:
            raise DataError('there is no column "reference1"', path, 1)
        found.update(question_key(row[name] or "") for row in rows for name in columns)
    return found - {""}
