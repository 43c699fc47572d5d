"""Figures as files of their own: SVG that any program shows, PNG where it can be made, the numbers as CSV."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from qassay.errors import OutputError
from qassay.io.atomic_output import replacing
from qassay.report.figures.drawing import text
from qassay.report.figures.inline import tag
from qassay.report.html.document import asset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from qassay.report.figures.drawing import Drawing, Figure

PNG_EXTRA = "PNG files need resvg-py, which is not installed: pip install 'qassay[png]'; SVG and CSV need nothing"
_COLUMNS = 3
_GAP, _MARGIN, _HEADING, _LEGEND_LINE = 26.0, 20.0, 34.0, 18.0
_TITLE = 18.0
_PNG_SCALE = 2.0


def make_folder(folder: Path) -> None:
    """Create the folder for figures; raise an error if that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"is no folder for figures ({error.strerror or error}); name another", folder) from error


def write_figures(figures: Iterable[Figure], folder: Path) -> tuple[list[Path], bool]:
    """Write NAME.svg, NAME.png and NAME.csv of every figure; return the files and whether PNGs could be made.

    Without resvg-py (the extra `png`) there are no PNGs. What has no pictures is written as numbers alone.
    """
    make_folder(folder)
    draw = _rasteriser()
    written = []
    for figure in figures:
        files = {f"{figure.name}.csv": as_csv(figure.columns, figure.rows).encode("utf-8", "replace")}
        if figure.drawings:
            svg = standalone(figure)
            files[f"{figure.name}.svg"] = svg.encode()
            if draw is not None:
                files[f"{figure.name}.png"] = draw(svg)
        for name, content in files.items():
            path = folder / _file_name(name)
            with replacing(path) as unfinished:
                unfinished.write_bytes(content)
            written.append(path)
    return written, draw is not None


def standalone(figure: Figure) -> str:
    """Return a figure as a whole SVG file, in the colours of the light theme."""
    columns = min(_COLUMNS, max(1, len(figure.drawings)))
    wide = max((each.width for each in figure.drawings), default=300.0)
    width = 2 * _MARGIN + columns * wide + (columns - 1) * _GAP
    shapes = [text(figure.title, _MARGIN, _MARGIN + 14, "heading")]
    y = _MARGIN + _HEADING
    x = _MARGIN
    for entry, colour in figure.legend:
        needed = 34 + 6.6 * len(entry)
        if x + needed > width - _MARGIN and x > _MARGIN:
            x, y = _MARGIN, y + _LEGEND_LINE
        shapes += [
            tag("line", f"line {colour}", x1=x, x2=x + 18, y1=y - 4, y2=y - 4),
            text(entry, x + 24, y, "name"),
        ]
        x += needed
    y += _LEGEND_LINE if figure.legend else 0
    for start in range(0, len(figure.drawings), columns):
        row = figure.drawings[start : start + columns]
        for place, drawing in enumerate(row):
            shapes += _placed(drawing, _MARGIN + place * (wide + _GAP), y)
        y += _TITLE + max(each.height for each in row) + _GAP
    height = y - _GAP + _MARGIN
    start_tag = f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="{width:g}" height="{height:g}">'
    # The style is the package's own, and every shape is escaped markup already.
    head = Markup(f"{start_tag}<style>{_style()}</style>")  # noqa: S704
    return str(head + tag("rect", "paper", width="100%", height="100%") + Markup("").join(shapes) + Markup("</svg>\n"))


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Write a table of numbers; what is missing is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return buffer.getvalue()


def _placed(drawing: Drawing, x: float, y: float) -> list[Markup]:
    return [
        text(drawing.title, x, y + 10, "caption", room=drawing.width * 0.9),
        drawing.svg(place=(x, y + _TITLE)),
    ]


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.\-]+", "_", name)


@cache
def _style() -> str:
    """Replace the style sheet's variables by the light theme's colours, as not every program knows variables."""
    light = re.search(r":root \{(.*?)\}", asset("colours.css"), re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+):\s*([^;]+);", light[1])) if light else {}
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], asset("drawings.css"))


def _rasteriser() -> Any:  # noqa: ANN401 - a function of an optional package
    try:
        resvg = import_module("resvg_py")
    except ImportError:
        return None
    return lambda svg: bytes(resvg.svg_to_bytes(svg_string=svg, zoom=_PNG_SCALE))
