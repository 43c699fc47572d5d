"""Tables for the terminal."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from qassay.report.answers import system_names
from qassay.report.asserted import says
from qassay.scoring.aggregates.attempts import ATTEMPTED, GIVEN_ATTEMPTED
from qassay.scoring.table import Aggregate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import RenderableType

    from qassay.report.answers import AnswerRow
    from qassay.scoring.aggregates.sample_aggregates import SampleAggregate

WIDTH = 80
DASH = "\u2013"
"""The sign for a missing score, and between the ends of an interval."""
_ANY_INTERVAL = f"0.000{DASH}0.000"
_PADDING = 2
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def plain(text: str) -> str:
    """Return a text on one line, without control characters of the terminal."""
    return _CONTROL.sub("�", _SPACE.sub(" ", text).strip())


def samples_table(samples: Sequence[SampleAggregate], *, width: int = WIDTH) -> RenderableType:
    """Show what several samples of a question amount to: their mean, any, all, and the majority's answer."""
    lines = [
        Aggregate(each.system, f"{each.metric}, {each.outcome}", each.value, each.low, each.high, each.questions, 0, "")
        for each in samples
    ]
    sizes = sorted({f"{each.samples:.3g}" for each in samples})
    return Group(aggregates_table(lines, width=width), f"n counts questions, of {' or '.join(sizes)} samples each")


def aggregates_table(
    aggregates: Sequence[Aggregate], notes: Mapping[str, int] | None = None, *, width: int = WIDTH
) -> RenderableType:
    """Show systems by metrics, each score with its interval, and what was left out.

    Systems stand side by side while `width` has room: intervals beside the scores, or else below them. When there is
    no room either way, there is one line for each system and metric. Below a metric that reads what answers assert are
    the share of answers that are attempts, and the score of these. `n` counts the answers that were scored; where
    a system's metrics scored different numbers of them, it is the fewest to the most. The highest score of a metric is
    bold, which says nothing of significance: `qassay compare` does.
    """
    systems = {system: plain(name) for system, name in system_names(each.system for each in aggregates).items()}
    lines = attempt_lines(aggregates)
    cells = {(each.metric, each.system): each for each in lines}
    specs = list(dict.fromkeys(each.metric for each in lines))
    headings = {system: (name, _scored_counts(system, aggregates)) for system, name in systems.items()}
    one_line, two_lines = (
        _side_by_side_width(specs, headings.values(), cell) for cell in (f"0.000 {_ANY_INTERVAL}", _ANY_INTERVAL)
    )
    if two_lines > width:
        table = _long(specs, systems, cells)
    else:
        table = _side_by_side(specs, headings, cells, joint="\n" if one_line > width else " ")
    metrics = len({each.metric for each in aggregates})
    return Group(table, *_unscored_lines(aggregates, systems, metrics), *_note_lines(notes or {}))


def attempt_lines(aggregates: Sequence[Aggregate]) -> list[Aggregate]:
    """Return the aggregates, each followed by the share of attempted answers and their score where these are known."""
    found = []
    for each in aggregates:
        found.append(each)
        for suffix, figure in ((ATTEMPTED, each.attempted), (GIVEN_ATTEMPTED, each.given_attempted)):
            if figure is not None:
                name = f"{each.metric}{suffix}"
                line = replace(each, metric=name, value=figure.value, low=figure.low, high=figure.high, n=figure.n)
                found.append(line)
    return found


def worst_table(rows: Sequence[AnswerRow], specs: Sequence[str], k: int = 5) -> RenderableType:
    """Show the first `k` answers of a worst-first list: question, answer, first reference and scores."""
    table = Table(box=SIMPLE_HEAD, title="Worst answers", title_justify="left", title_style="bold", expand=True)
    table.add_column("answer", ratio=1)
    table.add_column("scores", justify="right", no_wrap=True)
    for row in rows[:k]:
        table.add_row(_answer_lines(row), _score_lines(row, specs), end_section=True)
    return table


def score_text(value: float | None) -> str:
    """Format a score; a missing one is a dash, never 0."""
    return DASH if value is None else f"{value:.3f}"


def _scored_counts(system: str, aggregates: Sequence[Aggregate]) -> str:
    """Return how many of a system's answers were scored, which may differ from metric to metric."""
    counts = [each.n for each in aggregates if each.system == system]
    fewest, most = min(counts), max(counts)
    return f"n = {most:,}" if fewest == most else f"n = {fewest:,} to {most:,}"


def _side_by_side_width(specs: Sequence[str], headings: Iterable[tuple[str, str]], cell: str) -> int:
    columns = [
        max(map(cell_len, ["metric", *map(_line_name, specs)])),
        *(max(map(cell_len, [cell, *lines])) for lines in headings),
    ]
    return sum(columns) + _PADDING * len(columns)


def _side_by_side(
    specs: Sequence[str],
    headings: Mapping[str, tuple[str, str]],
    cells: Mapping[tuple[str, str], Aggregate],
    joint: str,
) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("metric", no_wrap=True)
    for name, counts in headings.values():
        heading = Text(name)
        heading.append(f"\n{counts}", "dim not bold")
        table.add_column(heading, justify="right", no_wrap=True)
    for spec in specs:
        best = _best(spec, cells)
        row = [_cell(cells.get((spec, system)), joint, best) for system in headings]
        table.add_row(Text(_line_name(spec)), *row)
    return table


def _long(specs: Sequence[str], systems: Mapping[str, str], cells: Mapping[tuple[str, str], Aggregate]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("metric", overflow="fold")
    table.add_column("system", overflow="fold")
    for heading in ("score", "interval", "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    for spec in specs:
        best = _best(spec, cells)
        for i, (system, name) in enumerate(systems.items()):
            each = cells.get((spec, system))
            if each is not None:
                score = Text(score_text(each.value), "bold" if each.value == best else "")
                row = (
                    Text("" if i else _line_name(spec)),
                    Text(name),
                    score,
                    Text(_interval(each), "dim"),
                    f"{each.n:,}",
                )
                table.add_row(*row, end_section=len(systems) > 1 and i == len(systems) - 1)
    return table


def _line_name(spec: str) -> str:
    """Return how a line is named; what belongs to the metric above is indented."""
    for suffix in (GIVEN_ATTEMPTED, ATTEMPTED):
        if spec.endswith(suffix):
            return f" {suffix}"
    return spec


def _best(spec: str, cells: Mapping[tuple[str, str], Aggregate]) -> float | None:
    """Return the highest score where there is a lower one; to attempt more is not to be better."""
    if spec.endswith(ATTEMPTED) and not spec.endswith(GIVEN_ATTEMPTED):
        return None
    values = {each.value for (metric, _), each in cells.items() if metric == spec and each.value is not None}
    return max(values) if len(values) > 1 else None


def _cell(aggregate: Aggregate | None, joint: str, best: float | None) -> Text:
    if aggregate is None or aggregate.value is None:
        return Text(DASH)
    text = Text(score_text(aggregate.value), "bold" if aggregate.value == best else "")
    text.append(f"{joint}{_interval(aggregate)}", "dim not bold")
    return text


def _interval(aggregate: Aggregate) -> str:
    if aggregate.low is None or aggregate.high is None:
        return DASH
    return f"{aggregate.low:.3f}{DASH}{aggregate.high:.3f}"


def _unscored_lines(aggregates: Sequence[Aggregate], systems: Mapping[str, str], metrics: int) -> list[Text]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in aggregates:
        if each.unscored:
            reasons = "; ".join(f"{reason}: {count:,}" for reason, count in each.reasons.items())
            line = f"{each.unscored:,} of {each.n + each.unscored:,} unscored and left out"
            found[each.system, f"{line} ({reasons})" if reasons else line].append(each.metric)
    return [
        Text(f"{systems[system]}: {line}{'' if len(specs) == metrics else ' under ' + ', '.join(specs)}", "yellow")
        for (system, line), specs in found.items()
    ]


def _note_lines(notes: Mapping[str, int]) -> list[Text]:
    return [Text(f"{note}: {count:,}", "dim") for note, count in notes.items()]


def _answer_lines(row: AnswerRow) -> Table:
    example = row.example
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    more = f"  (and {len(example.references) - 1} more)" if len(example.references) > 1 else ""
    candidate = plain(example.candidate or "")
    if example.question:
        grid.add_row("Q", Text(plain(example.question)))
    missing = "no answer given" if example.candidate is None else "empty answer"
    grid.add_row("A", Text(candidate) if candidate else Text(missing, "yellow italic"))
    if example.references:
        grid.add_row("R", Text(plain(example.references[0].text) + more))
    # An answer that is nothing but what it asserts says so by itself.
    for said in dict.fromkeys(says(each) for each in row.notes.values() if plain(each.asserted or "") != candidate):
        grid.add_row("", Text(plain(said), "dim"))
    grid.add_row("", Text(plain(" · ".join(filter(None, (example.system, example.id)))), "dim"))
    return grid


def _score_lines(row: AnswerRow, specs: Sequence[str]) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim")
    grid.add_column(justify="right")
    for spec in specs:
        grid.add_row(Text(spec), score_text(row.scores.get(spec)))
    return grid
