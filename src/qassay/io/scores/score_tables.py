"""Scores as tables: one row per answer, one column per metric."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import IO, Any, NamedTuple

import msgspec

from qassay.errors import OutputError
from qassay.io.parsing.json_rows import decode_object

Document = dict[str, Any]
"""One answer's scores as the JSON object that JSON lines hold."""

REFERENCES_HASH = "references_hash"
"""The field that tells whether two scores of one question were computed against the same references."""
ASSERTED, ATTEMPTED = "asserted", "attempted"
"""The fields that say what metrics read an answer to assert, by spec, and whether it asserts anything."""
SCORE_FIELDS = (
    "id",
    "system",
    "scores",
    "unscored",
    ASSERTED,
    ATTEMPTED,
    "question",
    "judgement",
    "question_type",
    REFERENCES_HASH,
)
"""The fields of such an object that are ours; any other came with the input."""

UNSCORED = " unscored"
"""Suffix of the column with the reasons why a metric has no score; no spec holds a space."""
ASSERTED_COLUMN = f" {ASSERTED}"
"""Suffix of the column with what a metric read an answer to assert."""
EXTRA = "extra."
"""Prefix of a column that was a field of the input which Qassay does not use."""

ROW_GROUP = 1 << 14
_CELLS = {float, str, NoneType}
_NOTHING: Document = {}

_encode = msgspec.json.Encoder(enc_hook=str).encode


class Column(NamedTuple):
    """A column of a table of scores."""

    name: str
    within: str | None
    """The field that holds the value under `key`, or `None` where the row itself does."""
    key: str
    is_number: bool

    def value_in(self, document: Document) -> Any:  # noqa: ANN401 - an input's own field may hold anything
        """Return the value as the document has it."""
        return (document if self.within is None else document.get(self.within, {})).get(self.key)

    def cells(self, documents: Sequence[Document]) -> list[float | str | None]:
        """Return the values as cells hold them."""
        within, key = self.within, self.key
        held = documents if within is None else [document.get(within, _NOTHING) for document in documents]
        values = [each.get(key) for each in held]
        if _CELLS.issuperset(map(type, values)):
            return values
        return [each if isinstance(each, float | str | None) else self._cell(each) for each in values]

    def _cell(self, value: Any) -> float | str:  # noqa: ANN401 - as above
        return float(value) if self.is_number else _encode(value).decode()


def write_delimited(delimiter: str, path: Path, specs: Sequence[str], lines: IO[bytes]) -> None:
    """Write JSON lines as comma- or tab-separated text; an empty cell is a missing value."""
    columns = columns_of(_decoded(lines), specs)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow([column.name for column in columns])
        for group in _groups(lines):
            writer.writerows(zip(*(column.cells(group) for column in columns), strict=True))


def write_parquet(path: Path, specs: Sequence[str], lines: IO[bytes]) -> None:
    """Write JSON lines as Parquet: text and double-precision columns, in groups of rows."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional and heavy
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError as error:
        raise OutputError('Parquet needs pyarrow; pip install "qassay[parquet]"', path) from error
    columns = columns_of(_decoded(lines), specs)
    schema = pa.schema([(column.name, pa.float64() if column.is_number else pa.string()) for column in columns])
    with parquet.ParquetWriter(path, schema) as writer:
        for group in _groups(lines):
            writer.write_table(pa.table([column.cells(group) for column in columns], schema=schema))


def columns_of(documents: Iterable[Document], specs: Sequence[str]) -> list[Column]:
    """Return the columns of all rows; each row may add some."""
    present: dict[str, None] = {}
    unscored: set[str] = set()
    asserted: set[str] = set()
    for document in documents:
        present.update(dict.fromkeys(document))
        unscored.update(document.get("unscored", ()))
        asserted.update(document.get(ASSERTED, ()))
    return [
        Column("id", None, "id", is_number=False),
        Column("system", None, "system", is_number=False),
        *([Column("question", None, "question", is_number=False)] if "question" in present else []),
        *([Column("judgement", None, "judgement", is_number=True)] if "judgement" in present else []),
        *([Column("question_type", None, "question_type", is_number=False)] if "question_type" in present else []),
        *(Column(spec, "scores", spec, is_number=True) for spec in specs),
        *(Column(f"{spec}{UNSCORED}", "unscored", spec, is_number=False) for spec in specs if spec in unscored),
        *(Column(f"{spec}{ASSERTED_COLUMN}", ASSERTED, spec, is_number=False) for spec in specs if spec in asserted),
        *([Column(ATTEMPTED, None, ATTEMPTED, is_number=False)] if asserted else []),
        *([Column(REFERENCES_HASH, None, REFERENCES_HASH, is_number=False)] if REFERENCES_HASH in present else []),
        *(Column(f"{EXTRA}{name}", None, name, is_number=False) for name in present if name not in SCORE_FIELDS),
    ]


def _decoded(lines: IO[bytes]) -> Iterator[Document]:
    lines.seek(0)
    return map(decode_object, lines)


def _groups(lines: IO[bytes]) -> Iterator[list[Document]]:
    rest = _decoded(lines)
    while group := list(islice(rest, ROW_GROUP)):
        yield group
