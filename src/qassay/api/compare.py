"""Systems side by side, paired by question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qassay.api.inputs import LeftOut, paths_of, read_answers, read_options, scored_in_memory, title_of
from qassay.api.result import Result, page_path
from qassay.errors import SpecError, option
from qassay.io.scored_files import are_scored, read_scored
from qassay.meta.comparison.stored_scores import table_of_rows
from qassay.meta.comparison.systems import SystemComparison, compare_attempts, compare_table
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import SEED, score_examples
from qassay.validation import as_names, check_options, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.scoring.table import ScoreTable
    from qassay.spec import MetricSpec

FEWEST_DRAWS = 100
"""Resamples with which an interval means something."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonResult(Result):
    """Every later system against every earlier one, metric by metric, on the questions that both answered."""

    comparisons: tuple[SystemComparison, ...]
    table: ScoreTable
    left_out: LeftOut
    attempts: tuple[SystemComparison, ...] = ()
    """The shares of attempted answers and the scores on what both attempted, under metrics that note attempts."""
    title: str = "answers"

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay compare --json` prints."""
        return {
            "aggregates": self.table.to_dicts(),
            "comparisons": [each.to_dict() for each in self.comparisons],
            **({"attempts": [each.to_dict() for each in self.attempts]} if self.attempts else {}),
            "skipped": self.left_out.skipped_total,
            "seed": self.table.seed,
            "version": __version__,
            **({"notes": dict(self.table.notes)} if self.table.notes else {}),
        }

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        from qassay.report.answers import Ordering  # noqa: PLC0415 - only for a page
        from qassay.report.html.comparison_page import ComparisonReport, write_comparison_page  # noqa: PLC0415

        page = page_path(path)
        known = [create(spec) for spec in self.table.scores if spec not in self.table.stored]
        skipped, ordering = self.left_out.skipped_total, Ordering.of(known)
        report = ComparisonReport(self.title, self.table, self.lines, ordering, skipped, call)
        write_comparison_page(report, page)
        return page

    @property
    def lines(self) -> tuple[SystemComparison, ...]:
        """The comparisons as tables show them: attempts below the metric that notes them."""
        metrics = list(self.table.scores)
        pairs = list(dict.fromkeys((each.a, each.b) for each in self.comparisons))
        return tuple(
            sorted(
                (*self.comparisons, *self.attempts),
                key=lambda each: (pairs.index((each.a, each.b)), metrics.index(each.metric.partition(" ")[0])),
            )
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [each.to_dict() for each in self.comparisons]


def compare(
    answers: Answers,
    metrics: str | Iterable[str | MetricSpec] | None = None,
    *,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    language: str = "auto",
    draws: int = 1000,
    on_error: OnError = "stop",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    progress: Progress | None = None,
) -> ComparisonResult:
    """Test which system is better, on the questions that both answered.

    Answers of several systems in rows, in one file or in several; a file whose answers name no system is a system by
    its name. Files that `qassay score -o` wrote, or with scores of your own, are compared by the scores in them.
    """
    check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
    check_whole("draws", draws, least=FEWEST_DRAWS)
    wanted = as_names("metrics", metrics)
    options = read_options(format, columns, None, on_error, metrics=wanted)
    files = paths_of(answers)
    in_memory = scored_in_memory(answers)
    if in_memory is not None or (files is not None and format == "auto" and are_scored(files)):
        if wanted:
            raise SpecError(
                f"{option('metrics')} scores answers, and these files hold scores already; leave it out, or give the "
                "answers"
            )
        parts = [in_memory] if in_memory is not None else [read_scored(file) for file in files or ()]
        table, left_out = table_of_rows(parts, files or ["rows"], seed=seed), LeftOut()
    else:
        examples, left_out = read_answers(answers, options, apart=True)
        table = score_examples(
            examples,
            wanted or (),
            language=language,
            seed=seed,
            model=model,
            device=device,
            on_error=on_error,
            progress=progress,
        )
    attempts = tuple(compare_attempts(table, draws=draws))
    return ComparisonResult(tuple(compare_table(table, draws=draws)), table, left_out, attempts, title_of(answers))
