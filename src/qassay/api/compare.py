"""Systems side by side, paired by question."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from qassay.api.inputs import (
    LeftOut,
    as_files,
    holds_scores_only,
    paths_of,
    read_answers,
    read_options,
    read_scored_answers,
    samples_note,
    scored_in_memory,
    title_of,
)
from qassay.api.result import Result, page_path
from qassay.errors import SpecError, option
from qassay.io.input_stream import count_samples
from qassay.io.scores.scored_files import are_scored, read_scored
from qassay.meta.accuracy.estimates import JudgedAnswers
from qassay.meta.accuracy.label_files import Repeated, read_labels
from qassay.meta.accuracy.labels import match_labels
from qassay.meta.comparison.gate import FailIf, Gate, RawTest, decide, gate_table
from qassay.meta.comparison.labelled_difference import LabelledDifference, labelled_difference
from qassay.meta.comparison.stored_scores import correct_sampled, joined_tables, table_of_rows
from qassay.meta.comparison.systems import SystemComparison, compare_attempts, compare_table
from qassay.meta.judge_column import JudgeColumn, column_rows, sampled_columns, sampled_in_rows
from qassay.metrics.registry import create, parse_spec
from qassay.models.base import EMBEDDED
from qassay.scoring.aggregates.clusters import QUESTION, check_cluster, cluster_codes, cluster_of
from qassay.scoring.scorer import SEED, score_examples
from qassay.validation import as_names, check_choice, check_options, check_share, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns
    from qassay.arrays import Ints
    from qassay.meta.accuracy.label_exports import LabelMap
    from qassay.meta.accuracy.label_files import Labels
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.scoring.table import ScoreTable
    from qassay.spec import MetricSpec

FEWEST_DRAWS = 100
"""Resamples with which an interval means something."""


def check_gate(fail_if: str, margin: float, alpha: float) -> None:
    """Raise `SpecError` for options with which a gate could not decide, or would always decide alike."""
    check_choice("fail_if", fail_if, get_args(FailIf))
    check_share("margin", margin)
    check_share("alpha", alpha)
    if not 0 < alpha < 1:
        raise SpecError(f"{option('alpha')} is {alpha:g}, at which a gate always decides alike; give 0.05, say")


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonResult(Result):
    """Every later system against every earlier one, metric by metric, on the questions that both answered."""

    comparisons: tuple[SystemComparison, ...]
    table: ScoreTable
    left_out: LeftOut
    attempts: tuple[SystemComparison, ...] = ()
    """The shares of attempted answers and the scores on what both attempted, under metrics that note attempts."""
    title: str = "answers"
    cluster: str | None = None
    """What answers are clustered by; None where each stands alone."""
    draws: int = 1000
    labelled: tuple[LabelledDifference, ...] = ()
    """With labels, each system's accuracy against the first's."""

    def gate(self, fail_if: FailIf = "worse", *, margin: float = 0.0, alpha: float = 0.05) -> Gate:
        """Test every later system against the first one, as `compare --fail-if` does.

        `worse` fails where a system is shown to be worse by more than the margin, `not-better` where it is not shown to
        be better by more; both one-sided at level alpha. With labels the accuracies are tested, else every metric.
        """
        check_gate(fail_if, margin, alpha)
        if self.labelled:
            tests = [
                RawTest(
                    "accuracy (labels)",
                    each.baseline,
                    each.new,
                    each.difference,
                    each.p_below(margin) if fail_if == "worse" else each.p_above(margin),
                    each.n,
                )
                for each in self.labelled
            ]
        else:
            tests = gate_table(self.table, fail_if=fail_if, margin=margin, draws=self.draws, codes=self._codes)
        return decide(tests, fail_if=fail_if, margin=margin, alpha=alpha)

    @property
    def _codes(self) -> Ints | None:
        return None if self.cluster is None else cluster_codes(self.table.examples, self.cluster)

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay compare --json` prints."""
        return {
            "aggregates": self.table.to_dicts(),
            "comparisons": [each.to_dict() for each in self.comparisons],
            **({"attempts": [each.to_dict() for each in self.attempts]} if self.attempts else {}),
            **({"cluster": self.cluster} if self.cluster else {}),
            **({"labelled": [each.to_dict() for each in self.labelled]} if self.labelled else {}),
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
    judge: str | Iterable[str] | None = None,
    cluster: str | None = None,
    labels: Answers | None = None,
    cut: float | None = None,
    repeated: Repeated = "stop",
    label_map: LabelMap | None = None,
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
    `judge` names fields that hold scores, `column:NAME`; without metrics, systems are compared by these alone. Scores
    of an LLM that was asked in doubt only are corrected for that, as `accuracy` does.

    With `cluster` (`question`, or a field) answers that share it count as one, as samples of one question must. With
    `labels`, people's verdicts on some answers of every system (`cut`, `repeated` and `label_map` as for `accuracy`),
    the accuracies are compared too: by the first metric or judge and the labels together. `gate` of the result tests
    whether a new system may replace the first.
    """
    check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
    check_whole("draws", draws, least=FEWEST_DRAWS)
    wanted = as_names("metrics", metrics)
    check_cluster(cluster)
    check_choice("repeated", repeated, get_args(Repeated))

    def finished(table: ScoreTable, left_out: LeftOut) -> ComparisonResult:
        if cluster is None:
            table = replace(table, notes={**table.notes, **samples_note(count_samples(table.examples))})
        found = _compared(table, left_out, answers, draws, cluster)
        if labels is None:
            return found
        with as_files(labels, "labels") as label_files:
            verdicts = read_labels(label_files, cut=cut, repeated=repeated, on_error=on_error, label_map=label_map)
        left_out.add(verdicts)
        return replace(found, labelled=_labelled(table, verdicts, cluster or QUESTION))

    files = paths_of(answers)
    judges = JudgeColumn.parse_all(judge)
    in_memory = None if judges else scored_in_memory(answers)
    if in_memory is not None or (
        not judges and files is not None and format == "auto" and are_scored(files) and not _are_answers(files, wanted)
    ):
        parts = [in_memory] if in_memory is not None else [read_scored(file) for file in files or ()]
        rows = [list(part) for part in parts]
        table = table_of_rows(rows, files or ["rows"], seed=seed, cluster=cluster)
        table = correct_sampled(table, sampled_in_rows([row for part in rows for row in part]), cluster)
        left_out = LeftOut()
        if wanted:
            table = _selected(table, [_stored_name(each, table) for each in wanted])
        return finished(table, left_out)
    options = read_options(format, columns, None, on_error, metrics=wanted)
    if judges:
        examples, left_out = read_scored_answers(answers, options, apart=True, bare=options.bare or not wanted)
        table = table_of_rows([column_rows(examples, judges)], ["answers"], seed=seed, cluster=cluster)
        table = correct_sampled(table, sampled_columns(examples, judges), cluster)
        if wanted:
            scored = score_examples(
                examples,
                wanted,
                language=language,
                seed=seed,
                model=model,
                device=device,
                on_error=on_error,
                progress=progress,
                cluster=cluster,
            )
            table = joined_tables(scored, table)
        return finished(table, left_out)
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
        cluster=cluster,
    )
    return finished(table, left_out)


def _compared(
    table: ScoreTable, left_out: LeftOut, answers: Answers, draws: int, cluster: str | None
) -> ComparisonResult:
    codes = None if cluster is None else cluster_codes(table.examples, cluster)
    attempts = tuple(compare_attempts(table, draws=draws, codes=codes))
    comparisons = tuple(compare_table(table, draws=draws, codes=codes))
    return ComparisonResult(comparisons, table, left_out, attempts, title_of(answers), cluster, draws)


def _are_answers(files: Sequence[str], wanted: Sequence[str | MetricSpec] | None) -> bool:
    """Whether files of answers that hold scores too, as `qassay judge` writes them, lack those of a wanted metric."""
    if not wanted or any(holds_scores_only(each) for each in files):
        return False
    stored = set[str]()
    for each in files:
        with closing(read_scored(each)) as rows:
            stored.update(*(row.scores for row in islice(rows, 1)))
    return not {str(each) for each in wanted} <= stored


def _stored_name(metric: str | MetricSpec, table: ScoreTable) -> str:
    """Return the name of a stored metric, whose scores may be anyone's."""
    return str(metric) if str(metric) in table.scores else str(parse_spec(metric))


def _selected(table: ScoreTable, specs: Sequence[str]) -> ScoreTable:
    """Return the stored scores of some metrics."""
    missing = next((spec for spec in specs if spec not in table.scores), None)
    if missing is not None:
        raise SpecError(
            f"these files hold no scores of {missing}; choose among {', '.join(table.scores)}, or give the answers"
        )
    return replace(
        table,
        scores={spec: table.scores[spec] for spec in specs},
        stats={spec: table.stats[spec] for spec in specs},
        unscored={spec: table.unscored[spec] for spec in specs},
        aggregates=tuple(each for each in table.aggregates if each.metric in specs),
        answer_notes={spec: notes for spec, notes in table.answer_notes.items() if spec in specs},
    )


def _labelled(table: ScoreTable, verdicts: Labels, cluster: str) -> tuple[LabelledDifference, ...]:
    """Compare the accuracies of all systems with the first, by the first metric and people's verdicts.

    Answers of one cluster, of both systems, count as one.
    """
    scores = next(iter(table.scores.values()))
    if np.nanmin(scores) < 0 or np.nanmax(scores) > 1:
        raise SpecError(f"{next(iter(table.scores))} does not score from 0 to 1; give another metric first")
    clusters = [cluster_of(each, cluster) for each in table.examples]
    systems = [each.system for each in table.examples]
    judged = JudgedAnswers(systems, clusters, scores, match_labels(verdicts, table.examples))
    baseline, *others = dict.fromkeys(systems)
    return tuple(labelled_difference(judged, baseline, new) for new in others)
