"""Document frequencies of references, counted once for `cider` and `:idf` and stored in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qassay.api.inputs import LeftOut, check_apart, paths_of, read_options, rows_in_memory
from qassay.api.result import Result, page_path
from qassay.errors import SpecError
from qassay.features.first_pass import PassContext
from qassay.features.frequencies import FrequencyNeed, save_frequencies
from qassay.io.input_stream import Reader
from qassay.metrics.registry import CATALOGUE
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import Scorer, batches
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.api.inputs import Answers, Columns
    from qassay.features.frequencies import Frequencies
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.spec import MetricSpec


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyResult(Result):
    """Frequencies that were counted and written to a file."""

    output: Path
    """What `df` names."""
    answers: int
    """How many answers' references were counted."""
    tables: Sequence[Frequencies]
    """The counts, by tokeniser and length of n-grams."""
    left_out: LeftOut

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay frequencies --json` prints."""
        return {
            "output": str(self.output),
            "answers": self.answers,
            "skipped": self.left_out.skipped_total,
            "tables": self._rows(),
        }

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write a page of the words that stand in most references."""
        from qassay.report.html.frequency_page import (  # noqa: PLC0415 - only for a page
            FrequencyReport,
            write_frequency_page,
        )

        page = page_path(path)
        skipped = self.left_out.skipped_total
        write_frequency_page(FrequencyReport(self.output.name, self.tables, self.answers, skipped, call), page)
        return page

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "tok": each.need.tok,
                "orders": each.need.orders,
                "together": each.need.together,
                "documents": each.documents,
                "distinct": len(each.counts),
                "fingerprint": each.fingerprint,
            }
            for each in self.tables
        ]


def frequencies(
    answers: Answers,
    metrics: str | Iterable[str | MetricSpec] | None,
    output: str | Path,
    *,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    language: str = "auto",
    model: str = EMBEDDED,
    on_error: OnError = "stop",
    progress: Progress | None = None,
) -> FrequencyResult:
    """Count in how many references each word stands, as the metrics need it, and write that to a JSON file.

    Without metrics (None), what `cider` and every metric with `:idf` need unless their parameters say otherwise.
    With the file as `df`, `qassay.score` and `qassay.Accumulator` give parts of these answers the scores that they get
    when all are scored in one run.
    """
    check_options(language=language, model=model, on_error=on_error)
    wanted = as_names("metrics", metrics) or _counting()
    scorer = Scorer(wanted, language=language, model=model, on_error=on_error)
    needs = [need for need in scorer.first_passes if isinstance(need, FrequencyNeed)]
    if not needs:
        raise SpecError(f"{', '.join(scorer.specs)} count no words over a run; name cider, or a metric with :idf")
    check_apart([answers], output)
    options = read_options(format, columns, None, on_error, metrics=wanted)
    files, left_out = paths_of(answers), LeftOut()
    reader = None if files is None else Reader(files, options)
    collectors = [need.begin(scorer.resources, PassContext()) for need in needs]
    if progress is not None:
        progress.begin("counting", None)
    counted = 0
    for chunk in batches(reader or rows_in_memory(answers, options), FrequencyNeed.at_once):
        for collector in collectors:
            collector.update(chunk)
        counted += len(chunk)
        if progress is not None:
            progress.advance(counted, None)
    if reader is not None:
        left_out.add(reader)
    tables = [collector.finish() for collector in collectors]
    save_frequencies(Path(output), tables)
    return FrequencyResult(Path(output), counted, tables, left_out)


def _counting() -> list[str]:
    """Return the metrics of the catalogue that count words over a run."""
    entries, _ = CATALOGUE.loadable()
    return ["cider", *(f"{name}:idf" for name, each in entries.items() if "idf" in each.declaration.weightings)]
