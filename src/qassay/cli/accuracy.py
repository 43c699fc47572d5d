"""`qassay accuracy`: each system's accuracy with an interval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from qassay.cli import options
from qassay.cli.terminal import list_skipped, output, print_json, say
from qassay.errors import SpecError
from qassay.io.reader import Reader
from qassay.scoring.scorer import SEED
from qassay.text.language import check_language
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.cli.terminal import Left
    from qassay.io.reader import ReadOptions
    from qassay.meta.accuracy.estimates import AccuracyReport
    from qassay.meta.accuracy.judged_run import JudgedRun
    from qassay.meta.accuracy.label_files import Labels
    from qassay.meta.ranking.rankings import SystemAgreement
    from qassay.records import Example

_POPULATIONS = ("answers", "questions")


def accuracy(
    inputs: options.Inputs,
    judge: Annotated[str, typer.Option("--judge", metavar="SPEC", help="A metric with scores from 0 to 1.")] = "ava",
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels", metavar="FILE", help="People's verdicts on some answers: id, system, verdict (repeat)."
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            "--threshold",
            metavar="auto|X",
            help="Count answers that score at least X as right; auto averages the scores, or with --dev tunes X there.",
        ),
    ] = "auto",
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="FILE", help="Judged answers to tune the threshold on.")
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the interval, between 0 and 1.")] = 0.95,
    population: Annotated[
        str, typer.Option("--of", metavar="answers|questions", help="These answers, or all questions like these.")
    ] = "answers",
    cut: Annotated[
        float | None, typer.Option("--cut", metavar="X", help="Verdicts are ratings, and right from X on.")
    ] = None,
    repeated: Annotated[
        str, typer.Option("--repeated", metavar="stop|mean", help="What becomes of contradictory labels.")
    ] = "stop",
    plan: Annotated[
        float | None, typer.Option("--plan", metavar="WIDTH", help="Say how many labels give this width.")
    ] = None,
    next_: Annotated[
        int | None, typer.Option("--next", min=1, metavar="N", help="Choose N answers to label next.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where --next writes them (.csv, .tsv, .jsonl)."),
    ] = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    json: options.Json = False,
) -> None:
    """Estimate each system's accuracy, with an interval that holds once some answers are labelled."""
    from qassay.meta.accuracy.estimates import estimate_systems  # noqa: PLC0415 - scipy, loaded when needed
    from qassay.meta.accuracy.judged_run import judge_answers  # noqa: PLC0415 - as above
    from qassay.meta.accuracy.label_files import read_labels  # noqa: PLC0415 - as above
    from qassay.meta.accuracy.labels import check_list  # noqa: PLC0415 - as above
    from qassay.meta.accuracy.ppi import Population  # noqa: PLC0415 - as above

    _check(population, out, next_)
    options.check_apart([*inputs, *(labels or []), *filter(None, [dev])], out)
    if out is not None:
        check_list(out)
    reading = options.read_options(format_, map_, system, on_error)
    policy = _policy(repeated)
    verdicts = read_labels(labels, cut=cut, repeated=policy, on_error=reading.on_error) if labels else None
    examples, readers = _read(inputs, reading)
    judged_dev, dev_readers = _read([dev], reading) if dev else (None, [])
    run = judge_answers(
        examples,
        judge,
        labels=verdicts,
        threshold=_threshold(threshold, dev),
        dev=judged_dev,
        cut=cut,
        repeated=policy,
        language=check_language(language),
        on_error=reading.on_error,
    )
    report = estimate_systems(run.answers, confidence=confidence, population=Population(population), width=plan)
    chosen = None if next_ is None else _choose(run, next_, out, seed)
    skipped = _list_skipped([*readers, *dev_readers], verdicts)
    if json:
        document = {**_document(run, report, chosen), "of": population, "skipped": skipped}
        print_json({**document, "seed": seed, "version": __version__})
        return
    _print(run, report)
    if chosen is not None and out is None:
        for cells in (chosen[0], *(answer.values() for answer in chosen)):
            output.print("\t".join(map(str, cells)), highlight=False, markup=False, soft_wrap=True)
        say("-o FILE writes them as a list to fill in; labels of chosen answers count with their round and probability")
    elif chosen is not None:
        say(f"wrote {len(chosen)} {'answer' if len(chosen) == 1 else 'answers'} to label to {out}")


def _check(population: str, out: Path | None, next_: int | None) -> None:
    if population not in _POPULATIONS:
        raise SpecError(f'--of is "{population}"; give {" or ".join(_POPULATIONS)}')
    if out is not None and next_ is None:
        raise SpecError("-o is where --next writes the answers to label; give --next N with it")


def _policy(repeated: str) -> Literal["stop", "mean"]:
    known: tuple[Literal["stop", "mean"], ...] = ("stop", "mean")
    for each in known:
        if repeated == each:
            return each
    raise SpecError(f'--repeated is "{repeated}"; give {" or ".join(known)}')


def _threshold(text: str, dev: str | None) -> float | None:
    if text == "auto":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise SpecError(f'--threshold is "{text}"; give auto or a number from 0 to 1')
    if dev is not None:
        raise SpecError(f"--threshold {text} leaves nothing for --dev to tune; give one of the two")
    return value


def _read(inputs: Sequence[str], reading: ReadOptions) -> tuple[list[Example], list[Reader]]:
    """Read all answers; of several files without system names, each is a system by its file's name."""
    from qassay.meta.comparison.systems import name_systems  # noqa: PLC0415 - scipy, loaded when needed

    parts = Reader(inputs, reading).apart()
    examples = name_systems(parts if len(parts) > 1 else [("", part) for _, part in parts])
    return examples, [part for _, part in parts]


def _list_skipped(readers: Sequence[Reader], labels: Labels | None) -> int:
    """Name what was left out of each file, and count it all."""
    left: list[Left] = [*readers, *([labels] if labels else [])]
    for each in left:
        list_skipped(each)
    return sum(each.skipped_total for each in left)


def _choose(run: JudgedRun, n: int, out: Path | None, seed: int) -> list[dict[str, Any]]:
    from qassay.meta.accuracy.labels import write_selection  # noqa: PLC0415 - scipy, loaded when needed

    selection, round_ = run.choose(n, seed)
    if out is not None:
        write_selection(out, selection, run.examples, round_)
    return [
        {
            "id": run.examples[row].id,
            "system": run.examples[row].system,
            "round": round_,
            "probability_of_selection": chance,
        }
        for row, chance in zip(selection.rows.tolist(), selection.probability.tolist(), strict=True)
    ]


def _document(run: JudgedRun, report: AccuracyReport, chosen: list[dict[str, Any]] | None) -> dict[str, Any]:
    document = {
        **report.to_dict(),
        "judge": run.judge,
        "signature": run.signature,
        "threshold": run.threshold,
        "confidence": report.systems[0].best.confidence,
    }
    if run.system_wise is not None:
        document["system_wise"] = run.system_wise.to_dict()
    notes = _notes(run, report)
    if report.agreement is not None and report.agreement.reason is not None:
        notes.append(_no_ranks(report.agreement))
    if notes:
        document["notes"] = notes
    if chosen is not None:
        document["next"] = chosen
    return document


def _print(run: JudgedRun, report: AccuracyReport) -> None:
    from qassay.report.terminal.accuracy import (  # noqa: PLC0415 - scipy, loaded when needed
        accuracy_table,
        as_table,
        plan_table,
        system_rows,
    )

    output.print(accuracy_table(report))
    if any(each.plan is not None for each in report.systems):
        output.print(plan_table(report.systems))
    if run.system_wise is not None:
        output.print(as_table(system_rows({"": run.system_wise})))
    if report.agreement is not None and report.agreement.n > 1:
        output.print(_agreement(report.agreement), highlight=False)
    for note in _notes(run, report):
        say(note)


def _agreement(agreement: SystemAgreement) -> str:
    ranks = (
        f"Kendall {agreement.kendall:.3f} (p = {agreement.kendall_p:.3f})"
        if agreement.kendall is not None and agreement.kendall_p is not None
        else _no_ranks(agreement)
    )
    return f"over {agreement.n} systems: RMSE {agreement.rmse:.3f} ± {agreement.sigma:.3f}, {ranks}"


def _list(systems: Sequence[str]) -> str:
    return ", ".join(name or "the unnamed system" for name in systems)


def _no_ranks(agreement: SystemAgreement) -> str:
    return f"no rank correlation: {agreement.reason}"


def _notes(run: JudgedRun, report: AccuracyReport) -> list[str]:
    notes = [*run.notes]
    for each in report.systems:
        of = f"{each.system}: " if each.system else ""
        notes += [f"{of}{note}" for note in each.best.notes]
        if each.unscored:
            notes.append(f"{of}answers without a score, which count neither as right nor as wrong: {each.unscored:,}")
    unlabelled = [each for each in report.systems if not each.best.labels]
    if unlabelled:
        remedy = "; label some answers for one that holds (--next 100 -o to_label.csv, then --labels to_label.csv)"
        notes.append(
            "without labels the interval holds the choice of questions and none of the judge's errors"
            f"{remedy if any(each.true is None for each in unlabelled) else ''}"
        )
    known = [each.system for each in report.systems if each.true is not None]
    if known and len(known) < len(report.systems):
        notes.append(f"people judged all answers, so that --next leaves the system out: {_list(known)}")
    if any(each.plan is not None and each.plan.assumed for each in report.systems):
        notes.append("without labels the plan takes the judge's scores for true probabilities")
    return notes
