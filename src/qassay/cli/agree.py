"""`qassay agree`: people against people; clean and average ratings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.terminal import output, print_json, say
from qassay.errors import SpecError
from qassay.scoring import SEED
from qassay.version import __version__


def agree(
    ratings: Annotated[
        str, typer.Argument(metavar="RATINGS", help="Ratings in long or wide form: .csv, .tsv, .jsonl.")
    ],
    measurement: Annotated[
        str, typer.Option("--measurement", help="nominal, ordinal or interval: what the numbers mean.")
    ] = "interval",
    clean: Annotated[
        bool, typer.Option("--clean/--no-clean", help="Drop ratings with |z| > 1 within an item, five at most.")
    ] = True,
    scale: Annotated[str | None, typer.Option("--scale", metavar="LOW:HIGH", help="Refuse ratings outside it.")] = None,
    form: Annotated[str, typer.Option("--form", help="auto, long or wide.")] = "auto",
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
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.meta import agreement, krippendorff  # noqa: PLC0415 - loads scipy
    from qassay.meta.ratings import read_ratings, write_judgements  # noqa: PLC0415 - as above
    from qassay.report.annotators import annotators_table  # noqa: PLC0415 - as above

    if form not in {"auto", "long", "wide"} or on_error not in {"stop", "skip"}:
        raise SpecError("--form is auto, long or wide, and --on-error is stop or skip")
    if measurement not in set(krippendorff.Measurement):
        raise SpecError(f'--measurement is "{measurement}"; give one of {", ".join(krippendorff.Measurement)}')
    salt = None if hash_ids is None else hash_ids.encode()
    given, intake = read_ratings(ratings, form=form, scale=_scale(scale), salt=salt, on_error=on_error)  # type: ignore[arg-type]
    filtered = agreement.filter_noise(given) if clean else None
    kept = filtered.ratings if filtered else given
    kind = krippendorff.Measurement(measurement)
    before, after = (
        krippendorff.krippendorff_alpha(each, kind, draws=bootstrap, rng=np.random.default_rng(seed))
        for each in (given, kept)
    )
    items = agreement.judge_items(given, filtered)
    people = agreement.report_annotators(given, filtered)
    pearson = agreement.pairwise_pearson(kept)
    if out is not None:
        write_judgements(out, [each.row() for each in items])
    for skipped in intake.skipped:
        say(f"skipped {skipped.place}: {skipped.reason}")
    if json:
        print_json(
            {
                "alpha": asdict(after),
                "alpha_before_cleaning": asdict(before) if clean else None,
                "pearson": asdict(pearson),
                "items": len(items),
                "ratings": len(given.value),
                "removed": len(filtered.removed) if filtered else 0,
                "annotators": [asdict(each) for each in people],
                "skipped": intake.skipped_total,
                "seed": seed,
                "version": __version__,
            }
        )
        return
    output.print(annotators_table(before, after if clean else None, pearson, people, items))
    if out is not None:
        say(f"wrote {out}")


def _scale(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = (0.0, 0.0)
    if not colon or bounds[0] >= bounds[1]:
        raise SpecError(f'--scale "{text}" is not of the form LOW:HIGH, as in 1:5')
    return bounds
