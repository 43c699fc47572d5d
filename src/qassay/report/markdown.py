"""Results as Markdown, for the summaries of continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.meta.comparison.gate import Gate
    from qassay.meta.comparison.systems import SystemComparison
    from qassay.scoring.table import Aggregate

_MISSING = "\N{EN DASH}"


def score_summary(aggregates: Sequence[Aggregate], notes: Mapping[str, int], title: str) -> str:
    """Return each system's scores with their intervals as a table."""
    rows = [
        (each.metric, each.system or "all answers", _number(each.value), _interval(each.low, each.high), f"{each.n:,}")
        for each in aggregates
    ]
    lines = [f"### {_cell(title)}", "", *_table(("metric", "system", "score", "95 % interval", "answers"), rows)]
    return "\n".join([*lines, *_notes(notes)]) + "\n"


def comparison_summary(
    comparisons: Iterable[SystemComparison], notes: Mapping[str, int], title: str, gate: Gate | None = None
) -> str:
    """Return the differences between systems as a table, and below it what the gate found."""
    rows = [
        (
            each.metric,
            f"{each.b} - {each.a}",
            _number(None if each.result.difference is None else -each.result.difference, signed=True),
            _interval(_negative(each.result.high), _negative(each.result.low)),
            _number(each.p_holm),
            f"{each.result.n:,}",
        )
        for each in comparisons
    ]
    names = ("metric", "systems", "difference", "95 % interval", "p", "questions")
    lines = [f"### {_cell(title)}", "", *_table(names, rows)]
    if gate is not None:
        lines += ["", f"**{'failed' if gate.failed else 'passed'}**: fail if {gate.fail_if}, at {gate.alpha:g}", ""]
        lines += [f"- {'❌' if each.failed else '✅'} {_cell(each.reason)}" for each in gate.tests]
    return "\n".join([*lines, *_notes(notes)]) + "\n"


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    head = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    return [*head, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)]


def _notes(notes: Mapping[str, int]) -> list[str]:
    return ["", *(f"- {_cell(note)}: {count:,}" for note, count in notes.items())] if notes else []


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _number(value: float | None, *, signed: bool = False) -> str:
    return _MISSING if value is None else f"{value:+.3f}" if signed else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return _MISSING if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
