"""`qassay correlate`: metrics against people's judgements."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from qassay.cli import options
from qassay.cli.command_line import command_line
from qassay.cli.terminal import list_skipped, output, print_json, say, title_of
from qassay.errors import SpecError
from qassay.io.reader import Reader
from qassay.io.scored_files import is_scored, read_scored
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import SEED, score_examples
from qassay.text.language import check_language
from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.io.reader import ReadOptions
    from qassay.meta.correlation.evaluation import Evidence
    from qassay.meta.correlation.significance import Difference
    from qassay.models.base import Device as DeviceName
    from qassay.report.html.correlation_page import CorrelationReport

Kind = TypeVar("Kind", bound=StrEnum)
_TESTS = {"permutation": "perm-both"}
"""What --test calls a test, where that is not its own name."""
_NAMES = {own: ours for ours, own in _TESTS.items()}


@dataclass(frozen=True, slots=True)
class _Answers:
    """What is to be correlated, and how it is read."""

    inputs: list[str]
    reading: ReadOptions
    metric: list[str] | None
    judgements: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class _Scoring:
    """How answers are scored."""

    language: str
    model: str
    device: DeviceName


def correlate(
    inputs: options.Inputs,
    metric: options.Metrics = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    level: Annotated[str, typer.Option("--level", help="answer, system, input or overall.")] = "answer",
    coefficient: Annotated[
        list[str] | None, typer.Option("--coefficient", help="pearson, spearman or kendall (repeat; default: all).")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Divide by a field: question_type, system, …")] = None,
    judgements: Annotated[
        str | None, typer.Option("--judgements", metavar="FILE", help="Judgements by id, as `agree -o` writes them.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals and, at least, tests; 0 for none.")
    ] = 1000,
    unit: Annotated[
        str | None, typer.Option("--resample", help="What is drawn again: answers, inputs, systems or both.")
    ] = None,
    test: Annotated[
        str, typer.Option("--test", help="bootstrap, williams, permutation (or perm-systems, perm-inputs).")
    ] = "bootstrap",
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="KEY=LOW:HIGH:STEP", help="Agreement against a parameter.")
    ] = None,
    size: Annotated[int, typer.Option("--overall-size", min=1, help="Questions in a draw at level overall.")] = 30,
    times: Annotated[int, typer.Option("--overall-draws", min=1, help="Draws at level overall.")] = 100,
    report: options.ReportFile = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="FOLDER", help="Write each figure as .svg, .png and its numbers as .csv."),
    ] = None,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    model: options.Model = EMBEDDED,
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Show how each metric agrees with people, with intervals, and which differences are significant."""
    from qassay.meta.correlation import evaluation  # noqa: PLC0415 - loads scipy
    from qassay.meta.correlation import sweep as sweeping  # noqa: PLC0415 - as above
    from qassay.meta.correlation.levels import Level, Unit  # noqa: PLC0415 - as above
    from qassay.meta.correlation.significance import DifferenceTest  # noqa: PLC0415 - as above
    from qassay.meta.correlation.weighted import Coefficient  # noqa: PLC0415 - as above
    from qassay.report.html.correlation_page import CorrelationReport  # noqa: PLC0415 - as above
    from qassay.report.terminal.correlation import agreement_table  # noqa: PLC0415 - as above

    options.check_apart([*inputs, *filter(None, [judgements])], report)
    wanted = evaluation.Options(
        level=_choice("--level", level, Level),
        coefficients=tuple(
            dict.fromkeys(_choice("--coefficient", each, Coefficient) for each in coefficient or [*Coefficient])
        ),
        test=_choice("--test", _TESTS.get(test, test), DifferenceTest),
        draws=bootstrap,
        seed=seed,
        unit=None if unit is None else _choice("--resample", unit, Unit),
        size=size,
        times=times,
    )
    curve = None if sweep is None else sweeping.Sweep.parse(sweep)
    if curve is not None and metric:
        curve.variants(metric)
    reading = options.read_options(format_, map_, None, on_error)
    scoring = _Scoring(check_language(language), model, options.check_device(device))
    answers = _Answers(inputs, reading, metric, judgements, seed)
    evidence, skipped = _evidence(answers, scoring)
    agreements, differences = evaluation.measure(evidence, wanted, by)
    points = []
    if curve is not None:
        fitting = sweeping.fitting(evidence, curve)
        points = sweeping.sweep(evidence, fitting, curve, wanted, by, **asdict(scoring))
    found = CorrelationReport(
        title_of(inputs), evidence, wanted, by, agreements, differences, points, skipped, command_line()
    )
    written = _write(found, report, figures)
    if json:
        print_json(_document(found))
    else:
        output.print(
            agreement_table(agreements, differences, points, by=by, unlabelled=evidence.unlabelled(by)), soft_wrap=False
        )
    for path in written:
        say(f"wrote {path}")


def _evidence(answers: _Answers, scoring: _Scoring) -> tuple[Evidence, int]:
    from qassay.meta.correlation.evaluation import evidence_of_rows, evidence_of_table  # noqa: PLC0415 - loads scipy
    from qassay.meta.correlation.judgements import read_judgements  # noqa: PLC0415 - as above

    given = None if answers.judgements is None else read_judgements(answers.judgements)
    scored = [each != "-" and is_scored(each) for each in answers.inputs]
    if all(scored):
        if answers.metric:
            raise SpecError("-m scores answers, and these files hold scores already; leave -m out, or give the answers")
        return evidence_of_rows([row for each in answers.inputs for row in read_scored(each)], given), 0
    if any(scored):
        mixed = answers.inputs[scored.index(True)]
        raise SpecError(f"{mixed} holds scores and other inputs hold answers; give files of one kind")
    reader = Reader(answers.inputs, answers.reading)
    table = score_examples(
        reader,
        answers.metric or (),
        seed=answers.seed,
        on_error=answers.reading.on_error,
        **asdict(scoring),
    )
    list_skipped(reader)
    return evidence_of_table(table, given), reader.skipped_total


def _write(found: CorrelationReport, report: Path | None, figures: Path | None) -> list[str]:
    from qassay.report.figures.files import PNG_EXTRA, write_figures  # noqa: PLC0415 - with the above
    from qassay.report.html.correlation_page import (  # noqa: PLC0415 - loads scipy
        correlation_figures,
        correlation_tables,
        write_correlation_page,
    )

    written = []
    if report is not None:
        write_correlation_page(found, report)
        written.append(str(report))
    if figures is not None:
        paths, pictures = write_figures([*correlation_figures(found), *correlation_tables(found)], figures)
        written.append(f"{len(paths)} files in {figures}")
        if not pictures:
            say(PNG_EXTRA)
    return written


def _document(found: CorrelationReport) -> dict[str, Any]:
    return {
        "correlations": [each.to_dict() for each in found.agreements],
        "differences": [_difference(each) for each in found.differences],
        **({"sweep": [asdict(each) for each in found.points]} if found.points else {}),
        "skipped": found.skipped,
        "seed": found.options.seed,
        "version": __version__,
    }


def _difference(each: Difference) -> dict[str, Any]:
    kept = {
        "a": each.a,
        "b": each.b,
        "coefficient": str(each.coefficient),
        "difference": each.difference,
        "p": each.p,
        "p_holm": each.adjusted,
        "test": _NAMES.get(str(each.test), str(each.test)),
        "n": each.n,
    }
    return {**kept, **({"reason": each.reason} if each.reason else {})}


def _choice(option: str, text: str, kind: type[Kind]) -> Kind:
    try:
        return kind(text)
    except ValueError:
        raise SpecError(f'{option} is "{text}"; give one of {", ".join(kind)}') from None
