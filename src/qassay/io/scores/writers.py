"""Scores -> JSON lines, CSV, TSV or Parquet."""

import gzip
import math
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from qassay.arrays import Floats
from qassay.errors import OutputError
from qassay.io.atomic_output import replacing
from qassay.io.example_columns import ExampleColumns
from qassay.io.parsing.rows import as_input
from qassay.io.scores.score_tables import (
    ASSERTED,
    ATTEMPTED,
    REFERENCES_HASH,
    ROW_GROUP,
    SCORE_FIELDS,
    Document,
    write_delimited,
    write_parquet,
)
from qassay.io.scores.scored_files import ScoredRow
from qassay.records import AnswerNotes, Example, attempted, hash_of_references, references_hash

# Objects that JSON has no words for come from Python callers only; they are written as they print.
_encoder = msgspec.json.Encoder(enc_hook=str)


class RowWriter(Protocol):
    """Writes all rows to one file, which appears only when it is complete."""

    def write(self, rows: Iterable[ScoredRow]) -> None:
        """Write the rows; on failure an older file of the name stays as it was."""

    def convert(self, lines: Path) -> None:
        """Write the rows of a file of JSON lines that `encode_jsonl` made."""


def encode_row(
    example: Example,
    scores: Mapping[str, float | None],
    unscored: Mapping[str, str],
    notes: Mapping[str, AnswerNotes] | None = None,
) -> Document:
    """Return an answer's scores as the JSON object that is written, with the input's unknown fields after ours.

    `notes` has what metrics noted of the answer, by spec. A field of the input whose name is one of ours is written as
    `NAME (input)`.
    """
    return _document(example, scores, unscored, notes or {})


def encode_jsonl(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Write each object on a line. NaN is never written: it becomes null."""
    return _encoder.encode_lines(rows if isinstance(rows, list) else list(rows))


def column_documents(
    columns: ExampleColumns,
    scores: Mapping[str, Floats],
    unscored: Mapping[str, Mapping[int, str]],
    notes: Mapping[str, Sequence[AnswerNotes | None]],
) -> list[Document]:
    """Return what `encode_row` returns for each answer of columns: scores by spec, reasons by spec and answer."""
    values = [[value if math.isfinite(value) else None for value in each.tolist()] for each in scores.values()]
    compared_with = map(hash_of_references, columns.references)
    rows = zip(columns.ids, columns.systems, columns.questions, compared_with, *values, strict=True)
    lacking = {i for each in unscored.values() for i in each}
    documents: list[Document] = []
    for i, (name, system, question, hashed, *row) in enumerate(rows):
        document: Document = {"id": name, "system": system, "scores": dict(zip(scores, row, strict=True))}
        if i in lacking:
            document["unscored"] = {spec: each[i] for spec, each in unscored.items() if i in each}
        if notes:
            document |= asserted_fields({spec: note for spec, each in notes.items() if (note := each[i]) is not None})
        if question:
            document["question"] = question
        document[REFERENCES_HASH] = hashed
        documents.append(document)
    return documents


def open_writer(path: str | Path, specs: Sequence[str]) -> RowWriter:
    """Return the writer for the file's extension; nothing is touched before rows are written."""
    place = Path(path)
    for extension, write in _WRITERS.items():
        if place.name.lower().endswith(extension):
            return _DocumentWriter(place, tuple(specs), write)
    raise OutputError(f"the kind of file is not known; end its name in {', '.join(_WRITERS)}", path)


def is_table(path: str) -> bool:
    """Whether a name ends as those of files do that can be written."""
    return path.lower().endswith(tuple(_WRITERS))


class _DocumentWriter:
    """Turns rows into JSON objects, and those into the file."""

    def __init__(self, path: Path, specs: tuple[str, ...], write: "_Write") -> None:
        self._path = path
        self._specs = specs
        self._write = write

    def write(self, rows: Iterable[ScoredRow]) -> None:
        """Write the rows; on failure an older file of the name stays as it was."""
        documents = (_document(row, row.scores, row.unscored, row.notes) for row in rows)
        with replacing(self._path) as partial_path, tempfile.TemporaryFile() as lines:
            while some := list(islice(documents, ROW_GROUP)):
                lines.write(encode_jsonl(some))
            self._write(partial_path, self._specs, lines)

    def convert(self, lines: Path) -> None:
        """Write the rows of a file of JSON lines that `encode_jsonl` made."""
        with lines.open("rb") as file, replacing(self._path) as partial_path:
            self._write(partial_path, self._specs, file)


def _document(
    row: Example | ScoredRow,
    scores: Mapping[str, float | None],
    unscored: Mapping[str, str],
    notes: Mapping[str, AnswerNotes],
) -> Document:
    document: Document = {
        "id": row.id,
        "system": row.system,
        "scores": {spec: _finite(value) for spec, value in scores.items()},
    }
    if unscored:
        document["unscored"] = dict(unscored)
    document |= asserted_fields(notes)
    if row.question:
        # Answers to one question are not independent: intervals and levels need to know which they are.
        document["question"] = row.question
    if row.judgement is not None:
        document["judgement"] = row.judgement
    if row.question_type is not None:
        document["question_type"] = row.question_type
    if compared_with := row.references_hash if isinstance(row, ScoredRow) else references_hash(row):
        document[REFERENCES_HASH] = compared_with
    for field, value in row.extra.items():
        document[as_input(field) if field in SCORE_FIELDS else field] = value
    return document


def asserted_fields(notes: Mapping[str, AnswerNotes]) -> Document:
    """Return the fields that say what an answer asserts, by spec, and whether it attempts the question, if any do."""
    if not notes:
        return {}
    return {ASSERTED: {spec: each.asserted for spec, each in notes.items()}, ATTEMPTED: attempted(notes)}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _write_jsonl(path: Path, _specs: Sequence[str], lines: IO[bytes]) -> None:
    lines.seek(0)
    with path.open("wb") as file:
        shutil.copyfileobj(lines, file)


def _write_compressed_jsonl(path: Path, _specs: Sequence[str], lines: IO[bytes]) -> None:
    lines.seek(0)
    # No name and no time inside, so that equal scores make equal files.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        shutil.copyfileobj(lines, file)


_Write = Callable[[Path, Sequence[str], IO[bytes]], None]
_WRITERS: dict[str, _Write] = {
    ".jsonl": _write_jsonl,
    ".jsonl.gz": _write_compressed_jsonl,
    ".csv": partial(write_delimited, ","),
    ".tsv": partial(write_delimited, "\t"),
    ".parquet": write_parquet,
}
