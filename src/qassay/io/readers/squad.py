"""SQuAD 1.1 and 2.0: a file of questions, and for each system a map from question id to answer."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

import msgspec

from qassay.errors import DataError, option
from qassay.io.readers.json_array import items
from qassay.io.readers.jsonl import DECODING_ERRORS, explain
from qassay.io.readers.read_context import ReadContext, Reading
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


_decode_article = msgspec.json.Decoder(_Article).decode
_decode_predictions = msgspec.json.Decoder(dict[str, str | None]).decode


def read_squad(sources: Sequence[Source], context: ReadContext) -> Reading:
    """Read the questions once for each system's predictions (Rajpurkar et al. 2016, 2018).

    A question that cannot be answered has one reference, which is empty. A question that a system left out
    has no candidate. In version 2.0 `question_type` tells `answerable` from `unanswerable` questions.
    """
    context.no_mapping("squad")
    questions, *predictions = sources
    if not predictions:
        raise DataError(
            "holds questions and no answers; give predictions after it: dev.json predictions.json", questions.name
        )
    if context.options.system is not None and len(predictions) > 1:
        raise DataError(
            f"{option('system')} names one system, and there are several files of predictions; leave it out"
        )
    if len(predictions) > 1 and not questions.is_file:
        raise DataError("questions for several systems cannot be read from a pipe; give a file", questions.name)
    questions.passes = len(predictions)
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
            context.refuse(f"is not a SQuAD article ({error}); mend the file", source.name, line)
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
        return _decode_predictions(text)
    except msgspec.ValidationError as error:
        raise DataError(
            f'is not a map from question ids to answers ({error}); write {{"ID": "answer", …}}', source.name
        ) from error
    except DECODING_ERRORS as error:
        raise DataError(explain(text, error), source.name) from error
