"""Small SVG figures that follow the page's theme and stretch with their cell.

Horizontal positions are percentages, so a figure fills whatever width it is given without distorting its dots; it
draws in `currentColor`, which the row's class sets to its system's tint. Labels are what a screen reader reads out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TINTS = 8
"""How many distinct colours there are; beyond, they repeat."""
_MARGIN = 2.0
"""Room at both ends, in per cent, so that a dot at the limit is whole."""


def histogram(counts: Sequence[int], *, label: str, height: int = 30, peak: float | None = None) -> Markup:
    """Draw bars over equal bins; `peak` is the share that fills the height (the highest bin's by default).

    Pass the same `peak` to figures that are to be compared. A bin with any count shows at least a hairline.
    """
    total = sum(counts) or 1
    top = peak or max(counts, default=0) / total or 1.0
    width = (100 - 2 * _MARGIN) / max(len(counts), 1)
    bars = []
    for i, count in enumerate(counts):
        if count:
            tall = max(1.0, min(1.0, count / total / top) * (height - 1))
            left = _MARGIN + i * width
            bars.append(tag("rect", x=f"{left:.2f}%", y=height - tall, width=f"{width * 0.86:.2f}%", height=tall))
    base = tag("line", x1=f"{_MARGIN}%", x2=f"{100 - _MARGIN}%", y1=height - 0.5, y2=height - 0.5)
    return _svg("histogram", height, label, [base, *bars])


def interval(
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    maximum: float,
    label: str,
    minimum: float = 0.0,
    height: int = 14,
) -> Markup:
    """Draw a dot for the value and a whisker for its interval on an axis from `minimum` to `maximum`."""
    middle = height / 2

    def place(number: float) -> str:
        share = (number - minimum) / (maximum - minimum)
        return f"{_MARGIN + min(1.0, max(0.0, share)) * (100 - 2 * _MARGIN):.2f}%"

    shapes = [tag("line", "axis", x1=f"{_MARGIN}%", x2=f"{100 - _MARGIN}%", y1=middle, y2=middle)]
    if minimum < 0 < maximum:
        shapes.append(tag("line", "zero", x1=place(0), x2=place(0), y1=0, y2=height))
    if low is not None and high is not None:
        shapes.append(tag("line", "whisker", x1=place(low), x2=place(high), y1=middle, y2=middle))
        shapes.extend(
            tag("line", "cap", x1=place(end), x2=place(end), y1=middle - 3, y2=middle + 3) for end in (low, high)
        )
    if value is not None:
        shapes.append(tag("circle", cx=place(value), cy=middle, r=3.5))
    return _svg("interval", height, label, shapes)


def shares(counts: Mapping[str, int], *, label: str, height: int = 10) -> Markup:
    """Draw a bar in parts, one for each kind, as wide as its share."""
    total = sum(counts.values()) or 1
    parts, left = [], 0.0
    for kind, count in counts.items():
        width = 100 * count / total
        parts.append(tag("rect", kind, x=f"{left:.2f}%", y=0, width=f"{width:.2f}%", height=height))
        left += width
    return _svg("shares", height, label, parts)


def ticks(maximum: float, *, minimum: float = 0.0, parts: int = 4, height: int = 14) -> Markup:
    """Write the axis that `histogram` and `interval` share."""
    shapes = []
    for i in range(parts + 1):
        x = f"{_MARGIN + i * (100 - 2 * _MARGIN) / parts:.2f}%"
        anchor = "start" if i == 0 else "end" if i == parts else "middle"
        number = f"{minimum + i * (maximum - minimum) / parts:g}"
        shapes.append(Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, height - 3, anchor, number))
    return _svg("ticks", height, "", shapes)


def _svg(kind: str, height: int, label: str, shapes: Iterable[Markup]) -> Markup:
    said = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    start_tag = Markup('<svg class="figure {}" width="100%" height="{}" {}>').format(kind, height, said)
    return start_tag + Markup("").join(shapes) + Markup("</svg>")


def tag(name: str, kind: str = "", **attributes: str | float) -> Markup:
    """Write an element without content, its attributes escaped and its numbers short."""
    pairs = {**({"class": kind} if kind else {}), **attributes}
    written = " ".join(f'{key}="{escape(_number(value))}"' for key, value in pairs.items())
    return Markup(f"<{name} {written}/>")  # noqa: S704 - every value is escaped above


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
