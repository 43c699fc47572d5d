"""Summaries with what was asked about them, as the report shows them."""

from qassay.metrics.questions.question_records import QuestionRecord, SourceRecord, SummaryRecord
from qassay.records import Example, Reference
from qassay.report.answers import PageAnswers
from qassay.report.html.summary_page import SummaryReport, SummaryRow
from qassay.scoring.table import Aggregate

REFERENCE = "Anna Berg won the race in Oslo."


def question(text="Who won the race?", answer="Anna Berg", found="Berg", verdict=0.9, *, answered=True):
    """Make a question with its answers."""
    verdicts = {"lerc": verdict, "token_f1": 0.5} if answered else {}
    return QuestionRecord(text, "person", REFERENCE, answer, (0, 9), found, (0, 4), 0.1, answered, verdicts)


def row(name, system, *, summary="Berg won.", score=0.5, sources=None, **asked):
    """Make a summary with one question, or with what is given."""
    given = [SourceRecord("reference 1", [question(**asked)])] if sources is None else sources
    example = Example(name, "", (Reference(REFERENCE),), summary, system)
    missing = {"qaeval": "no summary"} if summary is None else {}
    records = [SummaryRecord(name, system, "qaeval", given)]
    return SummaryRow(example, {"qaeval": None if summary is None else score}, missing, records=records)


def summary_report(rows=None, judgements=None, levels=None):
    """Make a report of two systems."""
    rows = rows or [row("d1", "A", score=0.8), row("d1", "B", score=0.2, verdict=0.1, found="a Swede")]
    systems = dict.fromkeys(each.example.system for each in rows)
    return SummaryReport(
        title="summaries.jsonl",
        aggregates=[Aggregate(each, "qaeval", 0.5, 0.4, 0.6, 1, 0, "qaeval|data:1") for each in systems],
        judgements=judgements or {},
        levels=levels or {},
        summaries=PageAnswers(rows, len(rows)),
        skipped=0,
        notes={},
        seed=1,
    )
