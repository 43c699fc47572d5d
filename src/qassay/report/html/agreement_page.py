"""The page of `qassay agree`: agreement between people, annotators who disagree, and items on which they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.report.figures.inline import interval, ticks
from qassay.report.html.document import render, write_page
from qassay.report.terminal.agreement import noisiest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from markupsafe import Markup

    from qassay.meta.agreement.cleaning import ItemJudgement
    from qassay.meta.agreement.krippendorff import Alpha
    from qassay.meta.agreement.rating_study import RatingStudy

MOST_ANNOTATORS, MOST_ITEMS, MOST_REMOVALS = 500, 500, 1000
"""Rows that each table of the page holds."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """What the page shows."""

    title: str
    study: RatingStudy
    skipped: int = 0
    seed: int = 0
    call: str = ""
    """The command line or Python call that made the page."""
    by: str = ""
    """What the study's parts are grouped by."""


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    value: float | None
    low: float | None
    high: float | None
    remark: str
    strip: Markup


def write_agreement_page(report: AgreementReport, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_agreement(report), path)


def render_agreement(report: AgreementReport) -> str:
    """Return the page's HTML."""
    study = report.study
    lines = _lines(study, minimum=0.0)
    ends = [end for line in lines for end in (line.value, line.low) if end is not None]
    minimum = 0.0 if min(ends, default=0.0) >= 0 else -1.0
    return render(
        "agreement.html",
        scripts=("theme.js", "sortable.js"),
        call=report.call,
        report=report,
        lines=lines if minimum == 0 else _lines(study, minimum=minimum),
        ticks=ticks(1.0, minimum=minimum),
        annotators=sorted(study.annotators, key=noisiest)[:MOST_ANNOTATORS],
        items=sorted(study.items, key=_most_disputed)[:MOST_ITEMS],
        systems=any(each.system for each in study.items),
        removals=study.removals[:MOST_REMOVALS],
    )


def _lines(study: RatingStudy, minimum: float) -> Sequence[_Line]:
    alphas = [("alpha", study.alpha)]
    if study.alpha_before is not None:
        alphas = [("alpha, all ratings", study.alpha_before), ("alpha, without noise", study.alpha)]
    pearson = study.pearson
    pairs = f"{pearson.pairs:,} {'pair' if pearson.pairs == 1 else 'pairs'} of annotators"
    pairs += f"; {pearson.undefined:,} without a coefficient" if pearson.undefined else ""
    return [
        *(_line(name, (alpha.value, alpha.low, alpha.high), _remark(alpha), minimum) for name, alpha in alphas),
        _line("mean pairwise Pearson", (pearson.value, None, None), pearson.reason or pairs, minimum),
    ]


def _line(name: str, found: tuple[float | None, float | None, float | None], remark: str, minimum: float) -> _Line:
    value = found[0]
    label = f"{name} {'undefined' if value is None else f'{value:.3f}'}"
    return _Line(name, *found, remark, interval(*found, maximum=1.0, minimum=minimum, label=label))


def _remark(alpha: Alpha) -> str:
    items = "1 item" if alpha.single == 1 else f"{alpha.single:,} items"
    single = f"{items} with one rating left out" if alpha.single else ""
    return "; ".join(filter(None, (single, alpha.reason)))


def _most_disputed(item: ItemJudgement) -> tuple[bool, float]:
    return item.sd is None, -(item.sd or 0.0)
