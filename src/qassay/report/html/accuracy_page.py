"""The page of `qassay accuracy`: each system's share of right answers with its interval, and the judged answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.report.answers import AnswerRow, Ordering, select_answers, system_names
from qassay.report.figures.inline import TINTS, histogram, interval, ticks
from qassay.report.html.document import render, write_page
from qassay.report.html.payload import ANSWER_SCRIPTS, answers_section
from qassay.report.terminal.accuracy import system_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from qassay.meta.accuracy.estimates import AccuracyReport, SystemAccuracy
    from qassay.meta.accuracy.judged_run import JudgedRun
    from qassay.meta.accuracy.ppi import AccuracyEstimate

_BINS = 20
_SOURCES = {"judge": "judge", "ppi": "labels and judge", "labels": "labels"}


@dataclass(frozen=True, slots=True)
class AccuracyPage:
    """What the page shows."""

    title: str
    run: JudgedRun
    accuracy: AccuracyReport
    notes: Sequence[str] = ()
    skipped: int = 0
    seed: int = 0
    call: str = ""
    """The command line or Python call that made the page."""


@dataclass(frozen=True, slots=True)
class _Beside:
    estimate: AccuracyEstimate
    strip: Markup


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    tint: int
    system: SystemAccuracy
    distribution: Markup
    strip: Markup
    beside: Sequence[_Beside]


@dataclass(frozen=True, slots=True)
class _Attempts:
    name: str
    tint: int
    share: AccuracyEstimate
    accuracy: AccuracyEstimate | None
    """Of the attempted answers; None without any."""


def write_accuracy_page(page: AccuracyPage, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_accuracy(page), path)


def render_accuracy(page: AccuracyPage) -> str:
    """Return the page's HTML."""
    run, systems = page.run, page.accuracy.systems
    names = system_names(each.system for each in systems)
    labels = sum(each.best.labels for each in systems)
    ordering = Ordering.of_specs([run.judge])
    return render(
        "accuracy.html",
        scripts=("theme.js", *ANSWER_SCRIPTS),
        call=page.call,
        page=page,
        lines=[_line(page, each, names, i) for i, each in enumerate(systems)],
        labels=labels,
        sources=_SOURCES,
        methods=_methods(labels),
        confidence=f"{100 * systems[0].best.confidence:g}",
        halved=labels > 0,
        known=any(each.true is not None for each in systems),
        ticks=ticks(1.0),
        attempts=[
            _Attempts(names[each.system], i % TINTS, each.attempted, each.given_attempted)
            for i, each in enumerate(systems)
            if each.attempted is not None
        ],
        strip=_strip,
        plans=[(names[each.system], each.plan) for each in systems if each.plan is not None],
        ranking=[] if run.system_wise is None else system_rows({"": run.system_wise}),
        **answers_section(select_answers(lambda: _rows(run), ordering), [run.judge], names, ordering),
    )


def _methods(labels: int) -> str:
    if labels:
        return (
            "Where there are labels they correct the judge (prediction-powered inference), and the interval covers the "
            "judge's errors too."
        )
    return "Without labels the estimate is the judge's own, and its interval does not cover the judge's errors."


def _line(page: AccuracyPage, system: SystemAccuracy, names: Mapping[str, str], number: int) -> _Line:
    own = np.array([each.system == system.system for each in page.run.examples], dtype=bool)
    scores = page.run.probabilities[own]
    counts = np.histogram(scores[~np.isnan(scores)], _BINS, (0.0, 1.0))[0].tolist()
    spread = histogram(counts, label=f"the judge's scores of {sum(counts):,} answers", height=24)
    alone = [each for each in (system.labels_only, system.judge) if each and each != system.best]
    return _Line(
        names[system.system],
        number % TINTS,
        system,
        spread,
        _strip(system.best),
        [_Beside(each, _strip(each)) for each in alone],
    )


def _strip(estimate: AccuracyEstimate) -> Markup:
    label = f"accuracy {estimate.estimate:.3f}"
    return interval(estimate.estimate, estimate.low, estimate.high, maximum=1.0, label=label)


def _rows(run: JudgedRun) -> Iterator[AnswerRow]:
    """Yield the judged answers; a person's verdict stands where judgements do."""
    labels = None if run.answers.labels is None else run.answers.labels.value
    for i, example in enumerate(run.examples):
        score = run.probabilities[i]
        label = None if labels is None or np.isnan(labels[i]) else float(labels[i])
        scores = {run.judge: None if np.isnan(score) else float(score)}
        noted = run.answer_notes[i] if run.answer_notes else None
        notes = {} if noted is None else {run.judge: noted}
        yield AnswerRow(example if label is None else replace(example, judgement=label), scores, {}, notes)
