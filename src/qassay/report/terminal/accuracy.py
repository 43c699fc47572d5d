"""Accuracies of systems as terminal tables, and the tables of system-wise evaluation in the form of Vu 2021."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from qassay.meta.accuracy.system_wise import Measure
from qassay.report.terminal.scores import DASH, plain, score_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.meta.accuracy.estimates import AccuracyReport, SystemAccuracy
    from qassay.meta.accuracy.label_plan import LabelPlan
    from qassay.meta.accuracy.ppi import AccuracyEstimate
    from qassay.meta.accuracy.system_wise import SystemWise
    from qassay.meta.ranking.rankings import SystemAgreement

Rows = list[list[str]]
"""A table whose first row is the header."""


def accuracy_table(report: AccuracyReport) -> Table:
    """Show each system's accuracy with its interval; below it, the estimates of the labels and of the judge alone."""
    confidence = report.systems[0].best.confidence
    labelled = any(each.best.labels for each in report.systems)
    judged = any(each.true is not None for each in report.systems)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("system", overflow="fold")
    table.add_column("by", no_wrap=True)
    numbers = ["accuracy", f"{100 * confidence:g} % interval", "labels"]
    for heading in numbers + ["to halve"] * labelled + ["true"] * judged:
        table.add_column(heading, justify="right", no_wrap=True)
    for each in report.systems:
        beside = [estimate for estimate in (each.labels_only, each.judge) if estimate and estimate != each.best]
        table.add_row(
            Text(plain(each.system) or DASH),
            *_cells(each.best),
            *[_more(each.halving)] * labelled,
            *[score_text(each.true)] * judged,
            end_section=not beside,
        )
        for estimate in beside:
            table.add_row("", *_cells(estimate), style="dim", end_section=estimate is beside[-1])
    return table


def attempts_table(systems: Sequence[SystemAccuracy]) -> Table:
    """Show each system's share of attempted answers, and the accuracy of these, with intervals."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("system", overflow="fold")
    for heading in ("attempted", "interval", "accuracy given attempted", "interval"):
        table.add_column(heading, justify="right")
    for each in systems:
        if each.attempted is not None:
            cells = [cell for estimate in (each.attempted, each.given_attempted) for cell in _estimate_cells(estimate)]
            table.add_row(Text(plain(each.system) or DASH), *cells)
    return table


def plan_table(systems: Sequence[SystemAccuracy]) -> Table:
    """Show how many labels the wanted width takes, with the judge's help and without."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("system", overflow="fold")
    for heading in ("width", "labels", "more", "without judge"):
        table.add_column(heading, justify="right")
    for each in systems:
        if each.plan is not None:
            planned = each.plan
            counts = _count(planned.labels), _more(planned), _count(planned.without_judge)
            table.add_row(Text(plain(each.system) or DASH), f"{planned.width:g}", *counts)
    return table


def agreement_rows(results: Mapping[str, SystemWise]) -> Rows:
    """Return RMSE ± sd and Kendall's τ-b with p for each set and measure: the form of Vu and Moschitti's Table 5."""
    rows: Rows = [["set", "measure", "RMSE ± sd", "τ", "p"]]
    for name, result in results.items():
        for measure, agreement in result.agreement.items():
            rank = score_text(agreement.kendall), score_text(agreement.kendall_p)
            rows.append([name, str(measure), _error(agreement.rmse, agreement.sigma), *rank])
    return rows


def first_answer_rows(results: Mapping[str, SystemWise]) -> Rows:
    """Return every system's P@1 by judge and by people, with RMSE ± sd, τ and p: the form of Vu's Table 6."""
    rows: Rows = []
    for name, result in results.items():
        if not rows:
            rows.append(["set", "by", *result.systems, "RMSE ± sd", "τ", "p"])
        agreement = result.agreement[Measure.P_AT_1]
        judge = [score_text(value) for value in result.by_judge[Measure.P_AT_1]]
        true = [score_text(value) for value in result.true[Measure.P_AT_1]]
        error = _error(agreement.rmse, agreement.sigma)
        rows += [
            [name, "judge", *judge, error, score_text(agreement.kendall), score_text(agreement.kendall_p)],
            [name, "people", *true, "", "", ""],
        ]
    return rows


def system_rows(results: Mapping[str, SystemWise]) -> Rows:
    """Return every system's P@1, MAP and MRR by people and by judge: the form of Vu and Moschitti's Table 7."""
    rows: Rows = []
    for name, result in results.items():
        if not rows:
            rows.append(["set", "by", "measure", *result.systems])
        for by, measured in (("people", result.true), ("judge", result.by_judge)):
            rows += [[name, by, str(measure), *map(score_text, values)] for measure, values in measured.items()]
    return rows


def as_table(rows: Rows) -> Table:
    """Show rows in the terminal."""
    table = Table(*rows[0], box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for row in rows[1:]:
        table.add_row(*map(plain, row))
    return table


def as_markdown(rows: Rows) -> str:
    """Write rows as a Markdown table."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(estimate: AccuracyEstimate) -> list[str]:
    interval = f"{estimate.low:.3f}{DASH}{estimate.high:.3f}"
    counts = f"{estimate.labels:,} of {estimate.n:,}"
    return [str(estimate.method), score_text(estimate.estimate), interval, counts]


def _estimate_cells(estimate: AccuracyEstimate | None) -> list[str]:
    if estimate is None:
        return [DASH, DASH]
    return [score_text(estimate.estimate), f"{estimate.low:.3f}{DASH}{estimate.high:.3f}"]


def _more(planned: LabelPlan | None) -> str:
    return DASH if planned is None or planned.more is None else f"+{planned.more:,}"


def _count(labels: int | None) -> str:
    return DASH if labels is None else f"{labels:,}"


def _error(rmse: float | None, deviation: float | None) -> str:
    return DASH if rmse is None or deviation is None else f"{rmse:.3f} ± {deviation:.3f}"


def agreement_line(agreement: SystemAgreement) -> str:
    """Return how close the estimates come to the truth, and how well they order the systems."""
    ranks = (
        f"Kendall {agreement.kendall:.3f} (p = {agreement.kendall_p:.3f})"
        if agreement.kendall is not None and agreement.kendall_p is not None
        else f"no rank correlation: {agreement.reason}"
    )
    return f"over {agreement.n} systems: RMSE {agreement.rmse:.3f} ± {agreement.sigma:.3f}, {ranks}"
