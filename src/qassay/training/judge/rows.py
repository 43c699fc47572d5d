"""One row of judge training data: a candidate answer, what it is held against, and how right it is."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from qassay.training import files
from qassay.training.answer_text import group_of, token_f1
from qassay.training.splits import DEV, TEST, TRAIN, hashes_below, held_back

_DEV_SHARE = 0.15


class JudgeRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A candidate with its references, the probability that it is right, and where the row comes from."""

    question: str
    """May be empty: some sources have none, and the judge must do without."""
    references: tuple[str, ...]
    candidate: str
    label: float
    """From 0 (wrong) to 1 (right); between them where people disagreed or called it possible."""
    source: str
    group: str
    """Rows of one group never stand on both sides of the split."""
    context: str = ""

    @classmethod
    def of(  # noqa: PLR0917 - the fields, in their order
        cls, question: str, reference: str, candidate: str, label: float, source: str, context: str = ""
    ) -> "JudgeRow":
        """Return a row with one reference that is grouped by its question."""
        return cls(question, (reference,), candidate, label, source, group_of(question), context)


def side_of(row: JudgeRow) -> str:
    """Return on which side of the split a row stands, by the hash of its group alone.

    EVOUNA's held-back questions are the test, which QED, made from Natural Questions too, may share; of all the others
    15 % are for choosing and calibrating.
    """
    if row.source.startswith(("evouna", "qed")) and held_back(row.question):
        return TEST
    return DEV if hashes_below(row.group, _DEV_SHARE) else TRAIN


def single_references(rows: Iterable[JudgeRow]) -> Iterator[JudgeRow]:
    """Yield rows with one reference each, as a judge of single pairs learns from them.

    A right answer is held against the reference most like it, for it need not match the others. A wrong answer is
    wrong against all: the two most like it are kept.
    """
    right = 0.5
    for row in rows:
        ordered = sorted(row.references, key=lambda text: -token_f1(text, row.candidate))
        for reference in ordered[: 1 if row.label >= right else 2]:
            yield msgspec.structs.replace(row, references=(reference,))


_decoder = msgspec.json.Decoder(JudgeRow)


def read_rows(path: Path) -> Iterator[JudgeRow]:
    """Yield the rows that `qassay build judge` wrote; raise an error with the place of the first bad one."""
    return files.read_rows(path, _decoder, "judge", _fault)


def _fault(row: JudgeRow) -> str | None:
    if not row.references:
        return '"references" is empty; give at least one'
    if not 0 <= row.label <= 1:
        return f'"label" is {row.label:g}; it goes from 0 (wrong) to 1 (right)'
    return None
