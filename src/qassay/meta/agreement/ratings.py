"""Raw ratings of many people: files in long or wide form -> arrays, and clean judgements back to a file."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.io.atomic_output import replacing
from qassay.io.parsing.delimited import delimiter_of
from qassay.io.parsing.read_context import ReadContext, ReadOptions
from qassay.io.source import Source
from qassay.meta.agreement.rating_rows import Columns, Drawn, Form, Item, RatingRow, rating_rows
from qassay.meta.statistics.panel import finite_or_missing

Scale = tuple[float, float]
"""The lowest and the highest rating that can be given."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One value per row: who rated which item how. There are no rows for missing ratings."""

    item: Ints
    items: tuple[Item, ...]
    annotator: Ints
    annotators: tuple[str, ...]
    value: Floats
    drawn: Mapping[Item, Drawn] = field(default_factory=dict)
    """For items that `accuracy --next` chose: in which round, and with which probability."""
    groups: Mapping[Item, str] = field(default_factory=dict)
    """The group of each item, where the file was read by groups; "" for none."""

    @classmethod
    def build(
        cls, item: Sequence[Item], annotator: Sequence[str], value: ArrayLike, scale: Scale | None = None
    ) -> Self:
        """Number items and annotators in the order in which they appear; missing values (NaN) are dropped.

        A value outside the scale, or a second rating of an item by the same person, is a `DataError`.
        """
        values = finite_or_missing(value, "ratings")
        if not len(item) == len(annotator) == len(values):
            raise DataError("give an item, an annotator and a value for every rating")
        given = np.flatnonzero(~np.isnan(values)).tolist()
        items: dict[Item, int] = {}
        annotators: dict[str, int] = {}
        codes = np.array([items.setdefault(item[i], len(items)) for i in given], dtype=np.int64)
        people = np.array([annotators.setdefault(annotator[i], len(annotators)) for i in given], dtype=np.int64)
        present = values[given]
        if scale is not None:
            outside = np.flatnonzero((present < scale[0]) | (present > scale[1]))
            if len(outside):
                raise DataError(f"row {given[outside[0]] + 1}: {_outside(float(present[outside[0]]), scale)}")
        _, first = np.unique(codes * max(1, len(annotators)) + people, return_index=True)
        if len(first) < len(codes):
            again = np.setdiff1d(np.arange(len(codes)), first)[0]
            raise DataError(f"row {given[again] + 1}: {_again(annotator[given[again]], item[given[again]])}")
        return cls(codes, tuple(items), people, tuple(annotators), present)

    def __len__(self) -> int:
        return len(self.value)

    def of_group(self, group: str) -> Self:
        """Return the ratings of one group's items."""
        rows = [row for row, item in enumerate(self.item.tolist()) if self.groups[self.items[item]] == group]
        people = [self.annotators[self.annotator[row]] for row in rows]
        return self.build([self.items[self.item[row]] for row in rows], people, self.value[rows])


def _outside(value: float, scale: Scale) -> str:
    return f"rating {value:g} is outside the scale from {scale[0]:g} to {scale[1]:g}; correct it or the scale"


def _again(annotator: str, item: Item) -> str:
    of = f' of system "{item[1]}"' if item[1] else ""
    return f'"{annotator}" rates "{item[0]}"{of} a second time; keep one of the two'


def read_ratings(
    paths: str | Path | Sequence[str | Path],
    *,
    form: Form = "auto",
    columns: Columns | None = None,
    scale: Scale | None = None,
    salt: bytes | None = None,
    on_error: Literal["stop", "skip"] = "stop",
) -> tuple[Ratings, ReadContext]:
    """Read ratings from CSV, TSV or JSON lines (plain, gzip or Zstandard), and say what was left out.

    Long form has one rating per row, wide form one item per row, one column per annotator; empty cells and nulls
    are missing ratings. Several files are read as one. With `salt` the annotators' ids are replaced by a keyed hash as
    they are read.
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    context = ReadContext(ReadOptions(on_error=on_error))
    by_annotator: dict[tuple[Item, str], RatingRow] = {}
    groups: dict[Item, str] = {}
    for path in files:
        source = Source.at(path)
        before = len(by_annotator)
        for row in rating_rows(source, context, columns or Columns(), form):
            if scale is not None and not scale[0] <= row.value <= scale[1]:
                context.refuse(_outside(row.value, scale), source.name, row.line)
            elif (row.item, row.annotator) in by_annotator:
                context.refuse(_again(row.annotator, row.item), source.name, row.line)
            elif (group := groups.setdefault(row.item, row.group)) != row.group:
                of = f' of system "{row.item[1]}"' if row.item[1] else ""
                problem = f'"{row.item[0]}"{of} is of "{row.group}" here and of "{group}" before; give it one group'
                context.refuse(problem, source.name, row.line)
            else:
                by_annotator[row.item, row.annotator] = row
        if len(by_annotator) == before:
            raise DataError("there are no ratings in it; check the file", source.name)
    rows = list(by_annotator.values())
    people = [row.annotator for row in rows]
    ratings = Ratings.build(
        [row.item for row in rows], people if salt is None else pseudonymise(people, salt), [row.value for row in rows]
    )
    return replace(ratings, drawn=_draws(rows), groups=groups), context


def _draws(rows: Sequence[RatingRow]) -> dict[Item, Drawn]:
    """Return the draw that chose an item, if all of its ratings agree on it."""
    found: dict[Item, set[Drawn | None]] = {}
    for row in rows:
        found.setdefault(row.item, set()).add(row.drawn)
    return {item: drawn for item, (drawn, *others) in found.items() if drawn is not None and not others}


def pseudonymise(names: Sequence[str], salt: bytes) -> list[str]:
    """Replace names by a BLAKE2b hash keyed with a salt, so that people stay distinct and anonymous."""
    if not 0 < len(salt) <= hashlib.blake2b.MAX_KEY_SIZE:
        raise DataError(f"the salt has {len(salt)} bytes; give 1 to {hashlib.blake2b.MAX_KEY_SIZE}")
    known = {name: hashlib.blake2b(name.encode(), key=salt, digest_size=8).hexdigest() for name in dict.fromkeys(names)}
    return [known[name] for name in names]


def write_judgements(path: str | Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of judgements as JSON lines, CSV or TSV, whole or not at all.

    `ItemJudgement.row()` gives such rows; `correlate` takes the file as it is when answers are joined by id.
    """
    target = Path(path)
    extension = target.suffix.lower().removeprefix(".")
    if extension == "jsonl":
        text = "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)
    elif extension in {"csv", "tsv"}:
        buffer = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(buffer, names, delimiter=delimiter_of(extension), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
        text = buffer.getvalue()
    else:
        raise DataError("judgements are written as .jsonl, .csv or .tsv; choose one of these", target)
    with replacing(target) as partial:
        partial.write_text(text, encoding="utf-8")
