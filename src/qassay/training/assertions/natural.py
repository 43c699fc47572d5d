"""Natural answers with the words that they assert: sentences with a marked answer, refusals, and short answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.text.refusal import is_refusal
from qassay.training.answer_text import group_of
from qassay.training.corpora import evouna as evouna_corpus
from qassay.training.keyphrase import sources as marked
from qassay.training.reader import sources as passages
from qassay.training.reader.rows import ReaderRow
from qassay.training.splits import held_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from qassay.training.keyphrase.rows import KeyphraseRow

_NATURAL_QUESTIONS = frozenset({"evouna", "qed"})
"""Sets whose questions may be among those kept for the judge's test."""


def _marked(
    reader: Callable[[Path, str], Iterator[KeyphraseRow]], source: str
) -> Callable[[Path], Iterator[ReaderRow]]:
    def read(path: Path) -> Iterator[ReaderRow]:
        for row in reader(path, source):
            if source not in _NATURAL_QUESTIONS or not held_back(row.question):
                yield ReaderRow(row.question, row.answer, row.spans, source, row.group)

    return read


def refusals(path: Path) -> Iterator[ReaderRow]:
    """Yield systems' answers that decline to answer, judged wrong by a person (EVOUNA): they assert nothing."""
    for row in evouna_corpus.read(path):
        for answer in row.answers:
            if answer.verdict is False and is_refusal(answer.text) and not held_back(row.question):
                yield ReaderRow(row.question, answer.text, (), "refusals", group_of(row.question))


READERS: dict[str, Callable[[Path], Iterator[ReaderRow]]] = {
    "squad_sentences": _marked(marked.squad_answers, "squad"),
    "evouna_sentences": _marked(marked.evouna, "evouna"),
    "qed_sentences": _marked(marked.qed, "qed"),
    "trec_sentences": _marked(marked.trec, "trecqa"),
    "qadialog_sentences": _marked(marked.answer_sentences, "qadialog"),
    "qamr_sentences": _marked(marked.qamr, "qamr"),
    "refusals": refusals,
    "squad_passages": lambda path: passages.squad(path, "squad_passages"),
}
"""Readers of natural rows, by format."""
