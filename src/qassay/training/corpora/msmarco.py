"""MS MARCO questions and answers, with one object per line or as the released file of columns keyed by row number."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training.files import read_json_lines, read_text


class MarcoPassage(msgspec.Struct):
    """A passage that a search found, and whether annotators selected it."""

    passage_text: str
    is_selected: int = 0


class MarcoRow(msgspec.Struct):
    """A query with its answers."""

    answers: list[str]
    query: str = ""
    query_id: int = 0
    passages: list[MarcoPassage] = []
    well_formed: list[str] | str = msgspec.field(name="wellFormedAnswers", default_factory=list)


def read(path: Path) -> Iterator[MarcoRow]:
    """Yield the queries of a file."""
    head, _, rest = read_text(path).lstrip().partition("\n")
    is_lines = bool(rest.strip()) and head.rstrip().endswith("}")
    try:
        columns = {} if is_lines else msgspec.json.decode(head + rest, type=dict[str, msgspec.Raw])
        by_row = {
            name: msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
            for name, raw in columns.items()
            if name in {"query", "answers", "passages", "wellFormedAnswers"}
        }
    except msgspec.DecodeError:
        # A file of one line is one object, not columns.
        by_row = {}
    if "query" not in by_row:
        yield from read_json_lines(path, MarcoRow)
        return
    for row in by_row["query"]:
        entry = {name: cells[row] for name, cells in by_row.items() if row in cells}
        yield msgspec.json.decode(msgspec.json.encode(entry), type=MarcoRow)
