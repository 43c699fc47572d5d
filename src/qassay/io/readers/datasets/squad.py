"""SQuAD 1.1 and 2.0: a file of questions, and for each system a map from question id to answer."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

import msgspec

from qassay.errors import DataError
from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, explain, refuse_repeated_names
from qassay.io.parsing.read_context import FIELDS, ReadContext, Reading
from qassay.io.readers.format import SPECIFIC, Format, Head, Role
from qassay.io.readers.row_files.jsonl import Jsonl, has_known_field
from qassay.io.source import Source
from qassay.records import Example, Reference


class _Answer(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    id: str
    question: str
    answers: list[_Answer] = []
    is_impossible: bool | None = None


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]


_DATA = re.compile(rb'"data"\s*:\s*\[')
_TEXT_MEMBER = re.compile(rb'\s*\{\s*"([^"]*)"\s*:\s*(?:"|null)')
_decode_article = msgspec.json.Decoder(_Article).decode
_decode_predictions = msgspec.json.Decoder(dict[str, str | None]).decode


class Squad(Format):
    """SQuAD 1.1 or 2.0 data, then predictions."""

    name = "squad"
    priority = SPECIFIC
    fields = ()
    takes_answers = True

    def recognises(self, head: Head) -> bool | Role:
        """Whether there are articles with paragraphs, or a map from ids to answers."""
        if not head.start.startswith(b"{") or head.line is not None:
            return False
        if _DATA.search(head.long_start) and b'"paragraphs"' in head.long_start:
            return "data"
        if head.whole is not None:
            texts = all(value is None or isinstance(value, str) for value in head.whole.values())
            ours = head.extension in Jsonl.extensions or has_known_field(head)
            return "answers" if texts and not ours else False
        first_key = _TEXT_MEMBER.match(head.long_start)
        if not head.fills_long_head or not first_key or b'"question_id"' in head.long_start.partition(b"\n")[0]:
            return False
        return "answers" if first_key[1].decode(errors="replace") not in FIELDS else False

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Raise `DataError`: questions alone cannot be scored."""
        del context
        problem = "holds questions and no answers; give predictions after it: dev.json predictions.json"
        raise DataError(problem, source.name)

    def read_files(self, sources: Sequence[Source], context: ReadContext) -> Reading:
        """Read the questions once for each system's predictions (Rajpurkar et al. 2016, 2018).

        A question that cannot be answered has one reference, which is empty. A question that a system left out
        has no candidate. In version 2.0 `question_type` tells `answerable` from `unanswerable` questions.
        """
        context.no_mapping(self.name)
        questions, *predictions = sources
        if not predictions:
            self.read(questions, context)
        context.check_answers(questions, predictions, "predictions")
        for prediction in predictions:
            system = context.system(PurePath(prediction.stem).stem)
            yield from _answers(questions, prediction, system, context)


def _answers(questions: Source, prediction: Source, system: str, context: ReadContext) -> Reading:
    candidates = _predictions(prediction)
    for line, passage, question in _questions(questions, context):
        yield (
            Example(
                question.id,
                question.question,
                _references(question),
                candidates.pop(question.id, None),
                system,
                context=passage,
                question_type=_kind(question),
            ),
            questions.name,
            line,
        )
    for name in candidates:
        context.leave_out(f"answers {name}, which {questions.name} does not ask", prediction.name, 1)


def _references(question: _Question) -> tuple[Reference, ...]:
    if question.is_impossible or not question.answers:
        return (Reference(""),)
    return tuple([Reference(answer.text) for answer in question.answers])


def _kind(question: _Question) -> str | None:
    if question.is_impossible is None:
        return None
    return "unanswerable" if question.is_impossible else "answerable"


def _questions(source: Source, context: ReadContext) -> Iterator[tuple[int, str, _Question]]:
    for line, item in items(source, member="data"):
        try:
            article = _decode_article(item)
        except msgspec.ValidationError as error:
            context.refuse(f"is not a SQuAD article ({error}); fix the file", source.name, line)
            continue
        except DECODING_ERRORS as error:
            context.refuse(explain(item, error), source.name, line)
            continue
        for paragraph in article.paragraphs:
            for question in paragraph.qas:
                yield line, paragraph.context, question


def _predictions(source: Source) -> dict[str, str | None]:
    text = b"".join(source.chunks())
    try:
        predictions = _decode_predictions(text)
        refuse_repeated_names(text)
    except msgspec.ValidationError as error:
        raise DataError(
            f'is not a map from question ids to answers ({error}); write {{"ID": "answer", …}}', source.name
        ) from error
    except DECODING_ERRORS as error:
        raise DataError(explain(text, error), source.name) from error
    except DataError as error:
        raise DataError(error.problem, source.name) from error
    return predictions
