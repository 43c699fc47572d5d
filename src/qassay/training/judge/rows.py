"""One row of judge training data: a candidate answer, what it is held against, and how right it is."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from qassay.arrays import Ints
from qassay.training import files as row_files
from qassay.training.held_back import held_back
from qassay.training.keyphrase.rows import question_key, words

TRAIN, DEV, TEST = "train", "dev", "test"
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


def group_of(question: str) -> str:
    """Return the group of a question: the same for every wording that differs in case, spaces and marks alone."""
    return f"question:{question_key(question)}"


def side_of(row: JudgeRow) -> str:
    """Say on which side of the split a row stands, by the hash of its group alone.

    EVOUNA's held-back questions are the test, which QED, made from Natural Questions too, may share; of all the others
    15 % are for choosing and calibrating.
    """
    if row.source.startswith(("evouna", "qed")) and held_back(row.question):
        return TEST
    digest = hashlib.sha256(b"dev " + row.group.encode()).digest()
    return DEV if int.from_bytes(digest[:8], "big") < _DEV_SHARE * 2**64 else TRAIN


def folds_of(groups: Sequence[str], folds: int) -> Ints:
    """Return each row a fold by the hash of its group, so that a question's answers are never parted."""
    return np.array([zlib.crc32(group.encode()) % folds for group in groups], np.int64)


def token_f1(left: str, right: str) -> float:
    """Return the token F1 of two answers, articles left out."""
    a, b = (Counter(word for word, _ in words(text) if word not in {"a", "an", "the"}) for text in (left, right))
    shared = (a & b).total()
    return 2 * shared / (a.total() + b.total()) if shared else 0.0


def single_references(rows: Iterable[JudgeRow]) -> Iterator[JudgeRow]:
    """Return rows with one reference each, as a judge of single pairs learns from them.

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
    """Read rows that `qassay build judge` wrote, or stop with the place of the first bad one."""
    return row_files.read_rows(path, _decoder, "judge", _fault)


def _fault(row: JudgeRow) -> str | None:
    if not row.references:
        return '"references" is empty; give at least one'
    if not 0 <= row.label <= 1:
        return f'"label" is {row.label:g}; it goes from 0 (wrong) to 1 (right)'
    return None
