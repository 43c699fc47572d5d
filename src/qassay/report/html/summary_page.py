"""The page of `qassay summary`: the questions about each summary with both answers and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.metrics.questions.qaeval import QuestionMetric
from qassay.metrics.questions.verification import IS_ANSWERED
from qassay.metrics.registry import create
from qassay.report.answers import AnswerRow, Ordering, PageAnswers, select_answers, system_names
from qassay.report.claims import shown_claims
from qassay.report.figures.inline import TINTS, interval
from qassay.report.html.document import render, write_page
from qassay.scoring.aggregates.aggregation import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from qassay.metrics.questions.question_records import QuestionRecord, SummaryRecord
    from qassay.records import Example
    from qassay.report.claims import ShownClaim
    from qassay.scoring.table import Aggregate

MOST_SUMMARIES, MOST_QUESTIONS = 200, 4000
"""Summaries and questions that a page holds at most."""
_LONGEST_TEXT = 4000
_SAME, _OTHER = 2 / 3, 1 / 3
"""Verdicts from here on count as the same answer, and up to here as another."""


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """What the page shows."""

    title: str
    aggregates: Sequence[Aggregate]
    judgements: Mapping[str, float]
    """By system, the mean judgement, where there are any."""
    levels: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    """By level, metric and coefficient, how scores correlate with the judgements."""
    summaries: PageAnswers[SummaryRow]
    skipped: int
    notes: Mapping[str, int]
    seed: int
    call: str = ""
    """The command line or Python call that made the page."""


@dataclass(frozen=True, slots=True)
class SummaryRow(AnswerRow):
    """A summary with its scores and all that was asked about it."""

    records: Sequence[SummaryRecord] = ()


@dataclass(frozen=True, slots=True)
class _Cell:
    aggregate: Aggregate | None
    whisker: Markup
    best: bool


@dataclass(frozen=True, slots=True)
class _Line:
    system: str
    tint: int
    judgement: float | None
    cells: Sequence[_Cell]


@dataclass(frozen=True, slots=True)
class _Question:
    asked: QuestionRecord
    kind: str
    """`same`, `partly`, `other` or `unanswered`."""
    verdicts: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class _Source:
    heading: str
    """Which text raised the questions."""
    asks: str
    reads: str
    text: str
    questions: Sequence[_Question]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Summary:
    row: SummaryRow
    system: str
    tint: int
    text: str
    scores: Sequence[tuple[str, float | None, str]]
    metrics: Sequence[tuple[str, Sequence[_Source]]]
    claims: Sequence[tuple[str, Sequence[ShownClaim]]]
    """By metric that checks them, the summary's sentences with the verdict on each."""


def select_summaries(
    rows: Callable[[], Iterable[SummaryRow]], ordering: Ordering, limit: int = MOST_QUESTIONS
) -> PageAnswers[SummaryRow]:
    """Choose the summaries of a page as `select_answers` does, fewer where there would be too many questions."""
    chosen = select_answers(rows, ordering, MOST_SUMMARIES)
    questions = sum(len(source.questions) for row in chosen.rows for record in row.records for source in record.sources)
    if questions <= limit or len(chosen.rows) == 1:
        return chosen
    return select_answers(rows, ordering, max(1, len(chosen.rows) * limit // questions))


def write_summary_page(report: SummaryReport, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_summaries(report), path)


def render_summaries(report: SummaryReport) -> str:
    """Return the page's HTML."""
    specs = list(dict.fromkeys(each.metric for each in report.aggregates))
    names = system_names([each.system for each in report.aggregates])
    methods = _methods(specs)
    return render(
        "summary.html",
        scripts=("theme.js", "sortable.js", "summary.js"),
        call=report.call,
        report=report,
        specs=specs,
        lines=[_line(report, system, i, specs, names) for i, system in enumerate(names)],
        systems=list(names.values()),
        confidence=f"{CONFIDENCE:.0%}".replace("%", " %"),
        summaries=[_summary(row, specs, names, methods) for row in report.summaries.rows],
        decisive=methods,
    )


def _methods(specs: Sequence[str]) -> dict[str, str]:
    """Return for each metric the method that colours its questions: the first that was given."""
    found: dict[str, str] = {}
    for metric in map(create, specs):
        if isinstance(metric, QuestionMetric) and found.get(metric.label) in {None, IS_ANSWERED}:
            found[metric.label] = metric.method
    return found


def _line(report: SummaryReport, system: str, number: int, specs: Sequence[str], names: Mapping[str, str]) -> _Line:
    cells = []
    for spec in specs:
        of_metric = [each for each in report.aggregates if each.metric == spec]
        mine = next((each for each in of_metric if each.system == system), None)
        values = {each.value for each in of_metric if each.value is not None}
        value, low, high = (None, None, None) if mine is None else (mine.value, mine.low, mine.high)
        label = "no score" if value is None else f"{value:.3f}"
        whisker = interval(value, low, high, maximum=1.0, label=label)
        cells.append(_Cell(mine, whisker, best=len(values) > 1 and value == max(values)))
    return _Line(names[system], number % TINTS, report.judgements.get(system), cells)


def _summary(row: SummaryRow, specs: Sequence[str], names: Mapping[str, str], methods: Mapping[str, str]) -> _Summary:
    example = row.example
    checked = row.evidence.claims if row.evidence else {}
    return _Summary(
        row,
        names[example.system],
        list(names).index(example.system) % TINTS,
        _shortened(example.candidate or ""),
        [(spec, row.scores.get(spec), row.unscored.get(spec, "")) for spec in specs],
        [(record.metric, _sources(example, record, methods[record.metric])) for record in row.records],
        [(spec, shown_claims(example.candidate or "", found)) for spec, found in checked.items()],
    )


def _sources(example: Example, record: SummaryRecord, method: str) -> list[_Source]:
    texts = [reference.text for reference in example.references]
    found = []
    for number, source in enumerate(record.sources):
        of_reference = record.metric.partition(",")[0] == "qaeval"
        questions = [_question(asked, method) for asked in source.questions]
        kinds = [each.kind for each in questions]
        found.append(
            _Source(
                heading=source.source if of_reference else "document",
                asks=f"the {source.source}" if not of_reference else source.source,
                reads="the summary" if of_reference else "the document",
                text=_shortened(texts[number] if of_reference else example.context or ""),
                questions=questions,
                counts={kind: kinds.count(kind) for kind in ("same", "partly", "other", "unanswered") if kind in kinds},
            )
        )
    return found


def _question(asked: QuestionRecord, method: str) -> _Question:
    verdict = 1.0 if method == IS_ANSWERED else asked.verdicts.get(method, 0.0)
    kind = "unanswered"
    if asked.answered:
        kind = "same" if verdict >= _SAME else "other" if verdict <= _OTHER else "partly"
    return _Question(asked, kind, list(asked.verdicts.items()))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} […]"
