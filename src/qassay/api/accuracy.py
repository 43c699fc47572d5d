"""Each system's accuracy with an interval, from a judge and some of people's verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from qassay.api.inputs import (
    LeftOut,
    as_files,
    check_apart,
    holds_scores_only,
    paths_of,
    read_answers,
    read_options,
    read_scored_answers,
    title_of,
)
from qassay.api.result import Result, page_path
from qassay.errors import SpecError, option
from qassay.meta.accuracy.estimates import AccuracyReport, estimate_systems
from qassay.meta.accuracy.judged_run import JudgedRun, judge_answers
from qassay.meta.accuracy.label_files import Repeated, read_labels
from qassay.meta.accuracy.labels import check_list, write_selection
from qassay.meta.accuracy.ppi import Population
from qassay.meta.judge_column import JudgeColumn
from qassay.metrics.registry import parse_spec
from qassay.scoring.aggregates.clusters import check_cluster
from qassay.scoring.scorer import SEED
from qassay.validation import check_choice, check_options, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.api.inputs import Answers, Columns
    from qassay.io.input_stream import ReadOptions
    from qassay.meta.accuracy.label_exports import LabelMap
    from qassay.meta.accuracy.label_files import Labels
    from qassay.meta.ranking.rankings import SystemAgreement
    from qassay.records import Example
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError

NO_ERRORS_OF_THE_JUDGE = "without labels the interval does not include the judge's errors"


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyResult(Result):
    """Each system's accuracy, and the answers to label next where some were to be chosen."""

    accuracy: AccuracyReport
    run: JudgedRun
    population: Population
    left_out: LeftOut
    seed: int
    chosen: tuple[dict[str, Any], ...] | None = None
    """Answers to label next, with the round and the probability of selection; None where none were to be chosen."""
    title: str = "answers"

    @property
    def notes(self) -> list[str]:
        """What is to be known of the estimates."""
        notes = [*self.run.notes]
        for each in self.accuracy.systems:
            of = f"{each.system}: " if each.system else ""
            notes += [f"{of}{note}" for note in each.best.notes]
            if each.unscored:
                unscored = "answers without a score, which count neither as right nor as wrong"
                notes.append(f"{of}{unscored}: {each.unscored:,}")
        if any(not each.best.labels for each in self.accuracy.systems):
            notes.append(NO_ERRORS_OF_THE_JUDGE)
        known = [each.system for each in self.accuracy.systems if each.true is not None]
        if known and len(known) < len(self.accuracy.systems):
            names = ", ".join(name or "the unnamed system" for name in known)
            notes.append(f"people judged all answers, so that none is chosen to be labelled: {names}")
        if any(each.plan is not None and each.plan.assumed for each in self.accuracy.systems):
            notes.append("without labels the plan takes the judge's scores for true probabilities")
        return notes

    @property
    def lacks_labels(self) -> bool:
        """Whether labels would make an interval hold: some system has none, and its accuracy is not known."""
        return any(not each.best.labels and each.true is None for each in self.accuracy.systems)

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay accuracy --json` prints."""
        run, found = self.run, self.accuracy
        document: dict[str, Any] = {
            **found.to_dict(),
            "judge": run.judge,
            "signature": run.signature,
            "threshold": run.threshold,
            "confidence": found.systems[0].best.confidence,
        }
        if run.system_wise is not None:
            document["system_wise"] = run.system_wise.to_dict()
        notes = self.notes
        if found.agreement is not None and found.agreement.reason is not None:
            notes.append(no_ranks(found.agreement))
        if notes:
            document["notes"] = notes
        if self.chosen is not None:
            document["next"] = list(self.chosen)
        rest = {"skipped": self.left_out.skipped_total, "seed": self.seed, "version": __version__}
        return {**document, "of": str(self.population), **rest}

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        from qassay.report.html.accuracy_page import AccuracyPage, write_accuracy_page  # noqa: PLC0415 - for a page

        page = page_path(path)
        skipped = self.left_out.skipped_total
        found = AccuracyPage(self.title, self.run, self.accuracy, self.notes, skipped, self.seed, call)
        write_accuracy_page(found, page)
        return page

    def _rows(self) -> list[dict[str, Any]]:
        return [each.to_dict() for each in self.accuracy.systems]


def accuracy(
    answers: Answers,
    judge: str = "ava",
    *,
    labels: Answers | None = None,
    threshold: float | None = None,
    dev: Answers | None = None,
    confidence: float = 0.95,
    population: str = "answers",
    cluster: str | None = None,
    cut: float | None = None,
    repeated: Repeated = "stop",
    label_map: LabelMap | None = None,
    plan: float | None = None,
    choose: int | None = None,
    output: str | Path | None = None,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    language: str = "auto",
    on_error: OnError = "stop",
    seed: int = SEED,
    progress: Progress | None = None,
) -> AccuracyResult:
    """Estimate each system's accuracy, with an interval that holds once some answers are labelled.

    The judge is a metric with scores from 0 to 1, or `column:NAME` where its scores, from whatever judge, stand in the
    answers' field of that name: probabilities, 0 and 1, or with `column:NAME,scale=1:5` ratings. Labels are people's
    verdicts on some answers (`id`, `system`, `verdict`), from files or rows, also as Label Studio and Argilla export
    them; with `cut` they are ratings, right from there on, and `label_map={"right": "Good"}` says what choices mean.
    Answers that score at least `threshold` count as right; without one the scores are averaged, and `dev` has judged
    answers to tune one on.
    Files that `qassay score` wrote, and folders that a cluster did, have the judge's scores already.
    Answers of a system to one question are not independent; `cluster` names another field by which they are not.
    `plan` asks how many labels an interval of that width takes; `choose` picks so many answers to label next, which
    `output` takes as a list to fill in.
    """
    check_options(language=language, seed=seed, on_error=on_error)
    check_choice("population", population, list(Population))
    check_choice("repeated", repeated, get_args(Repeated))
    _check_choosing(choose, output)
    _check_threshold(threshold, dev)
    check_apart([answers, labels, dev], output)
    if output is not None:
        check_list(Path(output))
    options = read_options(format, columns, system, on_error)
    verdicts = (
        None if labels is None else _labels(labels, cut=cut, repeated=repeated, on_error=on_error, label_map=label_map)
    )
    files = paths_of(answers)
    if (
        JudgeColumn.parse(judge) is None
        and files is not None
        and all(each != "-" and holds_scores_only(each) for each in files)
    ):
        judge = f"column:{parse_spec(judge)}"
    stored = JudgeColumn.parse(judge) is not None
    examples, left_out = _read(answers, options, stored=stored)
    judged_dev = None
    if dev is not None:
        judged_dev, left_out_of_dev = _read(dev, options, stored=stored)
        left_out.inputs += left_out_of_dev.inputs
    if verdicts is not None:
        left_out.add(verdicts)
    run = judge_answers(
        examples,
        judge,
        labels=verdicts,
        threshold=threshold,
        dev=judged_dev,
        cut=cut,
        repeated=repeated,
        language=language,
        on_error=on_error,
        progress=progress,
        cluster=check_cluster(cluster),
    )
    found = estimate_systems(run.answers, confidence=confidence, population=Population(population), width=plan)
    chosen = None if choose is None else _choose(run, choose, output, seed)
    return AccuracyResult(found, run, Population(population), left_out, seed, chosen, title_of(answers))


def no_ranks(agreement: SystemAgreement) -> str:
    """Return why the order of systems cannot be compared."""
    return f"no rank correlation: {agreement.reason}"


def _check_choosing(choose: int | None, output: object) -> None:
    if choose is not None:
        check_whole("choose", choose, least=1)
    elif output is not None:
        raise SpecError(f"{option('output')} is where the answers to label are written; give {option('choose')} too")


def _check_threshold(threshold: float | None, dev: object) -> None:
    if threshold is None:
        return
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise SpecError(f"{option('threshold')} is {threshold!r:.60}; give a number from 0 to 1")
    if dev is not None:
        raise SpecError(
            f"{option('threshold', threshold)} leaves nothing for {option('dev')} to tune; give one of them"
        )


def _labels(
    labels: Answers, *, cut: float | None, repeated: Repeated, on_error: OnError, label_map: LabelMap | None
) -> Labels:
    with as_files(labels, "labels") as files:
        return read_labels(files, cut=cut, repeated=repeated, on_error=on_error, label_map=label_map)


def _read(answers: Answers, options: ReadOptions, *, stored: bool) -> tuple[list[Example], LeftOut]:
    """Read all answers; of several files without system names, each is a system by its file's name."""
    files = paths_of(answers)
    apart = files is not None and len(files) > 1
    if stored:
        return read_scored_answers(answers, options, apart=apart, bare=True)
    return read_answers(answers, options, apart=apart)


def _choose(run: JudgedRun, n: int, output: str | Path | None, seed: int) -> tuple[dict[str, Any], ...]:
    selection, round_ = run.choose(n, seed)
    if output is not None:
        write_selection(output, selection, run.examples, round_)
    rows: Sequence[int] = selection.rows.tolist()
    return tuple(
        {
            "id": run.examples[row].id,
            "system": run.examples[row].system,
            "round": round_,
            "probability_of_selection": chance,
        }
        for row, chance in zip(rows, selection.probability.tolist(), strict=True)
    )
