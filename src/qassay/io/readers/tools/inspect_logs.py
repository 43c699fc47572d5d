"""The logs of Inspect: `.eval`, a zip of samples, and one JSON document."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import IO, Any

from qassay.errors import DataError
from qassay.io.locations import Location
from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_python_object, explain
from qassay.io.parsing.mapped_fields import as_question, as_references, message_text
from qassay.io.parsing.read_context import ReadContext
from qassay.io.parsing.rows import Row
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.readers.tools.tool_rows import UNLIKE
from qassay.io.source import Source, readable

_ZIP = b"PK\x03\x04"
_HEADER, _START = "header.json", "_journal/start.json"
_SAMPLES = "samples/"
_MODEL = re.compile(rb'"model"\s*:\s*("(?:[^"\\]|\\.)*")')
_EVAL = re.compile(rb'"eval"\s*:\s*\{')
_EPOCHS = re.compile(rb'"epochs"\s*:\s*(\d+)')
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's letters: correct, partially correct, incorrect, no answer."""
_ZSTANDARD = 93
_LOCAL_HEADER = 30


class Inspect(Format):
    """Inspect's logs of evaluations, .eval or .json."""

    name = "inspect"
    extensions = (".eval",)
    priority = SPECIFIC

    def recognises(self, head: Head) -> bool:
        """Whether there is a zip with the members of a log, or a JSON document with an evaluation and samples."""
        if head.bytes.startswith(_ZIP):
            return head.extension in self.extensions or b"_journal/" in head.bytes or _SAMPLES.encode() in head.bytes
        if not head.start.startswith(b"{") or head.line is not None or not _EVAL.search(head.long_start):
            return False
        start = head.long_start
        return b'"status"' in start and b'"samples"' in start and b'"task"' in start

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
        """Yield the samples; those of several epochs are samples of one question."""
        reading = _zipped if source.head(len(_ZIP)).startswith(_ZIP) else _document
        return reading(source, context)


def _document(source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
    start = Head(source).long_start
    evaluation = _EVAL.search(start)
    named = _MODEL.search(start, evaluation.start() if evaluation else 0)
    model = decode_python_object(b'{"model":' + named[1] + b"}")["model"] if named else ""
    several = (epochs := _EPOCHS.search(start)) is not None and int(epochs[1]) > 1
    for line, text in items(source, member="samples"):
        row = _sample(text, model, source, context, line, several=several)
        if row is not None:
            yield row, line


def _zipped(source: Source, context: ReadContext) -> Iterator[tuple[Row, int]]:
    if source.path is None or not source.is_file:
        raise DataError("an .eval log cannot be read from a pipe; give a file", source.name)
    source.head(1)
    source.close()
    path = source.path.seekable() if isinstance(source.path, Location) else source.path
    with readable(source.name), zipfile.ZipFile(path) as archive:
        members = {each.filename: each for each in archive.infolist()}
        top = next((members[name] for name in (_HEADER, _START) if name in members), None)
        if top is None:
            raise DataError(f"has no {_HEADER}: it is no log of Inspect; check the file", source.name)
        try:
            evaluation = decode_python_object(_member(archive, top)).get("eval") or {}
            model = f"{evaluation.get('model') or ''}"
            several = ((evaluation.get("config") or {}).get("epochs") or 1) > 1
        except (*DECODING_ERRORS, *UNLIKE) as error:
            problem = f"has a {top.filename} that is not what inspect writes ({error!r:.60}); check the file"
            raise DataError(problem, source.name) from error
        samples = [each for name, each in members.items() if name.startswith(_SAMPLES) and name.endswith(".json")]
        for number, each in enumerate(samples, 1):
            row = _sample(_member(archive, each), model, source, context, number, several=several)
            if row is not None:
                yield row, number
    source.bytes_read = source.size or 0


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member, which newer versions of Inspect compress with Zstandard."""
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    import zstandard  # noqa: PLC0415 - optional, for such members only

    raw: IO[bytes] = archive.fp  # type: ignore[assignment]  # open while the archive is
    raw.seek(member.header_offset)
    local = raw.read(_LOCAL_HEADER)
    raw.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), 1)
    return zstandard.ZstdDecompressor().decompressobj().decompress(raw.read(member.compress_size))


def _sample(text: bytes, model: str, source: Source, context: ReadContext, line: int, *, several: bool) -> Row | None:
    """Return a sample as a row; None where it is refused."""
    try:
        return to_row(decode_python_object(text), model, several=several)
    except DECODING_ERRORS as error:
        context.refuse(explain(text, error), source.name, line)
    except UNLIKE as error:
        context.refuse(f"is not what inspect writes ({error!r:.60}); check the sample", source.name, line)
    return None


def to_row(sample: Mapping[str, Any], model: str, *, several: bool) -> Row:
    """Return a sample as a row: its scores as fields of the scorers' names, its metadata as it is."""
    epoch, name = sample.get("epoch"), f"{sample.get('id')}"
    row: Row = {"id": name, "candidate": _completion(sample), "system": model}
    target = as_references(sample.get("target"))
    # A sample without a target has an empty one.
    if found := [each for each in target if each != ""] if isinstance(target, list) else target:
        row["references"] = found
    question = as_question(sample.get("input"))
    if isinstance(question, str):
        row["question"] = question
    if epoch is not None and several:
        row["sample"] = epoch
    if sample.get("metadata"):
        row["metadata"] = sample["metadata"]
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, Mapping) else score
        row.setdefault(scorer, _GRADES.get(value, value) if isinstance(value, str) else value)
    return row


def _completion(sample: Mapping[str, Any]) -> str | None:
    """Return what the model answered; None where the sample ended in an error."""
    output = sample.get("output") or {}
    if isinstance(output.get("completion"), str):
        return str(output["completion"]) if output["completion"] or not sample.get("error") else None
    choices = output.get("choices") or []
    content = (choices[0].get("message") or {}).get("content") if choices else None
    if isinstance(content, list):
        return str(message_text({"content": content}))
    return content if isinstance(content, str) else None
