"""Summaries with their references and documents, and pairs of short answers: two more shapes of JSON lines."""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qassay.errors import DataError, option
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import ReadContext, fail
from qassay.io.parsing.rows import Row, as_input, rename, to_example
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source
from qassay.records import ANSWER_CONTEXT, Example

SUMMARY_FIELDS = ("id", "system", "summary", "references", "document", "question_type", "judgement")
PAIR_FIELDS = (
    "id",
    "system",
    "question",
    "answer",
    "prediction",
    ANSWER_CONTEXT,
    "prediction_context",
    "question_type",
    "judgement",
)


class _JsonLines(Format):
    priority = SPECIFIC

    def recognises(self, head: Head) -> bool:
        """Whether the first row has the fields of this format, and `--map` and scores do not say otherwise."""
        row = head.row
        return row is not None and "candidate" not in head.mapping and "scores" not in row and self.fits(row)

    @abstractmethod
    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is one of this format and not one of answers."""


class Summaries(_JsonLines):
    """Summaries with references or documents."""

    name = "summaries"
    fields = SUMMARY_FIELDS

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether there is a summary with references or a document."""
        return "summary" in row and "candidate" not in row and ("references" in row or "document" in row)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read `{"id", "system", "summary", "references", "document", "judgement"}`, one per line.

        The summary becomes the candidate and the document the context. References or document may be missing.
        """
        return _read(source, context, to_summary, {"candidate": "SUMMARY", "context": "DOCUMENT"})


class AnswerPairs(_JsonLines):
    """Pairs of answers, with their contexts."""

    name = "pairs"
    fields = PAIR_FIELDS
    variants = ("qaeval",)

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether there are two answers, and the context of one.

        Answers and predictions alone may be anything, and are read as pairs only when the format is named.
        """
        contexts = {ANSWER_CONTEXT, "prediction_context"}
        return "answer" in row and "prediction" in row and "candidate" not in row and not contexts.isdisjoint(row)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read `{"id", "question", "answer", "prediction", "answer_context", "prediction_context", "judgement"}`.

        The answer becomes the reference, the prediction the candidate and its context the example's.
        """
        return _read(source, context, to_pair, {"references": "ANSWER", "candidate": "PREDICTION"})


def _read(
    source: Source, context: ReadContext, convert: Callable[[Row, str, int, str], Example], as_table: dict[str, str]
) -> Iterator[tuple[Example, int]]:
    system = context.system()
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            try:
                row: Row = decode_row(line)
                rename(row, context.options.mapping)
                example = convert(row, source.stem, number, system)
            except DECODING_ERRORS as error:
                if line and not line.isspace():
                    table = number == 1 and re.match(rb"[^{\[]*[,\t]", line)
                    remedy = (
                        f"; a table is read with {option('format', 'csv')} (or tsv) and {option('columns', as_table)}"
                    )
                    remedy = remedy if table else ""
                    context.refuse(explain(line, error) + remedy, source.name, number)
                continue
            except DataError as error:
                context.refuse(error.problem, source.name, number)
                continue
            yield example, number


def to_summary(row: Row, stem: str, number: int, system: str) -> Example:
    """Return the example of a summary's row; the row is emptied."""
    _check_texts(row, needed=("summary",), optional=("document",), nullable="summary")
    _take(row, {"candidate": "summary", "context": "document"})
    bare = not row.get("references")
    if bare:
        if row["context"] is None:
            fail('there is neither "references" nor "document"; give one to compare the summary with')
        # Rows must have references everywhere else; here the document may stand alone.
        row["references"] = [""]
    example = to_example(row, stem, number, system)
    return replace(example, references=()) if bare else example


def to_pair(row: Row, stem: str, number: int, system: str) -> Example:
    """Return the example of a pair's row; the row is emptied."""
    contexts = (ANSWER_CONTEXT, "prediction_context")
    _check_texts(row, needed=("answer", "prediction"), optional=contexts, nullable="prediction")
    _take(row, {"references": "answer", "candidate": "prediction", "context": "prediction_context"})
    if not row["references"].strip():
        fail('"answer" is empty; give the expected answer, or leave the pair out')
    row["references"] = [row["references"]]
    return to_example(row, stem, number, system)


def _check_texts(row: Row, *, needed: Sequence[str], optional: Sequence[str], nullable: str) -> None:
    """Raise `DataError` with the names that these rows have; `null` is for what a system did not give."""
    for name in (*needed, *optional):
        value = row.get(name)
        if name in needed and name not in row:
            known = ", ".join(map(str, list(row)[:8])) or "none"
            remedy = f"name the field that holds it with {option('columns', {name: 'NAME'})}"
            fail(f'"{name}" is missing; {remedy} (fields here: {known})')
        if not isinstance(value, str | None) or (value is None and name in needed and name != nullable):
            null = ", or null where there is none" if name == nullable or name in optional else ""
            fail(f'"{name}" is {value!r:.40}; write it as a string{null}')


def _take(row: Row, names: Mapping[str, str]) -> None:
    """Rename fields to those of answers; a field that had such a name before is kept as `NAME (input)`."""
    for ours in names:
        if ours in row:
            row[as_input(ours)] = row.pop(ours)
    for ours, theirs in names.items():
        row[ours] = row.pop(theirs, None)
