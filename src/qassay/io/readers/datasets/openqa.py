"""OpenQA-eval's NQ-301: answers of open question answering systems, with a verdict on each."""

from collections.abc import Iterator, Sequence

from qassay.errors import DataError
from qassay.io.parsing.delimited import header, need_columns, records
from qassay.io.parsing.read_context import ReadContext, Reading
from qassay.io.readers.format import SPECIFIC, Format, Head, Role
from qassay.io.source import Source
from qassay.records import Example, Reference

GOLD = "Gold answers"
ANSWER_COLUMNS = ("id", "Question", "Model answer", "Acceptable?")
_VERDICTS = {"yes": 1.0, "no": 0.0, "": None}

Cells = dict[str, str]
_Examples = Iterator[tuple[Example, int]]


class OpenQA(Format):
    """NQ-301 with gold answers, then one file of verdicts if any."""

    name = "openqa"
    priority = SPECIFIC
    fields = ()
    takes_answers = True

    def recognises(self, head: Head) -> bool | Role:
        """Whether the columns are those of NQ-301; those of verdicts have no gold answers."""
        delimiter, names = head.columns
        if delimiter != "\t" or not names.issuperset(ANSWER_COLUMNS):
            return False
        return "data" if GOLD in names else "answers"

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read a table with gold answers."""
        return _examples(source, context, None)

    def read_files(self, sources: Sequence[Source], context: ReadContext) -> Reading:
        """Read a table with gold answers; or take the gold answers from the first and the rows from the second.

        Kamalloo et al. (2023, github.com/ehsk/OpenQA-eval) give the gold answers in one file and people's verdicts
        in another. `Acceptable?` becomes the judgement, whoever gave it. Ids repeat in the files of verdicts, so
        that there a row's id is `FILE:LINE`.
        """
        context.no_mapping(self.name)
        first, *others = sources
        if len(others) > 1:
            problem = f"holds verdicts, as {others[0].name} does, and would count every answer twice"
            raise DataError(f"{problem}; give one of them at a time", others[1].name)
        golds = None
        if others:
            golds = {row["Question"]: row[GOLD] for _, row in _rows(first, context, (*ANSWER_COLUMNS, GOLD))}
        for example, line in _examples(sources[-1], context, golds):
            yield example, sources[-1].name, line


def _examples(source: Source, context: ReadContext, golds: dict[str, str] | None) -> _Examples:
    for line, row in _rows(source, context, ANSWER_COLUMNS):
        if golds is None and GOLD not in row:
            raise DataError("has no gold answers; give the file that has them before it", source.name)
        own = golds is None
        gold = row.pop(GOLD, "") if golds is None else golds.get(row["Question"], "")
        references = tuple([Reference(text) for part in gold.split(" | ") if (text := part.strip())])
        name, verdict = row.pop("id"), row.pop("Acceptable?").strip().lower()
        if verdict not in _VERDICTS:
            context.refuse(f'"Acceptable?" is "{verdict[:40]}"; it must be Yes, No or empty', source.name, line)
        elif not references:
            context.leave_out("no gold answer", source.name, line)
        else:
            example = Example(
                name if own else f"{source.stem}:{line}",
                row.pop("Question"),
                references,
                row.pop("Model answer"),
                context.system(),
                judgement=_VERDICTS[verdict],
                extra=row,
            )
            yield example, line


def _rows(source: Source, context: ReadContext, needed: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    # The file with gold answers quotes its cells, those with verdicts do not.
    with_gold = GOLD.encode() in source.head(1024).partition(b"\n")[0]
    reading = records(source, context, "\t", quoted=with_gold)
    names = header(reading, source)
    need_columns(names, needed, source)
    for line, cells in reading:
        yield line, dict(zip(names, cells, strict=True))
