"""What commands that score a whole input have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qassay.report.html.score_page import AnswerRow, Report, worst_first
from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.scoring.run import Finished, Run
    from qassay.scoring.table import Aggregate


def run_document(finished: Finished, aggregates: list[Aggregate], seed: int) -> dict[str, Any]:
    """Return what `--json` prints of a run."""
    document: dict[str, Any] = {
        "aggregates": [each.to_dict() for each in aggregates],
        "examples": finished.tally.examples,
        "skipped": finished.reader.skipped_total,
        "seed": seed,
        "version": __version__,
    }
    if finished.tally.notes:
        document["notes"] = dict(finished.tally.notes)
    return document


def run_report(title: str, run: Run, finished: Finished, aggregates: list[Aggregate]) -> Report:
    """Return what a report of a run shows; the input is read once more."""
    rows = (AnswerRow(*row) for row in run.answers(finished))
    return Report(
        title=title,
        aggregates=aggregates,
        histograms={name: tally.histograms for name, tally in finished.tally.systems.items()},
        maxima=run.scorer.maxima,
        answers=worst_first(rows, run.scorer.maxima),
        examples=finished.tally.examples,
        skipped=finished.reader.skipped_total,
        notes=finished.tally.notes,
        seed=run.seed,
    )
