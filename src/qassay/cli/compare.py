"""`qassay compare`: systems side by side, paired by question."""

from __future__ import annotations

from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.terminal import list_skipped, output, print_json
from qassay.io.reader import Reader
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import SEED, score_examples
from qassay.text.language import check_language
from qassay.version import __version__


def compare(
    inputs: options.Inputs,
    metric: options.Metrics = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    draws: Annotated[int, typer.Option("--draws", min=100, help="Resamples and permutations.")] = 1000,
    on_error: options.OnError = "stop",
    seed: options.Seed = SEED,
    model: options.Model = EMBEDDED,
    device: options.Device = "auto",
    json: options.Json = False,
) -> None:
    """Test which system is better, on the questions that both answered."""
    from qassay.meta.comparison.systems import compare_table, name_systems  # noqa: PLC0415 - loads scipy
    from qassay.report.terminal.comparison import comparison_tables  # noqa: PLC0415 - as above

    reading = options.read_options(format_, map_, None, on_error)
    parts = Reader(inputs, reading).apart()
    examples = name_systems(parts)
    for _, part in parts:
        list_skipped(part)
    table = score_examples(
        examples,
        metric or (),
        language=check_language(language),
        seed=seed,
        model=model,
        device=options.check_device(device),
        on_error=reading.on_error,
    )
    comparisons = compare_table(table, draws=draws)
    if json:
        document = {
            "aggregates": table.to_dicts(),
            "comparisons": [each.to_dict() for each in comparisons],
            "skipped": sum(part.skipped_total for _, part in parts),
            "seed": seed,
            "version": __version__,
        }
        print_json(document)
        return
    output.print(comparison_tables(comparisons))
