"""`qassay agree`: people against people; clean and average ratings."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from qassay.cli import options
from qassay.cli.terminal import list_skipped, output, print_json, say
from qassay.errors import SpecError
from qassay.scoring.scorer import SEED
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.meta.agreement.rating_rows import Columns

_FORMS: dict[str, Literal["auto", "long", "wide"]] = {"auto": "auto", "long": "long", "wide": "wide"}
_COLUMNS = ("id", "system", "annotator", "value", "ratings")


def agree(
    ratings: Annotated[
        list[str], typer.Argument(metavar="RATINGS...", help="Ratings in long or wide form: .csv, .tsv, .jsonl.")
    ],
    measurement: Annotated[
        str, typer.Option("--measurement", help="nominal, ordinal or interval: what the numbers mean.")
    ] = "interval",
    clean: Annotated[
        bool | None,
        typer.Option(
            "--clean/--no-clean",
            help="Drop ratings with |z| > 1 within an item, five at most; by default of grades, not of votes.",
        ),
    ] = None,
    scale: Annotated[str | None, typer.Option("--scale", metavar="LOW:HIGH", help="Refuse ratings outside it.")] = None,
    form: Annotated[
        str, typer.Option("--form", help="long (a rating a row), wide (an item a row, a column a person) or auto.")
    ] = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="OURS=THEIRS", help="Rename a column: id, system, annotator, value (repeat)."),
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="COLUMN", help="A wide table's rating column (repeat; default: all)."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="Judgements: .jsonl, .csv or .tsv.")
    ] = None,
    hash_ids: Annotated[
        str | None, typer.Option("--hash", metavar="SALT", help="Replace the annotators' ids by keyed hashes.")
    ] = None,
    bootstrap: Annotated[int, typer.Option("--bootstrap", min=0, help="Resamples for the interval of alpha.")] = 1000,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    json: options.Json = False,
) -> None:
    """Measure agreement between annotators (Krippendorff's alpha), drop noise, and average what is left."""
    from qassay.meta.agreement.krippendorff import Measurement  # noqa: PLC0415 - loads scipy
    from qassay.meta.agreement.rating_study import study_ratings  # noqa: PLC0415 - as above
    from qassay.meta.agreement.ratings import read_ratings, write_judgements  # noqa: PLC0415 - as above
    from qassay.report.terminal.agreement import annotators_table  # noqa: PLC0415 - as above

    options.check_apart(ratings, out)
    if form not in _FORMS:
        raise SpecError(f'--form is "{form}"; give auto, long or wide')
    if measurement not in set(Measurement):
        raise SpecError(f'--measurement is "{measurement}"; give one of {", ".join(Measurement)}')
    reading = options.read_options("auto", map_, None, on_error)
    given, context = read_ratings(
        ratings,
        form=_FORMS[form],
        columns=_columns(reading.mapping, annotator),
        scale=_scale(scale),
        salt=None if hash_ids is None else hash_ids.encode(),
        on_error=reading.on_error,
    )
    study = study_ratings(given, Measurement(measurement), clean=clean, draws=bootstrap, seed=seed)
    if out is not None:
        write_judgements(out, [each.row() for each in study.items])
    list_skipped(context)
    if json:
        print_json({**study.to_dict(), "skipped": context.skipped_total, "seed": seed, "version": __version__})
    else:
        output.print(annotators_table(study))
    if out is not None:
        say(f"wrote {out}")


def _columns(mapping: Mapping[str, str], annotators: list[str] | None) -> Columns:
    from qassay.meta.agreement.rating_rows import Columns  # noqa: PLC0415 - loads scipy

    unknown = [name for name in mapping if name not in _COLUMNS]
    if unknown:
        raise SpecError(f'--map names "{unknown[0]}"; there are {", ".join(_COLUMNS)}')
    ours = Columns()
    return Columns(
        item=mapping.get("id", ours.item),
        system=mapping.get("system", ours.system),
        annotator=mapping.get("annotator", ours.annotator),
        value=mapping.get("value", ours.value),
        ratings=mapping.get("ratings", ours.ratings),
        annotators=tuple(annotators) if annotators else None,
    )


def _scale(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = (0.0, 0.0)
    if not colon or not all(map(isfinite, bounds)) or bounds[0] >= bounds[1]:
        raise SpecError(f'--scale "{text}" is not of the form LOW:HIGH, as in 1:5')
    return bounds
