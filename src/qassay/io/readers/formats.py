"""The one table of formats, and how each is recognised by its content."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any, Literal

from qassay.errors import DataError, option
from qassay.io.readers.answer_selection import AS2_COLUMNS, read_as2, read_trec
from qassay.io.readers.dureader import ZIP_MAGIC, read_dureader
from qassay.io.readers.evouna import read_evouna
from qassay.io.readers.jsonl import DECODING_ERRORS, decode_row, read_json, read_jsonl
from qassay.io.readers.openqa import ANSWER_COLUMNS, GOLD, read_openqa
from qassay.io.readers.parquet import read_parquet
from qassay.io.readers.read_context import FIELDS, ReadContext, Reading
from qassay.io.readers.squad import read_squad
from qassay.io.readers.summaries import PAIR_FIELDS, SUMMARY_FIELDS, is_pair, is_summary, read_pairs, read_summaries
from qassay.io.readers.tables import read_csv, read_kpqa, read_tsv
from qassay.io.source import BYTE_ORDER_MARK, Source

HEAD = 1 << 16
LONG_HEAD = 1 << 22
"""How far the first line of JSON is followed; one line of DuReader is some 30 KB, all of SQuAD is one line."""
PARQUET_MAGIC = b"PAR1"

Role = Literal["data", "answers"]
"""Whether an input stands for itself, or holds a system's answers to the questions of the input before it."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file that Qassay reads."""

    name: str
    description: str
    extensions: tuple[str, ...]
    read: Callable[[Sequence[Source], ReadContext], Reading]
    takes_answers: bool = False
    """Whether files of answers may follow the file of questions."""
    fields: tuple[str, ...] = FIELDS
    """What a field may be renamed to."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What an input looks like."""

    format: str
    role: Role = "data"


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("jsonl", "one JSON object a line, also .gz and .zst", (".jsonl", ".ndjson"), read_jsonl),
        Format("json", "one JSON array of the same objects", (".json",), read_json),
        Format("csv", "comma-separated, with a header; references as reference1, reference2 …", (".csv",), read_csv),
        Format("tsv", "tab-separated, with a header", (".tsv",), read_tsv),
        Format("parquet", "Parquet with the fields of jsonl as columns", (".parquet", ".pq"), read_parquet),
        Format("squad", "SQuAD 1.1 or 2.0 data, then predictions", (".json",), read_squad, takes_answers=True),
        Format(
            "dureader", "DuReader 2.0 data, then results if any", (".json", ".zip"), read_dureader, takes_answers=True
        ),
        Format("kpqa", "KPQA's human scores: question, answer, reference1 …, scores", (".csv",), read_kpqa),
        Format("evouna", "EVOUNA: five systems' answers with verdicts", (".json",), read_evouna),
        Format("as2", "answer selection tables (WikiQA)", (".tsv",), read_as2),
        Format("trec", "TREC-QA's tagged sentences", (".xml",), read_trec),
        Format(
            "summaries", "summaries with references or documents", (".jsonl",), read_summaries, fields=SUMMARY_FIELDS
        ),
        Format("pairs", "pairs of answers, with their contexts", (".jsonl",), read_pairs, fields=PAIR_FIELDS),
        Format(
            "openqa",
            "NQ-301 with gold answers, then one file of verdicts if any",
            (".tsv",),
            read_openqa,
            takes_answers=True,
        ),
    )
}

_COMPRESSED = (".gz", ".zst")
_PLAIN = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_SQUAD_DATA = re.compile(rb'"data"\s*:\s*\[')
_TEXT_MEMBER = re.compile(rb'\s*\{\s*"([^"]*)"\s*:\s*(?:"|null)')
_NUMBERED = re.compile(r"reference\d*")


def format_named(name: str) -> Format:
    """Look a format up, or say which there are."""
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1)
    nearest = f"; did you mean {close[0]}?" if close else ""
    raise DataError(f"there is no format {name}{nearest} (formats: auto, {', '.join(FORMATS)})")


def recognise(source: Source, mapping: Mapping[str, str]) -> Recognised:
    """Tell the format by the content, and only where that leaves it open by the extension."""
    head = source.head(HEAD).removeprefix(BYTE_ORDER_MARK)
    start = head.lstrip()
    if not start:
        raise DataError("is empty: there are no answers in it; check the file", source.name)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("is UTF-16; save it as UTF-8", source.name)
    if head.startswith(PARQUET_MAGIC):
        return Recognised("parquet")
    if head.startswith(ZIP_MAGIC):
        return Recognised("dureader")
    if start.startswith(b"<QApairs"):
        return Recognised("trec")
    if start.startswith(b"["):
        return Recognised("evouna" if b'"golden_answer"' in start and b'"judge_' in start else "json")
    object_like = start.startswith(b"{")
    found = _recognise_object(source, start, mapping) if object_like else _recognise_header(start, mapping)
    return found or _by_extension(source)


def _recognise_object(source: Source, start: bytes, mapping: Mapping[str, str]) -> Recognised | None:
    """Tell JSON lines from one large object, and DuReader's lines from ours."""
    line, _, rest = start.partition(b"\n")
    if rest.strip() and (row := _decoded(line)) is not None:
        return _recognise_line(row, mapping)
    head = source.head(LONG_HEAD)
    start = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if _SQUAD_DATA.search(start) and b'"paragraphs"' in start:
        return Recognised("squad")
    if (whole := _decoded(start)) is not None:
        return _recognise_whole(whole, source, mapping)
    if b'"question_id"' in start.partition(b"\n")[0]:
        return Recognised("dureader")
    first_key = _TEXT_MEMBER.match(start)
    if len(head) == LONG_HEAD and first_key and first_key[1].decode(errors="replace") not in FIELDS:
        return Recognised("squad", "answers")
    return None if line.strip() == b"{" else Recognised("jsonl")


def _decoded(text: bytes) -> dict[str, Any] | None:
    try:
        return decode_row(text)
    except DECODING_ERRORS:
        return None


def _recognise_whole(row: Mapping[str, Any], source: Source, mapping: Mapping[str, str]) -> Recognised | None:
    """Tell a single row from a map of answers, and give up on any other object that fills a file."""
    ours = (*FIELDS, *mapping.values(), "question_id", "scores", "summary")
    if _named(source) == "jsonl" or is_pair(row) or any(field in row for field in ours):
        return _recognise_line(row, mapping)
    if all(value is None or isinstance(value, str) for value in row.values()):
        return Recognised("squad", "answers")
    return None


def _recognise_line(row: Mapping[str, Any], mapping: Mapping[str, str]) -> Recognised:
    if "question_id" in row and "candidate" not in row:
        if "question" in row or "documents" in row:
            return Recognised("dureader")
        if "answers" in row:
            return Recognised("dureader", "answers")
    if "candidate" not in mapping and "scores" not in row:
        if is_summary(row):
            return Recognised("summaries")
        if is_pair(row):
            return Recognised("pairs")
    return Recognised("jsonl")


def _recognise_header(start: bytes, mapping: Mapping[str, str]) -> Recognised | None:
    """Tell tables by the names of their columns."""
    try:
        line = start.partition(b"\n")[0].decode().rstrip("\r")
        delimiter = "\t" if "\t" in line else ","
        names = {name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])}
    except (UnicodeDecodeError, csv.Error):
        return None
    if delimiter == "\t" and names.issuperset(AS2_COLUMNS):
        return Recognised("as2")
    if delimiter == "\t" and names.issuperset(ANSWER_COLUMNS):
        return Recognised("openqa", "data" if GOLD in names else "answers")
    if delimiter == "," and names.issuperset({"question", "answer", "reference1", "scores"}):
        return Recognised("kpqa")
    ours = {name for name in names if name in FIELDS or _NUMBERED.fullmatch(name)}
    if ours or names.intersection(mapping.values()):
        return Recognised("tsv" if delimiter == "\t" else "csv")
    return None


def _by_extension(source: Source) -> Recognised:
    name = _named(source)
    if name is None:
        problem = f"the format is not recognised; name it with {option('format')} ({', '.join(FORMATS)})"
        raise DataError(problem, source.name)
    return Recognised(name)


def _named(source: Source) -> str | None:
    """Return the format that the file's name promises, if it is one that says enough."""
    suffixes = [suffix for suffix in PurePath(source.stem.lower()).suffixes if suffix not in _COMPRESSED]
    return _PLAIN.get(suffixes[-1]) if suffixes else None
