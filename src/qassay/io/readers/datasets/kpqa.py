"""KPQA's human scores: tables whose column of scores is told from its content."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qassay.io.parsing.read_context import ReadContext
from qassay.io.readers.format import HEAD, SPECIFIC, Format, Head
from qassay.io.readers.row_files.tables import NUMBERED, read_table
from qassay.io.source import BYTE_ORDER_MARK, Source
from qassay.records import Example, Reference

COLUMNS = frozenset({"question", "answer", "reference1"})
"""KPQA's names (Lee et al. 2021, github.com/hwanheelee1993/KPQA), which `scores` and more references may follow."""
SCORES = "scores"
_BETWEEN_REFERENCES = "/"


class Kpqa(Format):
    """KPQA's human scores: question, answer, reference1 …, scores."""

    name = "kpqa"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether the columns are KPQA's, and one of them holds the scores."""
        delimiter, names = head.columns
        return delimiter == "," and names >= COLUMNS and _score_column(head.bytes) is not None

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read an answer, its references and the mean score that people gave.

        In the file on SemEval the score stands under `reference2`, and `reference1` holds all references, separated by
        slashes.
        """
        context.no_mapping(self.name)
        column = _score_column(source.head(HEAD)) or SCORES
        misplaced = column != SCORES
        examples = read_table(source, context, ",", {"candidate": "answer", "judgement": column}, padded=misplaced)
        return map(_split_references, examples) if misplaced else examples


def _score_column(head: bytes) -> str | None:
    """Return `scores`, or the last column of references where that one has numbers and `scores` has none."""
    text = head.removeprefix(BYTE_ORDER_MARK).decode(errors="replace")
    # The last line of a long file is cut off.
    complete = text if len(head) < HEAD else text[: text.rfind("\n") + 1]
    try:
        rows = [cells for cells in csv.reader(io.StringIO(complete, newline="")) if cells]
    except csv.Error:
        rows = []
    names = [name.strip() for name in rows[0]] if rows else [SCORES]
    others = [name for name in names if NUMBERED.fullmatch(name)][1:]
    for name in [SCORES, *others[-1:]]:
        if name in names and _holds_numbers(rows[1:], names.index(name)):
            return name
    return SCORES if SCORES in names else None


def _holds_numbers(rows: Sequence[Sequence[str]], at: int) -> bool:
    cells = [row[at] for row in rows if at < len(row) and row[at].strip()]
    return bool(cells) and all(map(_is_number, cells))


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _split_references(found: tuple[Example, int]) -> tuple[Example, int]:
    example, line = found
    parts = (part.strip() for each in example.references for part in each.text.split(_BETWEEN_REFERENCES))
    references = tuple(Reference(part) for part in dict.fromkeys(parts) if part)
    extra = {name: value for name, value in example.extra.items() if name != SCORES}
    return replace(example, references=references or example.references, extra=extra), line
