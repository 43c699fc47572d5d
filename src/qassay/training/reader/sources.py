"""Reader rows from published data: questions on passages, with the spans that answer them or none.

Each function takes a file and the source name that its rows carry.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from qassay.training.answer_text import find_phrase, group_of
from qassay.training.corpora import multirc as multirc_corpus
from qassay.training.corpora import others
from qassay.training.corpora import qed as qed_corpus
from qassay.training.corpora import squad as squad_corpus
from qassay.training.corpora import wikiqa as wikiqa_corpus
from qassay.training.keyphrase import sources as marked
from qassay.training.keyphrase.rows import KeyphraseRow
from qassay.training.reader.rows import ReaderRow
from qassay.training.splits import held_back

_LONGEST_PASSAGE = 2000
"""Characters of a passage put together from candidate sentences."""


def squad(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield the questions of SQuAD-format files, unanswerable ones included; grouped by article."""
    for row in squad_corpus.read(path):
        if row.spans or not row.answers:
            group = f"{source}:{row.title or row.article}"
            yield ReaderRow(row.question.strip(), row.context, row.spans, source, group)


def _of_one_piece(
    read: Callable[[Path, str], Iterator[KeyphraseRow]],
) -> Callable[[Path, str], Iterator[ReaderRow]]:
    """Return a reader of answers with marked spans as passages; answers of several pieces are left out."""

    def rows(path: Path, source: str) -> Iterator[ReaderRow]:
        for row in read(path, source):
            if len(row.spans) == 1:
                yield ReaderRow(row.question, row.answer, row.spans, source, row.group)

    return rows


def qed(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield Natural Questions with the paragraph that answers them (QED)."""
    for row in qed_corpus.read(path):
        spans = row.paragraph_spans
        inside = all(0 <= start < end <= len(row.paragraph) for start, end in spans)
        if spans and inside and not held_back(row.question):
            yield ReaderRow(row.question, row.paragraph, spans, source, group_of(row.question))


def hotpot(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield HotpotQA's questions, the supporting sentences as passage, in their own words."""
    for row in marked.hotpot(path, source, lambda _title, sentences: list(sentences)):
        yield ReaderRow(row.question, row.answer, row.spans, source, row.group)


def multirc(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield MultiRC's questions one of whose right answers stands in the passage word for word."""
    for number, passage in multirc_corpus.read(path):
        for asked in passage.questions:
            right = [text.strip().rstrip(".") for text in asked.texts(1)]
            spans = [span for text in right for span in find_phrase(passage.text, text)[:1]]
            if spans:
                group = f"{source}:{path.name}:{number}"
                yield ReaderRow(asked.question, passage.text, tuple(spans), source, group)


def drop(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield the questions of DROP's contrast sets whose answer is one span of the passage."""
    for row in others.read_drop(path):
        spans = find_phrase(row.passage, row.answers[0])[:1] if len(row.answers) == 1 else []
        if spans:
            yield ReaderRow(row.question, row.passage, tuple(spans), source, f"{source}:{row.name}")


def wikiqa(path: Path, source: str) -> Iterator[ReaderRow]:
    """Yield WikiQA's questions that no sentence of the page's opening answers, as judged by people."""
    for row in wikiqa_corpus.read(path):
        if not any(row.right):
            passage = " ".join(row.sentences)[:_LONGEST_PASSAGE]
            yield ReaderRow(row.question, passage, (), source, group_of(row.question))


FORMATS: dict[str, Callable[[Path, str], Iterator[ReaderRow]]] = {
    "squad": squad,
    "qamr": _of_one_piece(marked.qamr),
    "hotpot": hotpot,
    "qed": qed,
    "multirc": multirc,
    "drop": drop,
    "trecqa": _of_one_piece(marked.trec),
    "wikiqa": wikiqa,
}
