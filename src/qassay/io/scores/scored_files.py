"""Reads back what `qassay score` wrote: JSON lines, CSV, TSV or Parquet."""

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qassay.errors import DataError
from qassay.io.parsing.delimited import header, records
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import ReadContext, ReadOptions, fail
from qassay.io.readers.formats import recognise
from qassay.io.readers.row_files.parquet import parquet_rows
from qassay.io.scores.score_tables import ASSERTED, ASSERTED_COLUMN, ATTEMPTED, EXTRA, REFERENCES_HASH, UNSCORED
from qassay.io.scores.scores_folder import ScoresFolder, scores_folder
from qassay.io.source import Source
from qassay.records import AnswerNotes


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One answer's scores as they were written."""

    id: str
    system: str
    scores: dict[str, float | None]
    unscored: dict[str, str] = field(default_factory=dict)
    """Why a score is missing, by spec."""
    judgement: float | None = None
    question_type: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    """The text of the question; answers that share it are resampled together."""
    references_hash: str = ""
    """Identifies the references that the answer was scored against; empty in files that do not have it."""
    notes: Mapping[str, AnswerNotes] = field(default_factory=dict)
    """What metrics noted of the answer, by spec."""


def read_scored(path: str | Path) -> Generator[ScoredRow, None, None]:
    """Yield the rows of any file that `qassay score` wrote, or of a folder that it wrote on a cluster."""
    folder = scores_folder(str(path))
    if folder is not None:
        yield from read_rows(folder)
        return
    source = Source.at(path)
    try:
        found = recognise(source, {}).format.name
        reading = _READINGS.get(found)
        if reading is None:
            raise DataError(f"holds no scores (it is {found}); give a file that `qassay score -o` wrote", source.name)
        yield from reading(source)
    finally:
        source.close()


def read_rows(rows: str | Path | ScoresFolder) -> Iterator[ScoredRow]:
    """Yield the rows of JSON lines that `qassay score` wrote."""
    files = map(str, rows.rows()) if isinstance(rows, ScoresFolder) else (rows,)
    for file in files:
        yield from _json_lines(Source.at(file))


def is_scored(path: str | Path) -> bool:
    """Whether a file holds scores and not answers, by its first row; a folder of scores does."""
    if scores_folder(str(path)) is not None:
        return True
    reading = read_scored(path)
    try:
        next(reading)
    except (DataError, StopIteration):
        return False
    finally:
        reading.close()
    return True


def are_scored(paths: Sequence[str]) -> bool:
    """Whether all files hold scores; standard input is taken to hold answers."""
    return all(each != "-" and is_scored(each) for each in paths)


def _json_lines(source: Source) -> Iterator[ScoredRow]:
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            try:
                row = _from_document(decode_row(line))
            except DECODING_ERRORS as error:
                if not line or line.isspace():
                    continue
                raise DataError(explain(line, error), source.name, number) from error
            except DataError as error:
                raise DataError(error.problem, source.name, number) from error
            yield row


def _from_document(row: dict[str, Any]) -> ScoredRow:
    scores, unscored = row.pop("scores", None), row.pop("unscored", {})
    if not isinstance(scores, dict) or not isinstance(unscored, dict):
        return fail('has no "scores"; give a file that `qassay score -o` wrote')
    question = row.pop("question", None)
    compared_with = _text(REFERENCES_HASH, row.pop(REFERENCES_HASH, None) or "")
    notes = _notes(row.get(ASSERTED))
    if notes:
        row = {name: value for name, value in row.items() if name not in {ASSERTED, ATTEMPTED}}
    return ScoredRow(
        _text("id", row.pop("id", None)),
        _text("system", row.pop("system", "")),
        {spec: _number(spec, value) for spec, value in scores.items()},
        {spec: _text("unscored", reason) for spec, reason in unscored.items()},
        _number("judgement", row.pop("judgement", None)),
        None if (kind := row.pop("question_type", None)) is None else _text("question_type", kind),
        row,
        "" if question is None else _text("question", question),
        compared_with,
        notes,
    )


def _notes(asserted: object) -> dict[str, AnswerNotes]:
    """Return what metrics read an answer to assert; nothing where the field is an input's own."""
    if not isinstance(asserted, dict) or not all(each is None or isinstance(each, str) for each in asserted.values()):
        return {}
    return {spec: AnswerNotes(text) for spec, text in asserted.items()}


def _table(source: Source, delimiter: str) -> Iterator[ScoredRow]:
    reading = records(source, ReadContext(ReadOptions(can_skip=False)), delimiter)
    names = header(reading, source)
    columns = _Columns(names, source)
    for line, cells in reading:
        try:
            row = columns.row([cell or None for cell in cells])
        except DataError as error:
            raise DataError(error.problem, source.name, line) from error
        yield row


def _parquet(source: Source) -> Iterator[ScoredRow]:
    columns: _Columns | None = None
    for number, row in enumerate(parquet_rows(source), 1):
        columns = columns or _Columns(list(row), source)
        try:
            scored = columns.row(list(row.values()))
        except DataError as error:
            raise DataError(error.problem, source.name, number) from error
        yield scored


class _Columns:
    """Which column is a score, which a reason and which an input's own field."""

    def __init__(self, names: Sequence[str], source: Source) -> None:
        known = {"id", "system", "question", "judgement", "question_type", REFERENCES_HASH}
        asserted = [name for name in names if name.endswith(ASSERTED_COLUMN) and not name.startswith(EXTRA)]
        self._asserted = [(name.removesuffix(ASSERTED_COLUMN), names.index(name)) for name in asserted]
        known |= {ATTEMPTED, *asserted} if asserted else set()
        self._at = {name: at for at, name in enumerate(names) if name in known}
        rest = [(name, at) for at, name in enumerate(names) if name not in known]
        self._extra = [(name.removeprefix(EXTRA), at) for name, at in rest if name.startswith(EXTRA)]
        self._reasons = [(name.removesuffix(UNSCORED), at) for name, at in rest if name.endswith(UNSCORED)]
        reasons = {at for _, at in self._reasons} | {at for _, at in self._extra}
        self._scores = [(name, at) for name, at in rest if at not in reasons]
        if "id" not in names or not self._scores or "candidate" in names:
            raise DataError("holds no scores; give a file that `qassay score -o` wrote", source.name)

    def row(self, cells: Sequence[Any]) -> ScoredRow:
        """Return a row made of cells; empty ones are `None`."""
        named = {name: cells[at] for name, at in self._at.items()}
        scores = {spec: _number(spec, cells[at]) for spec, at in self._scores}
        return ScoredRow(
            _text("id", named["id"]),
            named.get("system") or "",
            scores,
            {spec: _text("unscored", cells[at]) for spec, at in self._reasons if cells[at] is not None},
            _number("judgement", named.get("judgement")),
            named.get("question_type"),
            {name: cells[at] for name, at in self._extra if cells[at] is not None},
            named.get("question") or "",
            named.get(REFERENCES_HASH) or "",
            # An empty cell of a scored answer says that it asserts nothing.
            {
                spec: AnswerNotes(None if cells[at] is None else _text(ASSERTED, cells[at]))
                for spec, at in self._asserted
                if cells[at] is not None or scores.get(spec) is not None
            },
        )


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return fail(f'"{name}" is {value!r:.40}; it must be a number or null')
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return fail(f'"{name}" is {value!r:.40}; it must be a number or null')
    return number if math.isfinite(number) else fail(f'"{name}" is {value}; a missing score is null')


def _text(name: str, value: object) -> str:
    return value if isinstance(value, str) else fail(f'"{name}" is {value!r:.40}; it must be a string')


_READINGS: dict[str, Callable[[Source], Iterator[ScoredRow]]] = {
    "jsonl": _json_lines,
    "csv": lambda source: _table(source, ","),
    "tsv": lambda source: _table(source, "\t"),
    "parquet": _parquet,
}
