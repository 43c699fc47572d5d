"""Summaries with their references and documents, and pairs of short answers: two more shapes of JSON lines."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from qassay.data.intake import Intake, Reading, fail
from qassay.data.jsonl import DECODING_ERRORS, decode_row, explain
from qassay.data.rows import Row, rename, to_example
from qassay.data.source import Source
from qassay.errors import DataError
from qassay.records import Example

ANSWER_CONTEXT = "answer_context"
"""The field that holds the text an expected answer was taken from; the prediction's own is the example's context."""


def read_summaries(sources: Sequence[Source], intake: Intake) -> Reading:
    """Read `{"id", "system", "summary", "references", "document", "judgement"}`, one a line.

    The summary becomes the candidate and the document the context. One of references and document may be missing.
    """
    return _read(sources[0], intake, _summary)


def read_pairs(sources: Sequence[Source], intake: Intake) -> Reading:
    """Read `{"id", "question", "answer", "prediction", "answer_context", "prediction_context", "judgement"}`.

    The answer becomes the reference, the prediction the candidate and its context the example's.
    """
    return _read(sources[0], intake, _pair)


def _read(source: Source, intake: Intake, convert: Callable[[Row, str, int, str], Example]) -> Reading:
    system = intake.system()
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            try:
                row: Row = decode_row(line)
                rename(row, intake.options.mapping)
                example = convert(row, source.stem, number, system)
            except DECODING_ERRORS as error:
                if line and not line.isspace():
                    intake.refuse(explain(line, error), source.name, number)
                continue
            except DataError as error:
                intake.refuse(error.problem, source.name, number)
                continue
            yield example, source.name, number


def _summary(row: Row, stem: str, number: int, system: str) -> Example:
    if "summary" not in row:
        fail('"summary" is missing; give it, or write null where the system gave none')
    if not isinstance(row["summary"], str | None):
        fail(f'"summary" is {row["summary"]!r:.40}; write it as a string, or null where the system gave none')
    row["candidate"] = row.pop("summary")
    row["context"] = row.pop("document", None)
    bare = not row.get("references")
    if bare:
        if row["context"] is None:
            fail('there is neither "references" nor "document"; give what the summary is to be held against')
        # Rows must have references everywhere else; here the document may stand alone.
        row["references"] = [""]
    example = to_example(row, stem, number, system)
    return replace(example, references=()) if bare else example


def _pair(row: Row, stem: str, number: int, system: str) -> Example:
    for name in ("answer", "prediction"):
        if name not in row:
            fail(f'"{name}" is missing; give it in every row')
    if not isinstance(row["answer"], str):
        fail(f'"answer" is {row["answer"]!r:.40}; write it as a string')
    if not isinstance(row.get(ANSWER_CONTEXT), str | None):
        fail(f'"{ANSWER_CONTEXT}" is {row[ANSWER_CONTEXT]!r:.40}; write it as a string')
    row["references"] = [row.pop("answer")]
    row["candidate"] = row.pop("prediction")
    row["context"] = row.pop("prediction_context", None)
    return to_example(row, stem, number, system)
