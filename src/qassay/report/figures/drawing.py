"""The elements of figures with axes: pictures in coordinates of their own, scales, texts that fit.

A drawing names no colours: the style sheet `drawings.css` does, following the page's theme there and in the light
theme's colours where a drawing is a file of its own.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from qassay.report.figures.inline import TINTS, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NARROW = 310.0
"""The width of pictures that stand side by side."""
_LETTER, _WIDE_LETTER = 6.1, 11.0
"""About how wide a letter of 11 pixels is, and a Chinese character."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Drawing:
    """One picture: shapes in a box of its own."""

    title: str
    label: str
    """The text alternative."""
    width: float
    height: float
    shapes: Markup
    kind: str = ""

    def svg(self, *, place: tuple[float, float] | None = None) -> Markup:
        """Write the picture as an element: stretching in its cell of a page, or at a place inside another picture."""
        box = f"0 0 {self.width:g} {self.height:g}"
        size = (
            ""
            if place is None
            else f' x="{place[0]:g}" y="{place[1]:g}" width="{self.width:g}" height="{self.height:g}"'
        )
        start_tag = Markup('<svg class="drawing {}" viewBox="{}"{} role="group" aria-label="{}">')
        return start_tag.format(self.kind, box, Markup(size), printable(self.label)) + self.shapes + Markup("</svg>")  # noqa: S704 - numbers alone


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures that belong together, with their numbers."""

    name: str
    """The name of its files, without an extension."""
    title: str
    drawings: Sequence[Drawing]
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    legend: Sequence[tuple[str, str]] = ()
    """The legend: name and class of each colour; empty where the pictures are labelled."""
    note: str = ""
    """What is not drawn, and why."""


class Axis(NamedTuple):
    """Numbers from `low` to `high` laid out between two places."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return a number's position, clipped to the ends."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


Scaled = tuple[Axis, list[float]]
"""An axis and its ticks."""


def axis(values: Iterable[float], start: float, end: float, *, about: int = 5) -> Scaled:
    """Return an axis that holds all values and begins and ends at round numbers, with its ticks."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [float(f"{step * i:.12g}") for i in range(first, last + 1)]
    return Axis(ticks[0], ticks[-1], start, end), ticks


def text(
    content: str, x: float, y: float, kind: str = "", anchor: str = "start", *, room: float | None = None
) -> Markup:
    """Return a text element, shortened to its room; its title holds the whole text."""
    whole = printable(content)
    shown = whole if room is None else shorten_to(whole, room)
    title = Markup("<title>{}</title>").format(whole) if shown != whole else Markup("")
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}{}</text>').format(
        f"{x:g}", f"{y:g}", kind, anchor, title, shown
    )


def shorten_to(content: str, room: float) -> str:
    """Shorten a text to about so many pixels."""
    used = 0.0
    for i, character in enumerate(content):
        used += _WIDE_LETTER if unicodedata.east_asian_width(character) in "WF" else _LETTER
        if used > room:
            return content[: max(1, i - 1)] + "…"
    return content


def printable(content: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _NO_XML.sub("", content)


def below(scale: Axis, ticks: Sequence[float], top: float, bottom: float) -> list[Markup]:
    """Draw a horizontal axis: a thin line up at every tick, its number below."""
    return [
        shape
        for tick in ticks
        for shape in (
            tag("line", "grid" if tick else "grid zero", x1=scale.at(tick), x2=scale.at(tick), y1=top, y2=bottom),
            text(short(tick), scale.at(tick), bottom + 13, "tick", "middle"),
        )
    ]


def beside(scale: Axis, ticks: Sequence[float], left: float, right: float) -> list[Markup]:
    """Draw a vertical axis: a thin line across at every tick, its number to the left."""
    return [
        shape
        for tick in ticks
        for shape in (
            tag("line", "grid" if tick else "grid zero", x1=left, x2=right, y1=scale.at(tick), y2=scale.at(tick)),
            text(short(tick), left - 5, scale.at(tick) + 3.5, "tick", "end"),
        )
    ]


def tint(i: int) -> str:
    """Return the class of the i-th colour; colours that come again have broken lines."""
    return f"tint-{i % TINTS}" + (f" dash-{min(3, i // TINTS)}" if i >= TINTS else "")


def short(number: float) -> str:
    """Print a number for an axis."""
    return f"{number:g}".replace("-", "\N{MINUS SIGN}")
