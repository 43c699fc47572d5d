"""What commands that score a whole input have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qassay.cli.command_line import command_line
from qassay.report.answers import AnswerRow, Ordering, select_answers
from qassay.report.html.score_page import Report
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
    ordering = Ordering.of(run.scorer.metrics)
    return Report(
        title=title,
        aggregates=aggregates,
        histograms={name: tally.histograms for name, tally in finished.tally.systems.items()},
        ordering=ordering,
        answers=select_answers(lambda: (AnswerRow(*row) for row in run.answers(finished)), ordering),
        skipped=finished.reader.skipped_total,
        notes=finished.tally.notes,
        seed=run.seed,
        call=command_line(),
    )
