"""Figures of metrics' agreement with people: intervals, scatter plots, parts as bars, sweeps as curves."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from qassay.report.figures.drawing import NARROW, Axis, Drawing, Figure, Scaled, axis, below, beside, text, tint
from qassay.report.figures.inline import tag
from qassay.report.figures.scatter import scatter_drawing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.meta.correlation.correlate import Correlation
    from qassay.meta.correlation.disagreement import Disagreement
    from qassay.meta.correlation.evaluation import Agreement, JudgedScores
    from qassay.meta.correlation.sweep import SweepPoint

NAMED = 6
"""How many answers a scatter plot numbers."""
PARTS = 24
"""Parts that are drawn, the largest first; the numbers hold all."""
_WIDE = 420.0
_ROW = 19.0


def intervals_figure(agreements: Sequence[Agreement]) -> Figure:
    """Draw every metric's coefficients on the whole data as dots with whiskers, the best at the top."""
    whole = ranked(each for each in agreements if each.by is None)
    colours = colours_of(agreements)
    drawings = []
    for coefficient in whole[0].correlations:
        found = {each.metric: each.correlations[coefficient] for each in whole}
        scale, ticks = _coefficient_axis(found.values(), 150, _WIDE - 52)
        bottom = 8 + _ROW * len(found)
        shapes = below(scale, ticks, 4, bottom)
        for i, (metric, each) in enumerate(found.items()):
            middle = 8 + _ROW * (i + 0.5)
            tied = " (tied)" if whole[i].tied else ""
            shapes.append(text(metric + tied, 142, middle + 4, "name", "end", room=136))
            shapes += _dot_and_whisker(each, scale, middle, colours[metric])
            shapes.append(text(_value(each), _WIDE - 4, middle + 4, "number", "end"))
        said = "; ".join(f"{metric} {_value(each)}" for metric, each in found.items())
        drawings.append(Drawing(str(coefficient), said, _WIDE, bottom + 20, Markup("").join(shapes), "intervals"))
    columns, rows = agreement_rows(agreements)
    level = whole[0].level
    return Figure("agreement", f"Agreement with people, {level} level", drawings, columns, rows)


def scatter_figure(
    evidence: JudgedScores, wrong: Mapping[str, Sequence[Disagreement]], *, linked: bool = False
) -> Figure:
    """Draw each metric's scores against the judgements, with the most wrong answers numbered.

    With `linked` the numbers lead to `#wrong-METRIC-NUMBER`, both counted, on the page that holds the pictures.
    """
    panel = evidence.panel
    drawings, rows = [], []
    for number, metric in enumerate(panel.scores):
        present = np.flatnonzero(panel.complete(metric))
        x, y = panel.score(metric)[present], panel.judgement[present]
        named = [(each, f"#wrong-{number}-{i}" if linked else None) for i, each in enumerate(wrong[metric][:NAMED], 1)]
        drawings.append(scatter_drawing(metric, x, y, tint(number), wrong=named))
        rows += [
            (metric, evidence.ids[row], panel.systems[panel.system[row]], float(score), float(judgement))
            for row, score, judgement in zip(present.tolist(), x.tolist(), y.tolist(), strict=True)
        ]
    columns = ("metric", "id", "system", "score", "judgement")
    return Figure("scatter", "Scores against judgements", drawings, columns, rows)


def systems_figure(points: Mapping[str, Sequence[tuple[str, float, float]]]) -> Figure:
    """Draw each metric's scores of whole systems against their mean judgements, every system named."""
    drawings = []
    for number, (metric, systems) in enumerate(points.items()):
        x, y = np.array([each[1] for each in systems]), np.array([each[2] for each in systems])
        drawings.append(scatter_drawing(metric, x, y, tint(number), names=[name for name, *_ in systems]))
    rows = [(metric, *system) for metric, systems in points.items() for system in systems]
    title = "Systems: scores against mean judgements"
    return Figure("systems", title, drawings, ("metric", "system", "score", "judgement"), rows)


def parts_figure(agreements: Sequence[Agreement], by: str) -> Figure:
    """Draw the agreement in each part of the data as bars with intervals, as in Lee et al. 2021, Figure 4."""
    parts = {label: list(rows) for label, rows in groupby(agreements, key=lambda each: each.by) if label is not None}
    largest = sorted(parts, key=lambda label: -max(each.first.n for each in parts[label]))[:PARTS]
    shown = {label: rows for label, rows in parts.items() if label in largest}
    order = [each.metric for each in ranked(each for each in agreements if each.by is None)]
    scale, ticks = _coefficient_axis((each.first for rows in shown.values() for each in rows), 118, NARROW - 46)
    colours = colours_of(agreements)
    drawings = [_bars(label, _in_order(rows, order), colours, scale, ticks) for label, rows in shown.items()]
    columns, numbers = agreement_rows(each for each in agreements if each.by is not None)
    coefficient = str(agreements[0].first.coefficient).capitalize()
    return Figure(f"by_{by}", f"{coefficient} by {by.replace('_', ' ')}", drawings, columns, numbers)


def sweep_figure(points: Sequence[SweepPoint], colours: Mapping[str, str]) -> Figure:
    """Draw the first coefficient against the parameter's values, one line per metric (Yang et al. 2018, Figs. 1 and 2).

    Parts of the data in which the parameter changes nothing are named, not drawn.
    """
    coefficient, param = points[0].coefficient, points[0].param
    drawn = [each for each in points if each.coefficient is coefficient]
    metrics = list(dict.fromkeys(each.metric for each in drawn))
    own = {metric: colours.get(metric, tint(i)) for i, metric in enumerate(metrics)}
    parts = {label: list(rows) for label, rows in groupby(drawn, key=lambda each: each.by)}
    moving = {label: rows for label, rows in parts.items() if label is None or moves(rows)}
    still = [label for label in parts if label is not None and label not in moving]
    known = [each.correlation for rows in moving.values() for each in rows if each.correlation is not None]
    across, up = axis([each.value for each in drawn], 40, NARROW - 12), axis(known, 190, 10)
    columns = (param, "metric", "by", "coefficient", "correlation", "n")
    return Figure(
        f"sweep_{param}",
        f"{str(coefficient).capitalize()} against {param}",
        [_curves("all" if label is None else label, rows, own, across, up) for label, rows in moving.items()],
        columns,
        [(each.value, each.metric, each.by, str(each.coefficient), each.correlation, each.n) for each in points],
        list(own.items()),
        f"{param} changes nothing in: {', '.join(still)}" if still else "",
    )


def moves(points: Iterable[SweepPoint]) -> bool:
    """Whether any metric's agreement changes with the parameter."""
    found: dict[str, set[float | None]] = defaultdict(set)
    for each in points:
        found[each.metric].add(None if each.correlation is None else round(each.correlation, 9))
    return any(len(values) > 1 for values in found.values())


def colours_of(agreements: Sequence[Agreement]) -> dict[str, str]:
    """Return the colour of each metric, the same in every figure."""
    return {metric: tint(i) for i, metric in enumerate(dict.fromkeys(each.metric for each in agreements))}


def ranked(agreements: Iterable[Agreement]) -> list[Agreement]:
    """Put the best by the first coefficient first, and those without a value last."""
    return sorted(agreements, key=lambda each: -2 if each.first.value is None else each.first.value, reverse=True)


def agreement_rows(agreements: Iterable[Agreement]) -> tuple[list[str], list[list[str | float | None]]]:
    """Return agreements as a table of numbers."""
    rows = [each.to_dict() for each in agreements]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return columns, [[row.get(key) for key in columns] for row in rows]


def _coefficient_axis(found: Iterable[Correlation], start: float, end: float) -> tuple[Axis, list[float]]:
    ends = [0.0, 0.5]
    for each in found:
        limits = () if each.interval is None else (each.interval.low, each.interval.high)
        ends += [limit for limit in (each.value, *limits) if limit is not None]
    return axis([max(-1.0, min(1.0, each)) for each in ends], start, end, about=4)


def _dot_and_whisker(found: Correlation, scale: Axis, middle: float, colour: str) -> list[Markup]:
    if found.value is None:
        return [text("undefined", scale.at(0) + 4, middle + 4, "note")]
    shapes = _whisker(found, scale, middle, colour)
    return [*shapes, tag("circle", f"dot {colour}", cx=scale.at(found.value), cy=middle, r=4)]


def _whisker(found: Correlation, scale: Axis, middle: float, colour: str) -> list[Markup]:
    if found.interval is None:
        return []
    low, high = scale.at(found.interval.low), scale.at(found.interval.high)
    ends = [tag("line", f"cap {colour}", x1=x, x2=x, y1=middle - 3.5, y2=middle + 3.5) for x in (low, high)]
    return [tag("line", f"whisker {colour}", x1=low, x2=high, y1=middle, y2=middle), *ends]


def _in_order(rows: Sequence[Agreement], order: Sequence[str]) -> list[Agreement]:
    return sorted(rows, key=lambda row: order.index(row.metric))


def _bars(
    label: str, rows: Sequence[Agreement], colours: Mapping[str, str], scale: Axis, ticks: Sequence[float]
) -> Drawing:
    bottom = 6 + _ROW * len(rows)
    shapes = below(scale, ticks, 4, bottom)
    for place, each in enumerate(rows):
        middle = 6 + _ROW * (place + 0.5)
        colour = colours[each.metric]
        shapes.append(text(each.metric, 112, middle + 4, "name", "end", room=108))
        if each.first.value is None:
            shapes.append(text("undefined", scale.at(0) + 4, middle + 4, "note"))
            continue
        left, right = sorted((scale.at(0), scale.at(each.first.value)))
        shapes.append(tag("rect", f"bar {colour}", x=left, y=middle - 6, width=max(1.0, right - left), height=12))
        shapes += _whisker(each.first, scale, middle, "ink")
        shapes.append(text(_value(each.first), NARROW - 4, middle + 4, "number", "end"))
    fewest, most = (which(each.first.n for each in rows) for which in (min, max))
    title = f"{label} (n = {most:,})" if fewest == most else f"{label} (n = {fewest:,} to {most:,})"
    said = f"{label}: " + "; ".join(f"{each.metric} {_value(each.first)}" for each in rows)
    return Drawing(title, said, NARROW, bottom + 20, Markup("").join(shapes), "bars")


def _curves(title: str, rows: Sequence[SweepPoint], colours: Mapping[str, str], across: Scaled, up: Scaled) -> Drawing:
    shapes = [*beside(*up, 40, NARROW - 12), *below(*across, 190, 190)]
    shapes.append(text(rows[0].param, (40 + NARROW - 12) / 2, 220, "title", "middle"))
    for metric, colour in colours.items():
        shapes += _curve([each for each in rows if each.metric == metric], across[0], up[0], colour)
    said = f"{title}: " + "; ".join(_curve_label(rows, metric) for metric in colours)
    return Drawing(title, said, NARROW, 226, Markup("").join(shapes), "curve")


def _curve(points: Sequence[SweepPoint], across: Axis, up: Axis, colour: str) -> list[Markup]:
    known = [(across.at(each.value), up.at(each.correlation)) for each in points if each.correlation is not None]
    if not known:
        return []
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
    highest, lowest = min(y for _, y in known), max(y for _, y in known)
    best = next(place for place in known if place[1] == highest) if lowest - highest > 1 else None
    dots = [tag("circle", f"dot {colour}", cx=x, cy=y, r=4.5 if (x, y) == best else 2.4) for x, y in known]
    return [tag("polyline", f"line {colour}", points=path), *dots]


def _curve_label(points: Sequence[SweepPoint], metric: str) -> str:
    known = [
        (each.value, each.correlation) for each in points if each.metric == metric and each.correlation is not None
    ]
    if not known:
        return f"{metric} undefined"
    (first, low), (last, high) = known[0], known[-1]
    return f"{metric} from {low:.3f} at {first:g} to {high:.3f} at {last:g}"


def _value(found: Correlation) -> str:
    return "undefined" if found.value is None else f"{found.value:.3f}"
