"""Questions on passages from published data sets, with the spans that answer them or none.

Each reader takes a file and the source name that its rows carry.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from qassay.training.answer_text import find_phrase
from qassay.training.held_back import held_back
from qassay.training.keyphrase import spans as span_sources
from qassay.training.keyphrase.rows import Span, question_key
from qassay.training.reader.rows import ReaderRow
from qassay.training.source_files import read_json, read_json_lines, read_text

_LONGEST_PASSAGE = 2000
"""Characters of a passage put together from candidate sentences."""


class _Answer(msgspec.Struct):
    text: str
    answer_start: int


class _Question(msgspec.Struct):
    question: str
    answers: list[_Answer] = []


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str = ""


class _Squad(msgspec.Struct):
    data: list[_Article]


def squad(path: Path, source: str) -> Iterator[ReaderRow]:
    """SQuAD-format files, unanswerable questions included; grouped by article."""
    for number, article in enumerate(read_json(path, _Squad).data):
        group = f"{source}:{article.title or number}"
        for paragraph in article.paragraphs:
            for entry in paragraph.qas:
                spans = tuple(dict.fromkeys(_places(paragraph.context, entry.answers)))
                if spans or not entry.answers:
                    yield ReaderRow(entry.question.strip(), paragraph.context, spans, source, group)


def _places(passage: str, answers: Sequence[_Answer]) -> Iterator[Span]:
    for answer in answers:
        span = (answer.answer_start, answer.answer_start + len(answer.text))
        if answer.text and passage[slice(*span)] == answer.text:
            yield span


def qamr(path: Path, source: str) -> Iterator[ReaderRow]:
    """QAMR: a sentence is the passage; answers of several pieces are left out."""
    for row in span_sources.qamr(path, source):
        if len(row.spans) == 1:
            yield ReaderRow(row.question, row.answer, row.spans, source, row.group)


class _Span(msgspec.Struct):
    start: int
    end: int


class _Qed(msgspec.Struct):
    question_text: str
    paragraph_text: str
    original_nq_answers: list[list[_Span]]


def qed(path: Path, source: str) -> Iterator[ReaderRow]:
    """QED: Natural Questions with the paragraph that answers them."""
    for entry in read_json_lines(path, _Qed):
        alternatives = (answer[0] for answer in entry.original_nq_answers if len(answer) == 1)
        spans = tuple(dict.fromkeys((place.start, place.end) for place in alternatives))
        inside = all(0 <= start < end <= len(entry.paragraph_text) for start, end in spans)
        if spans and inside and not held_back(entry.question_text):
            group = f"question:{question_key(entry.question_text)}"
            yield ReaderRow(entry.question_text, entry.paragraph_text, spans, source, group)


def hotpot(path: Path, source: str) -> Iterator[ReaderRow]:
    """HotpotQA: the supporting sentences are the passage."""
    for row in span_sources.hotpot(path, source):
        yield ReaderRow(row.question, row.answer, row.spans, source, row.group)


class _Option(msgspec.Struct):
    text: str
    label: int = -1


class _Asked(msgspec.Struct):
    question: str
    answers: list[_Option]


class _Read(msgspec.Struct):
    text: str
    questions: list[_Asked]


class MultiRC(msgspec.Struct):
    """A passage of MultiRC with its questions."""

    idx: int
    passage: _Read


def multirc(path: Path, source: str) -> Iterator[ReaderRow]:
    """MultiRC: questions one of whose right answers stands in the passage word for word."""
    for entry in read_json_lines(path, MultiRC):
        for asked in entry.passage.questions:
            right = [option.text.strip().rstrip(".") for option in asked.answers if option.label == 1]
            spans = [span for text in right for span in find_phrase(entry.passage.text, text)[:1]]
            if spans:
                group = f"{source}:{path.name}:{entry.idx}"
                yield ReaderRow(asked.question, entry.passage.text, tuple(spans), source, group)


class _DropAnswer(msgspec.Struct):
    spans: list[str] = []


class _DropQuestion(msgspec.Struct):
    question: str
    answer: _DropAnswer


class _Drop(msgspec.Struct):
    passage: str
    qa_pairs: list[_DropQuestion]


def drop(path: Path, source: str) -> Iterator[ReaderRow]:
    """DROP contrast sets: questions whose answer is one span of the passage."""
    for name, entry in read_json(path, dict[str, _Drop]).items():
        for asked in entry.qa_pairs:
            spans = find_phrase(entry.passage, asked.answer.spans[0])[:1] if len(asked.answer.spans) == 1 else []
            if spans:
                group = f"{source}:{name.rsplit('_', 1)[0]}"
                yield ReaderRow(asked.question, entry.passage, tuple(spans), source, group)


def trecqa(path: Path, source: str) -> Iterator[ReaderRow]:
    """TREC-QA: sentences that answer a question, with the answer's span."""
    for row in span_sources.trecqa(path, source):
        if len(row.spans) == 1:
            yield ReaderRow(row.question, row.answer, row.spans, source, row.group)


def wikiqa(path: Path, source: str) -> Iterator[ReaderRow]:
    """WikiQA: questions that no sentence of the page's opening answers, as judged by people."""
    sentences: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(read_text(path)), delimiter="\t"):
        sentences[row["Question"]].append((row["Sentence"], row["Label"]))
    for question, judged in sentences.items():
        if all(label == "0" for _, label in judged):
            passage = " ".join(sentence for sentence, _ in judged)[:_LONGEST_PASSAGE]
            yield ReaderRow(question, passage, (), source, f"question:{question_key(question)}")
