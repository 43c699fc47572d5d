"""Scatter plots of scores against judgements."""

from __future__ import annotations

from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from markupsafe import Markup

from qassay.report.figures.drawing import NARROW, Axis, Drawing, axis, below, beside, printable, shorten_to, text
from qassay.report.figures.inline import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats
    from qassay.meta.correlation.disagreement import Disagreement

Frame = tuple[float, float, float, float]
"""Left, right, top and bottom."""

_SPOTS = 1500
_MARKER = 7.5
_LATIN = 0x2E7F
"""Characters above this are about twice as wide."""
_NEAR = 10.0
_AROUND = [(side * 8.0, rise) for rise in (0.0, -8.0, 8.0, -18.0, 18.0, -28.0, 28.0, -38.0, 38.0) for side in (1, -1)]
"""Where a name may stand around its dot, the nearest first."""


def scatter_drawing(
    metric: str,
    x: Floats,
    y: Floats,
    colour: str,
    *,
    wrong: Sequence[tuple[Disagreement, str | None]] = (),
    names: Sequence[str] = (),
) -> Drawing:
    """Draw scores against judgements: spots for answers, the most wrong numbered, or one named dot per system."""
    left, right, top, bottom = 44.0, NARROW - 10, 10.0, 210.0
    across, across_ticks = axis(x.tolist() if names else [*_least_range(x), *x.tolist()], left + 5, right - 5)
    up, up_ticks = axis(y.tolist(), bottom - 5, top + 5)
    shapes = [*beside(up, up_ticks, left, right), *below(across, across_ticks, top, bottom)]
    shapes += [
        text("score", (left + right) / 2, bottom + 28, "title", "middle"),
        Markup(
            '<text class="title" text-anchor="middle" transform="translate(9 {}) rotate(-90)">judgement</text>'
        ).format(f"{(top + bottom) / 2:g}"),
    ]
    shapes += _trend(x, y, across, up)
    places = np.column_stack([[across.at(value) for value in x.tolist()], [up.at(value) for value in y.tolist()]])
    if names:
        shapes += _named_dots(places, names, colour, (left, NARROW, 0.0, bottom))
    else:
        shapes += [tag("circle", f"spot {colour}", cx=cx, cy=cy, r=r) for cx, cy, r in _spots(places)]
        shapes += _markers(wrong, across, up, (left, right, top, bottom))
    what = "systems" if names else "answers"
    said = f"{metric} against judgement, {len(x):,} {what}"
    return Drawing(metric, said, NARROW, bottom + 34, Markup("").join(shapes), "scatter")


def _least_range(x: Floats) -> tuple[float, ...]:
    """Return the range of scores: from 0, and to 1 where all are equal."""
    return (0.0,) if len(x) and np.ptp(x) > 0 else (0.0, 1.0)


def _trend(x: Floats, y: Floats, across: Axis, up: Axis) -> list[Markup]:
    """Draw the line of least squares, whose steepness Pearson's r is about."""
    if len(x) < 3 or np.ptp(x) == 0:  # noqa: PLR2004 - two points make any line
        return []
    slope, height = np.polyfit(x, y, 1)
    ends = [(value, float(slope * value + height)) for value in (float(x.min()), float(x.max()))]
    kept = [(across.at(value), up.at(level)) for value, level in ends]
    return [tag("line", "trend", x1=kept[0][0], y1=kept[0][1], x2=kept[1][0], y2=kept[1][1])]


def _spots(places: Floats) -> list[tuple[float, float, float]]:
    """Merge points that fall together into one spot whose area is their number, at most so many spots in all."""
    grid = 0.5
    while True:
        spots, counts = np.unique(np.round(places / grid), axis=0, return_counts=True)
        if len(spots) <= _SPOTS:
            break
        grid *= 1.25
    most = counts.max(initial=1)
    radius = 2.0 * np.sqrt(counts) if most <= 16 else np.maximum(1.8, 8.0 * np.sqrt(counts / most))  # noqa: PLR2004 - up to here the largest spot stays within 8
    return [(float(cx), float(cy), float(r)) for (cx, cy), r in zip(spots * grid, radius, strict=True)]


def _named_dots(places: Floats, names: Sequence[str], colour: str, frame: Frame) -> list[Markup]:
    """Draw a dot for each name and write the name where it covers no dot and no other name; a line leads far ones back.

    A name for which there is no room is its dot's title alone.
    """
    dots, labels = [], []
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in places.tolist()]
    for (x, y), name in zip(places.tolist(), names, strict=True):
        dot = tag("circle", f"dot {colour}", cx=x, cy=y, r=4)
        dots.append(Markup("<g><title>{}</title>{}</g>").format(printable(name), dot))
        shown = shorten_to(printable(name), 96)
        for dx, dy in _AROUND:
            anchor = "start" if dx > 0 else "end"
            box = _box_of(shown, x + dx, y + dy, anchor)
            if box.inside(frame) and not any(box.meets(other) for other in taken):
                taken.append(box)
                if abs(dy) > _NEAR:
                    labels.append(tag("line", "tie", x1=x, y1=y, x2=x + dx, y2=y + dy))
                labels.append(text(shown, x + dx, y + dy + 3.5, "mention", anchor))
                break
    return [*labels, *dots]


class Box(NamedTuple):
    """A rectangle that something covers."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two have a point in common."""
        apart = self.right < other.left or other.right < self.left
        return not (apart or self.bottom < other.top or other.bottom < self.top)

    def inside(self, frame: Frame) -> bool:
        """Whether it is within left, right, top and bottom."""
        left, right, top, bottom = frame
        return left <= self.left and self.right <= right and top <= self.top and self.bottom <= bottom


def _box_of(shown: str, x: float, y: float, anchor: str) -> Box:
    width = sum(10.0 if ord(character) > _LATIN else 5.9 for character in shown)
    left = x if anchor == "start" else x - width
    return Box(left, y - 5, left + width, y + 5)


def _markers(wrong: Sequence[tuple[Disagreement, str | None]], across: Axis, up: Axis, frame: Frame) -> list[Markup]:
    """Number the most wrong answers, each number beside its point when others are in the way."""
    placed: list[tuple[float, float]] = []
    leaders, shapes = [], []
    for number, (each, link) in enumerate(wrong, 1):
        x, y = across.at(each.score), up.at(each.judgement)
        cx, cy = _free_place(x, y, placed, frame)
        placed.append((cx, cy))
        leaders.append(tag("line", "leader", x1=x, y1=y, x2=cx, y2=cy))
        label = f"most wrong answer {number}: judgement {each.judgement:g}, score {each.score:.3f}"
        start_tag = (
            Markup('<g class="marker">') if link is None else Markup('<a class="marker" href="{}">').format(link)
        )
        shapes.append(
            start_tag
            + Markup("<title>{}</title>").format(label)
            + tag("circle", cx=cx, cy=cy, r=_MARKER)
            + text(str(number), cx, cy + 3.6, "", "middle")
            + (Markup("</g>") if link is None else Markup("</a>"))
        )
    return leaders + shapes


def _free_place(x: float, y: float, placed: Sequence[tuple[float, float]], frame: Frame) -> tuple[float, float]:
    left, right, top, bottom = frame
    around = [
        (x + distance * cos(angle * pi / 8), y + distance * sin(angle * pi / 8))
        for distance in (17, 30, 43, 56, 69, 82)
        for angle in range(16)
    ]
    for cx, cy in ((x, y), *around):
        inside = left <= cx <= right and top <= cy <= bottom
        if inside and all(hypot(cx - other, cy - level) > 2 * _MARKER + 1 for other, level in placed):
            return round(cx, 1), round(cy, 1)
    return x, y
