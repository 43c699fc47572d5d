"""MOCHA: answers to reading comprehension questions, each rated by people, in maps of data sets and ids."""

import re
from collections.abc import Iterator

import msgspec

from qassay.errors import DataError
from qassay.io.parsing.json_rows import DECODING_ERRORS, explain, refuse_repeated_names
from qassay.io.parsing.read_context import ReadContext
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source
from qassay.records import Example, Reference

_BEGINS_TWO_MAPS = re.compile(rb'\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*\{\s*"')
_OUTER = msgspec.json.Decoder(dict[str, dict[str, msgspec.Raw]])


class _Metadata(msgspec.Struct):
    source: str = ""


class _Row(msgspec.Struct):
    context: str
    question: str
    reference: str
    candidate: str | None = None
    score: float | None = None
    candidate1: str | None = None
    score1: float | None = None
    candidate2: str | None = None
    score2: float | None = None
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)

    @property
    def rated(self) -> list[tuple[str, str | None, float | None]]:
        """The candidates with what is added to the row's id and with their scores: one, or two of a minimal pair."""
        if self.candidate1 is None and self.candidate2 is None:
            return [("", self.candidate, self.score)]
        return [("-1", self.candidate1, self.score1), ("-2", self.candidate2, self.score2)]


_ROW = msgspec.json.Decoder(_Row)


class Mocha(Format):
    """MOCHA: answers about passages, rated from 1 to 5."""

    name = "mocha"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether there is a map of maps whose rows have a context, a reference and a candidate."""
        if head.line is not None or not _BEGINS_TWO_MAPS.match(head.start):
            return False
        return all(f'"{name}'.encode() in head.long_start for name in ("context", "reference", "candidate"))

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read `{DATA SET: {ID: {"context", "question", "reference", "candidate", "score", "metadata"}}}`.

        Chen et al. (2020, github.com/anthonywchen/MOCHA). The data set becomes the question type, `metadata.source` the
        system, and the score from 1 to 5 the judgement; test rows have none. The two candidates of a minimal pair are
        the examples `ID-1` and `ID-2`.
        """
        context.no_mapping(self.name)
        text = b"".join(source.chunks())
        try:
            sets = _OUTER.decode(text)
            refuse_repeated_names(text)
        except msgspec.ValidationError as error:
            raise DataError(
                f"is not a map of data sets to maps of rows ({error}); fix the file", source.name
            ) from error
        except DECODING_ERRORS as error:
            raise DataError(explain(text, error), source.name) from error
        except DataError as error:
            raise DataError(error.problem, source.name) from error
        at, line = 0, 1
        for name, rows in sets.items():
            for identifier, raw in rows.items():
                found = text.find(bytes(raw), at)
                line, at = line + text.count(b"\n", at, found), found
                try:
                    row = _ROW.decode(raw)
                except DECODING_ERRORS as error:
                    problem = f"{identifier} of {name} is not a row of MOCHA ({error}); fix the file"
                    context.refuse(problem, source.name, line)
                    continue
                for suffix, candidate, score in row.rated:
                    example = Example(
                        f"{identifier}{suffix}",
                        row.question,
                        (Reference(row.reference),),
                        candidate,
                        context.system(row.metadata.source),
                        context=row.context,
                        question_type=name,
                        judgement=score,
                    )
                    yield example, line
