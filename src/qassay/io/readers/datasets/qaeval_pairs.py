"""QAEval's labelled answer pairs: whether a predicted answer about a summary means what was expected."""

from collections.abc import Iterator

from qassay.io.parsing.delimited import header, need_columns, records
from qassay.io.parsing.read_context import ReadContext
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source
from qassay.records import Example, Reference

COLUMNS = ("instance_id", "question", "answer", "prediction", "is_correct", "is_intended_answer")
_VERDICTS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": None}


class QAEvalPairs(Format):
    """QAEval's labelled answer pairs on SummEval or TAC 2008."""

    name = "qaeval"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether the columns are those of labelled pairs."""
        delimiter, names = head.columns
        return delimiter == "," and names.issuperset(COLUMNS)

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Read an expected answer, a prediction, and whether both mean the same.

        Deutsch et al. (2021, github.com/CogComp/qaeval-experiments). `is_intended_answer` is the judgement. The file on
        TAC 2008 has the `summary`, the prediction's context. The other columns, `is_correct` among them, are kept.
        """
        context.no_mapping(self.name)
        reading = records(source, context, ",")
        names = header(reading, source)
        need_columns(names, COLUMNS, source)
        for line, cells in reading:
            row = dict(zip(names, cells, strict=True))
            verdict = row.pop("is_intended_answer").strip().lower()
            answer = row.pop("answer")
            if verdict not in _VERDICTS:
                problem = f'"is_intended_answer" is "{verdict[:40]}"; it must be TRUE, FALSE or empty'
                context.refuse(problem, source.name, line)
            elif not answer.strip():
                context.leave_out("no expected answer", source.name, line)
            else:
                example = Example(
                    f"{source.stem}:{line}",
                    row.pop("question"),
                    (Reference(answer),),
                    row.pop("prediction"),
                    context.system(),
                    context=row.pop("summary", "") or None,
                    judgement=_VERDICTS[verdict],
                    extra=row,
                )
                yield example, line
