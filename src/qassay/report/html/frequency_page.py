"""The page of `qassay.frequencies`: what was counted, and the words that stand in most references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.report.html.document import render, write_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.features.frequencies import Frequencies

MOST_WORDS = 50
"""Rows that each table of the page holds."""


@dataclass(frozen=True, slots=True)
class FrequencyReport:
    """What the page shows."""

    title: str
    tables: Sequence[Frequencies]
    answers: int
    skipped: int = 0
    call: str = ""
    """The command line or Python call that made the page."""


def write_frequency_page(report: FrequencyReport, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    write_page(render_frequencies(report), path)


def render_frequencies(report: FrequencyReport) -> str:
    """Return the page's HTML."""
    commonest = [_commonest(each) for each in report.tables]
    return render(
        "frequencies.html",
        scripts=("theme.js", "sortable.js"),
        call=report.call,
        report=report,
        counted=list(zip(report.tables, commonest, strict=True)),
    )


def _commonest(table: Frequencies) -> list[tuple[str, int]]:
    """Return the n-grams of most references, those of equally many by name."""
    ranked = sorted(table.counts.items(), key=lambda each: (-each[1], each[0]))
    return [(" ".join(gram), count) for gram, count in ranked[:MOST_WORDS]]
