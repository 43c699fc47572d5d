"""`qassay correlate`: metrics against people's judgements."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from qassay.cli import options
from qassay.cli.terminal import output, print_json
from qassay.data.reading import Reader
from qassay.data.scored import is_scored, read_scored
from qassay.errors import SpecError
from qassay.metrics.catalogue import DEFAULT_METRICS
from qassay.scoring import SEED, score_examples
from qassay.text.language import check_language
from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.meta.evaluation import Evidence
    from qassay.meta.significance import Difference

Kind = TypeVar("Kind", bound=StrEnum)
TESTS = {"bootstrap": "bootstrap", "williams": "williams", "permutation": "perm-both"}


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
    bootstrap: Annotated[int, typer.Option("--bootstrap", min=0, help="Resamples for intervals and tests.")] = 1000,
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
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    json: options.Json = False,
) -> None:
    """Show how each metric agrees with people, with intervals, and which differences are sure."""
    from qassay.meta import evaluation  # noqa: PLC0415 - loads scipy
    from qassay.meta import sweep as sweeping  # noqa: PLC0415 - as above
    from qassay.meta.levels import Level, Unit  # noqa: PLC0415 - as above
    from qassay.meta.significance import DifferenceTest  # noqa: PLC0415 - as above
    from qassay.meta.weighted import Coefficient  # noqa: PLC0415 - as above
    from qassay.report.agreement import agreement_table  # noqa: PLC0415 - as above

    wanted = evaluation.Options(
        level=_choice("--level", level, Level),
        coefficients=tuple(_choice("--coefficient", each, Coefficient) for each in coefficient or [*Coefficient]),
        test=_choice("--test", TESTS.get(test, test), DifferenceTest),
        draws=bootstrap,
        seed=seed,
        unit=None if unit is None else _choice("--resample", unit, Unit),
        size=size,
        times=times,
    )
    curve = None if sweep is None else sweeping.Sweep.parse(sweep)
    reading = options.read_options(format_, map_, None, on_error)
    evidence = _evidence(inputs, reading, metric, check_language(language), judgements, seed)
    agreements, differences = evaluation.measure(evidence, wanted, by)
    points = []
    if curve is not None:
        if not evidence.examples:
            raise SpecError("--sweep scores the answers again; give the answers, not a file of scores")
        points = sweeping.sweep(evidence, list(evidence.panel.scores), curve, wanted, by)
    if json:
        print_json(
            {
                "correlations": [each.to_dict() for each in agreements],
                "differences": [_difference(each) for each in differences],
                **({"sweep": [asdict(each) for each in points]} if points else {}),
                "seed": seed,
                "version": __version__,
            }
        )
        return
    output.print(agreement_table(agreements, differences, points))


def _evidence(
    inputs: list[str],
    reading: Any,  # noqa: ANN401 - ReadOptions, named where it is made
    metric: list[str] | None,
    language: str,
    judgements: str | None,
    seed: int,
) -> Evidence:
    from qassay.meta.evaluation import evidence_of_rows, evidence_of_table  # noqa: PLC0415 - loads scipy
    from qassay.meta.ratings import Columns, read_ratings  # noqa: PLC0415 - as above

    given = None
    if judgements is not None:
        ratings, _ = read_ratings(judgements, form="wide", columns=Columns(annotators=("judgement",)))
        given = {ratings.items[i]: value for i, value in zip(ratings.item, ratings.value.tolist(), strict=True)}
    if all(each != "-" and is_scored(each) for each in inputs):
        if metric:
            raise SpecError("-m scores answers, and these files hold scores already; leave -m out, or give the answers")
        return evidence_of_rows([row for each in inputs for row in read_scored(each)], given)
    table = score_examples(Reader(inputs, reading), metric or DEFAULT_METRICS, language=language, seed=seed)
    return evidence_of_table(table, given)


def _difference(each: Difference) -> dict[str, Any]:
    kept = {
        "a": each.a,
        "b": each.b,
        "coefficient": str(each.coefficient),
        "difference": each.difference,
        "p": each.p,
        "p_holm": each.adjusted,
        "test": str(each.test),
        "n": each.n,
    }
    return {**kept, **({"reason": each.reason} if each.reason else {})}


def _choice(option: str, text: str, kind: type[Kind]) -> Kind:
    try:
        return kind(text)
    except ValueError:
        raise SpecError(f'{option} is "{text}"; give one of {", ".join(kind)}') from None
