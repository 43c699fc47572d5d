"""Answer selection (WikiQA, TREC-QA): the sentences of a question, each labelled right or wrong.

Each sentence is a candidate, and its references are the other right sentences of the same question.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter

from qassay.errors import DataError
from qassay.io.duplicate_ids import SeenIds
from qassay.io.parsing.delimited import Record, header, need_columns, records
from qassay.io.parsing.read_context import ReadContext, ReadOptions
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source
from qassay.records import Example, Reference

AS2_COLUMNS = ("QuestionID", "Question", "SentenceID", "Sentence", "Label")
TREC_START = b"<QApairs"
QUESTIONS_AT_ONCE = 256

_OPENING = re.compile(r"<QApairs id='([^']*)'>")


@dataclass(slots=True)
class _Sentence:
    name: str
    text: str
    label: int
    line: int


@dataclass(slots=True)
class _Question:
    name: str
    text: str
    line: int
    sentences: list[_Sentence] = field(default_factory=list)


class AnswerSelection(Format):
    """Answer selection tables (WikiQA)."""

    name = "as2"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether the columns are WikiQA's."""
        delimiter, names = head.columns
        return delimiter == "\t" and names.issuperset(AS2_COLUMNS)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read WikiQA's tables (Yang et al. 2015), whose rows of one question must stand together.

        The table with documents (seven columns) is written without quoting and has one id per question. The one
        without them (five columns) has quoted cells and a new `QuestionID` in every row, so that there the
        question's text says which rows belong together.
        """
        context.no_mapping(self.name)
        questions, with_documents = _table(source, context)
        return _examples(questions, source, context, by_name=with_documents)


class TrecQA(Format):
    """TREC-QA's tagged sentences."""

    name = "trec"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether TREC-QA's first tag stands first."""
        return head.start.startswith(TREC_START)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read TREC-QA's tagged text (Wang et al. 2007), which looks like XML and is not.

        Inside a tag the first line holds the tokens, separated by tabs; the lines of annotation are not used.
        """
        context.no_mapping(self.name)
        return _examples(_blocks(source), source, context, by_name=True)


def _table(source: Source, context: ReadContext) -> tuple[Iterator[_Question], bool]:
    with_documents = b"DocumentID" in source.head(1024).partition(b"\n")[0]
    reading = records(source, context, "\t", quoted=not with_documents)
    names = header(reading, source)
    need_columns(names, AS2_COLUMNS, source)
    rows = _rows(reading, names, source, context)
    grouped = groupby(rows, attrgetter("name" if with_documents else "text"))
    return (_joined(group) for _, group in grouped), with_documents


@dataclass(frozen=True, slots=True)
class QuestionSentences:
    """A question with its right and its wrong sentences."""

    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def read_selection(source: Source) -> Iterator[QuestionSentences]:
    """Read the questions of a WikiQA table or a TREC-QA file with all their sentences."""
    context = ReadContext(ReadOptions(can_skip=False))
    try:
        tagged = source.head(1024).lstrip().startswith(TREC_START)
        questions, by_name = (_blocks(source), True) if tagged else _table(source, context)
        for question in _once(questions, source, by_name=by_name):
            sides = [tuple(each.text for each in question.sentences if each.label == label) for label in (1, 0)]
            yield QuestionSentences(question.text, *sides)
    finally:
        source.close()


def _rows(reading: Iterator[Record], names: Sequence[str], source: Source, context: ReadContext) -> Iterator[_Question]:
    name, question, sentence_name, sentence, label = (names.index(column) for column in AS2_COLUMNS)
    for line, cells in reading:
        if cells[label].strip() not in {"0", "1"}:
            context.refuse(f'the label is "{cells[label][:40]}"; it must be 0 or 1', source.name, line)
            continue
        entry = _Sentence(f"{cells[name]}/{cells[sentence_name]}", cells[sentence], int(cells[label]), line)
        yield _Question(cells[name], cells[question], line, [entry])


def _joined(rows: Iterable[_Question]) -> _Question:
    first, *others = rows
    first.sentences += [row.sentences[0] for row in others]
    return first


def _blocks(source: Source) -> Iterator[_Question]:
    question: _Question | None = None
    tag, tag_line, text = "", 0, ""
    for number, text_line in source.lines():
        line = text_line.strip()
        if opening := _OPENING.fullmatch(line):
            _expect(question is None, "a question begins inside another", source, number)
            question = _Question(opening[1], "", number)
        elif line == "</QApairs>" and question is not None and not tag:
            yield question
            question = None
        elif line in {"<question>", "<positive>", "<negative>"} and question is not None and not tag:
            tag, tag_line, text = line[1:-1], number, ""
        elif tag and line == f"</{tag}>" and question is not None:
            if tag == "question":
                question.text = text
            else:
                name = f"{question.name}/{len(question.sentences) + 1}"
                question.sentences.append(_Sentence(name, text, int(tag == "positive"), tag_line))
            tag = ""
        elif tag:
            if number == tag_line + 1:
                text = " ".join(line.split())
        else:
            _expect(not line, f'"{line[:40]}" stands outside the tags', source, number)
    _expect(question is None, "the file ends inside a question", source, None)


def _expect(holds: bool, problem: str, source: Source, line: int | None) -> None:
    if not holds:
        raise DataError(f"{problem}; fix the tags", source.name, line)


def _examples(
    questions: Iterable[_Question], source: Source, context: ReadContext, *, by_name: bool
) -> Iterator[tuple[Example, int]]:
    for question in _once(questions, source, by_name=by_name):
        right = [Reference(sentence.text) for sentence in question.sentences if sentence.label]
        for sentence in question.sentences:
            references = tuple([reference for reference in right if reference.text != sentence.text])
            if not references:
                context.leave_out("no other right sentence to compare with", source.name, sentence.line)
                continue
            example = Example(
                sentence.name,
                question.text,
                references,
                sentence.text,
                context.system(),
                judgement=float(sentence.label),
                extra={"question_id": question.name},
            )
            yield example, sentence.line


def _once(questions: Iterable[_Question], source: Source, *, by_name: bool) -> Iterator[_Question]:
    """Raise `DataError` for a question that comes again further on, whose earlier sentences had too few references."""
    seen = SeenIds()
    coming = iter(questions)
    while batch := list(islice(coming, QUESTIONS_AT_ONCE)):
        repeated = seen.add([("", question.name if by_name else question.text) for question in batch])
        yield from batch[: repeated[0]] if repeated else batch
        if repeated:
            question = batch[repeated[0]]
            problem = f'the question "{question.text[:60]}" comes again; put all rows of a question together'
            raise DataError(problem, source.name, question.line)
