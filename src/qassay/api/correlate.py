"""Metrics against people's judgements."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qassay.api.inputs import (
    LeftOut,
    as_files,
    check_apart,
    paths_of,
    read_answers,
    read_options,
    read_scored_answers,
    scored_in_memory,
    title_of,
)
from qassay.api.result import Result, page_path
from qassay.errors import SpecError, option
from qassay.io.scores.scored_files import is_scored, read_scored
from qassay.meta.correlation import evaluation
from qassay.meta.correlation import sweep as sweeping
from qassay.meta.correlation.joined_scores import add_scores, join_rows
from qassay.meta.correlation.judgements import read_judgements
from qassay.meta.correlation.levels import Level, ResamplingUnit
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.judge_column import JudgeColumn, column_rows, sampled_columns
from qassay.meta.statistics.weighted import Coefficient
from qassay.models.base import EMBEDDED
from qassay.scoring.aggregates.clusters import check_cluster
from qassay.scoring.scorer import SEED, score_examples
from qassay.validation import as_names, check_choice, check_options, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from enum import StrEnum

    from qassay.api.inputs import Answers, Columns
    from qassay.io.input_stream import ReadOptions
    from qassay.meta.accuracy.label_exports import LabelMap
    from qassay.meta.correlation.evaluation import Agreement, JudgedScores, Options
    from qassay.meta.correlation.judgements import Judgements
    from qassay.meta.correlation.significance import Difference
    from qassay.meta.correlation.sweep import SweepPoint
    from qassay.models.base import Device
    from qassay.records import Example
    from qassay.report.html.correlation_page import CorrelationReport
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError
    from qassay.scoring.table import ScoreTable
    from qassay.spec import MetricSpec

    Kind = TypeVar("Kind", bound=StrEnum)

_TESTS = {"permutation": "perm-both"}
"""What a test is called here, where that is not its own name."""
ASKED_ONLY = "correlated on the answers that it was asked about, most of them doubtful ones, and not on all"
_NAMES = {own: ours for ours, own in _TESTS.items()}


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationResult(Result):
    """How each metric agrees with people, and which differences between metrics are sure."""

    agreements: tuple[Agreement, ...]
    differences: tuple[Difference, ...]
    points: tuple[SweepPoint, ...]
    """Agreement at each value of a parameter, where one was swept."""
    evidence: JudgedScores
    options: Options
    by: str | None
    left_out: LeftOut
    title: str = "answers"
    notes: Mapping[str, int] = field(default_factory=dict)
    """What is to be known of the scores, with counts of answers."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay correlate --json` prints."""
        return {
            "correlations": [each.to_dict() for each in self.agreements],
            "differences": [_difference(each) for each in self.differences],
            **({"sweep": [asdict(each) for each in self.points]} if self.points else {}),
            "skipped": self.left_out.skipped_total,
            "seed": self.options.seed,
            "version": __version__,
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        from qassay.report.html.correlation_page import write_correlation_page  # noqa: PLC0415 - for a page

        page = page_path(path)
        write_correlation_page(self._page(call), page)
        return page

    def figures(self, folder: str | Path) -> tuple[list[Path], bool]:
        """Write each figure as .svg, .png and its numbers as .csv; also return whether there are pictures as .png."""
        from qassay.report.figures.files import write_figures  # noqa: PLC0415 - for figures
        from qassay.report.html.correlation_page import correlation_figures, correlation_tables  # noqa: PLC0415

        page = self._page()
        return write_figures([*correlation_figures(page), *correlation_tables(page)], Path(folder))

    def _page(self, call: str = "") -> CorrelationReport:
        from qassay.report.html.correlation_page import CorrelationReport  # noqa: PLC0415 - for a page

        return CorrelationReport(
            self.title,
            self.evidence,
            self.options,
            self.by,
            self.agreements,
            self.differences,
            self.points,
            self.left_out.skipped_total,
            call,
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [each.to_dict() for each in self.agreements]


def correlate(
    answers: Answers,
    metrics: str | Iterable[str | MetricSpec] | None = None,
    *,
    judge: str | Iterable[str] | None = None,
    judgements: Answers | None = None,
    label_map: LabelMap | None = None,
    level: str = "answer",
    coefficient: str | Iterable[str] | None = None,
    by: str | None = None,
    draws: int = 1000,
    resample: str | None = None,
    cluster: str | None = None,
    test: str = "bootstrap",
    sweep: str | None = None,
    overall_size: int = 30,
    overall_draws: int = 100,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    language: str = "auto",
    on_error: OnError = "stop",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    progress: Progress | None = None,
) -> CorrelationResult:
    """Correlate metrics with human judgements, with intervals, and test differences between metrics.

    Answers come with a `judgement` each, or `judgements` has them by id (files or rows, as `agree` writes them). With
    `label_map={"5": "Good", "1": "Bad"}`, which says what choices mean, they may be Label Studio's or Argilla's. Files
    with scores, which `qassay score -o` wrote or which are your own, need no metrics; they are joined by id and system
    with each other, and with the answers that stand beside them. `draws` are resamples for intervals and, at least,
    tests (0 for none); `sweep` is KEY=LOW:HIGH:STEP. `judge` names fields that hold scores, `column:NAME`.
    Answers to one question are resampled together; `cluster` (`question`, for samples too, or a field) says which.
    """
    check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
    check_whole("draws", draws, least=0)
    check_whole("overall_size", overall_size, least=1)
    check_whole("overall_draws", overall_draws, least=1)
    check_apart([answers, judgements])
    wanted = as_names("metrics", metrics)
    options = evaluation.Options(
        level=_choice("level", level, Level),
        coefficients=tuple(
            dict.fromkeys(
                _choice("coefficient", str(each), Coefficient)
                for each in as_names("coefficients", coefficient) or [*Coefficient]
            )
        ),
        test=_choice("test", _TESTS.get(test, test), DifferenceTest),
        draws=draws,
        seed=seed,
        unit=None if resample is None else _choice("resample", resample, ResamplingUnit),
        size=overall_size,
        times=overall_draws,
    )
    curve = None if sweep is None else sweeping.Sweep.parse(sweep)
    if curve is not None and wanted:
        curve.variants(wanted)
    scoring = _Scoring(language, model, device)
    reading = read_options(format, columns, None, on_error, metrics=wanted)
    scorer = _ScoringRun(wanted, reading, scoring, seed, progress, check_cluster(cluster))
    judges = JudgeColumn.parse_all(judge)
    evidence, left_out, notes = (
        _evidence_of_columns(answers, judges, _judgements(judgements, label_map), scorer)
        if judges
        else _evidence(answers, _judgements(judgements, label_map), scorer)
    )
    agreements, differences = evaluation.measure(evidence, options, by)
    points: list[SweepPoint] = []
    if curve is not None:
        fitting = sweeping.fitting(evidence, curve)
        points = sweeping.sweep(evidence, fitting, curve, options, by, **asdict(scoring))
    return CorrelationResult(
        tuple(agreements),
        tuple(differences),
        tuple(points),
        evidence,
        options,
        by,
        left_out,
        title_of(answers),
        notes,
    )


@dataclass(frozen=True, slots=True)
class _Scoring:
    """How answers are scored."""

    language: str
    model: str
    device: Device


@dataclass(frozen=True, slots=True)
class _ScoringRun:
    """What scores answers that have no scores yet."""

    metrics: Sequence[str | MetricSpec] | None
    reading: ReadOptions
    scoring: _Scoring
    seed: int
    progress: Progress | None
    cluster: str | None = None

    def score(self, examples: Sequence[Example]) -> ScoreTable:
        return score_examples(
            examples,
            self.metrics or (),
            seed=self.seed,
            on_error=self.reading.on_error,
            progress=self.progress,
            **asdict(self.scoring),
        )


def _judgements(given: Answers | None, label_map: LabelMap | None) -> Judgements | None:
    if given is None:
        if label_map:
            raise SpecError(f"{option('label_map')} is for {option('judgements')}; give them too, or leave it out")
        return None
    with as_files(given, "judgements") as files:
        if len(files) > 1:
            raise SpecError(f"{option('judgements')} is one file, and there are {len(files)}; join them")
        return read_judgements(files[0], label_map)


def _evidence(
    answers: Answers, judgements: Judgements | None, run: _ScoringRun
) -> tuple[JudgedScores, LeftOut, Mapping[str, int]]:
    """Return judged scores, what could not be read, and notes on the scores."""
    files = paths_of(answers) or []
    scored = [each for each in files if each != "-" and is_scored(each)]
    in_memory = scored_in_memory(answers)
    rows = join_rows([*(in_memory or ()), *(row for each in scored for row in read_scored(each))])
    if in_memory is not None or (scored and len(scored) == len(files)):
        if run.metrics:
            raise SpecError(
                f"{option('metrics')} scores answers, and these files hold scores already; leave it out, or give the "
                "answers"
            )
        return evaluation.evidence_of_rows(rows, judgements, run.cluster), LeftOut(), {}
    unscored: Answers = [each for each in files if each not in scored] if files else answers
    examples, left_out = read_answers(unscored, run.reading)
    table = run.score(examples)
    return evaluation.evidence_of_table(add_scores(table, rows), judgements, run.cluster), left_out, table.notes


def _evidence_of_columns(
    answers: Answers, judges: Sequence[JudgeColumn], judgements: Judgements | None, run: _ScoringRun
) -> tuple[JudgedScores, LeftOut, Mapping[str, int]]:
    examples, left_out = read_scored_answers(answers, run.reading, bare=run.reading.bare or not run.metrics)
    rows = column_rows(examples, judges, combined=False)
    sampled = sampled_columns(examples, judges)
    notes = {f"{spec}: {ASKED_ONLY}": int(np.isfinite(each.costly).sum()) for spec, each in sampled.items()}
    if not run.metrics:
        return evaluation.evidence_of_rows(rows, judgements, run.cluster), left_out, notes
    table = run.score(examples)
    joined = evaluation.evidence_of_table(add_scores(table, rows), judgements, run.cluster)
    return joined, left_out, {**table.notes, **notes}


def _difference(each: Difference) -> dict[str, Any]:
    row = {
        "a": each.a,
        "b": each.b,
        "coefficient": str(each.coefficient),
        "difference": each.difference,
        "p": each.p,
        "p_holm": each.adjusted,
        "test": _NAMES.get(str(each.test), str(each.test)),
        "n": each.n,
    }
    return {**row, **({"reason": each.reason} if each.reason else {})}


def _choice(name: str, given: str, kind: type[Kind]) -> Kind:
    check_choice(name, given, list(kind))
    return kind(given)
