"""DuReader 2.0: Chinese questions with yes-no labels and entity answers, as JSON lines or a zip of them."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import IO

import msgspec

from qassay.errors import DataError
from qassay.io.locations import Location
from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.json_rows import DECODING_ERRORS, explain
from qassay.io.parsing.read_context import ReadContext, Reading, fail
from qassay.io.parsing.rows import parse_opinion
from qassay.io.readers.format import SPECIFIC, Format, Head, Role
from qassay.io.source import Source, readable
from qassay.records import Example, Opinion, Reference

NO_OPINION = frozenset({"no_opinion", "no opinion", "no-opinion", "noopinion", "none", "null", ""})
_OWN_ANSWERS = frozenset({"answers", "yesno_answers", "entity_answers", "fake_answers"})
_OWN = _OWN_ANSWERS | {"question_id", "question_type", "question", "documents", "fact_or_opinion"}
ZIP_MAGIC = b"PK\x03\x04"


class _Row(msgspec.Struct):
    """A question with its references, or in the result form a system's answer to it."""

    question_id: int | str
    question_type: str = ""
    question: str | None = None
    answers: list[str] = []
    yesno_answers: list[str | None] = []
    entity_answers: list[list[str]] = []
    fake_answers: list[str] = []


class _SystemAnswer(msgspec.Struct, frozen=True):
    """What a system answered."""

    candidate: str | None
    opinion: Opinion | None = None


_decode = msgspec.json.Decoder(_Row).decode


class DuReader(Format):
    """DuReader 2.0 data, then results if any."""

    name = "dureader"
    priority = SPECIFIC
    fields = ()
    takes_answers = True

    def recognises(self, head: Head) -> bool | Role:
        """Whether it is a zip archive, or JSON lines with a `question_id` and DuReader's answers or documents.

        Rows without a question are a system's answers. Rows with scores, or with a field that other tools have for an
        answer, are of another kind.
        """
        if head.bytes.startswith(ZIP_MAGIC):
            return True
        if not head.start.startswith(b"{"):
            return False
        if head.row is None:
            return b'"question_id"' in head.long_start.partition(b"\n")[0]
        row = head.row
        others = row.keys() - _OWN
        if "question_id" not in row or "scores" in row or "candidate" in row or likely_name("candidate", others):
            return False
        if "documents" in row or ("question" in row and not _OWN_ANSWERS.isdisjoint(row)):
            return "data"
        return "answers" if "answers" in row else False

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read questions answered by `fake_answers`."""
        return ((example, line) for example, _, line in self.read_files([source], context))

    def read_files(self, sources: Sequence[Source], context: ReadContext) -> Reading:
        """Read questions, answered by files in DuReader's result form or else by `fake_answers` (He et al. 2018).

        `yesno_answers` label the references one by one, and the first one labels a system's answer. The entities
        of all references together are the entities of the question. Questions without references, such as the
        test set's, are left out and counted.
        """
        context.no_mapping(self.name)
        questions, *results = sources
        if not results:
            yield from _examples(questions, context, None, context.system())
            return
        context.check_answers(questions, results, "results")
        for result in results:
            given = dict(_given(result, context))
            yield from _examples(questions, context, given, context.system(PurePath(result.stem).stem))


def _examples(questions: Source, context: ReadContext, given: dict[str, _SystemAnswer] | None, system: str) -> Reading:
    for source, line, row in _rows(questions, context):
        name = str(row.question_id)
        if not row.answers:
            context.leave_out("no reference", source.name, line)
            continue
        try:
            references = tuple(
                [Reference(text, _label(each)) for text, each in zip(row.answers, _labels(row), strict=True)]
            )
        except DataError as error:
            context.refuse(error.problem, source.name, line)
            continue
        if given is None:
            answer = _SystemAnswer(row.fake_answers[0] if row.fake_answers else None)
        else:
            answer = given.get(name, _SystemAnswer(None))
        example = Example(
            name,
            row.question or "",
            references,
            answer.candidate,
            system,
            answer.opinion,
            tuple(dict.fromkeys(entity for group in row.entity_answers for entity in group)),
            question_type=row.question_type.lower() or None,
        )
        yield example, source.name, line


def _given(result: Source, context: ReadContext) -> Iterator[tuple[str, _SystemAnswer]]:
    for source, line, row in _rows(result, context):
        if len(row.answers) > 1:
            context.refuse(f"has {len(row.answers)} answers; give one answer per question", source.name, line)
            continue
        try:
            opinion = _label(row.yesno_answers[0]) if row.yesno_answers else None
        except DataError as error:
            context.refuse(error.problem, source.name, line)
            continue
        # An empty list is a system that says nothing, which is an answer; a missing row is not.
        yield str(row.question_id), _SystemAnswer(row.answers[0] if row.answers else "", opinion)


def _labels(row: _Row) -> Sequence[str | None]:
    if not row.yesno_answers:
        return [None] * len(row.answers)
    if len(row.yesno_answers) != len(row.answers):
        fail(f'"yesno_answers" has {len(row.yesno_answers)} labels for {len(row.answers)} answers; give one each')
    return row.yesno_answers


def _label(value: str | None) -> Opinion | None:
    return None if value is None or value.strip().lower() in NO_OPINION else parse_opinion(value)


def _rows(source: Source, context: ReadContext) -> Iterator[tuple[Source, int, _Row]]:
    for part in _members(source):
        for first, lines in part.line_batches():
            for number, line in enumerate(lines, first):
                try:
                    row = _decode(line)
                except msgspec.ValidationError as error:
                    problem = f"is not a row of DuReader ({error}); fix the file"
                    context.refuse(problem, part.name, number)
                    continue
                except DECODING_ERRORS as error:
                    if line and not line.isspace():
                        context.refuse(explain(line, error), part.name, number)
                    continue
                yield part, number, row


def _members(source: Source) -> Iterator[Source]:
    """Return the source itself, or the JSON files inside it if it is a zip archive."""
    if source.head(len(ZIP_MAGIC)) != ZIP_MAGIC:
        yield source
        return
    if source.path is None or not source.is_file:
        raise DataError("a zip archive cannot be read from a pipe; give a file", source.name)
    source.close()
    with readable(source.name):
        archive = zipfile.ZipFile(source.path.open() if isinstance(source.path, Location) else source.path)
    with archive:
        found = [each for each in archive.infolist() if _is_data(each.filename)]
        if not found:
            raise DataError("holds no .json or .jsonl file", source.name)
        for member in found:
            yield member_of(archive, member, source)
            source.bytes_read += member.compress_size


def member_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: Source) -> Source:
    """Return one file of an archive as a source of its own."""

    def opener() -> IO[bytes]:
        return archive.open(member)

    return Source(f"{source.name}/{member.filename}", PurePath(member.filename).name, opener, member.file_size)


def _is_data(name: str) -> bool:
    # Archives made on a Mac hold a shadow folder of the same names.
    return name.endswith((".json", ".jsonl")) and not name.startswith("__MACOSX/")
