"""`qassay compare`: systems side by side, paired by question."""

from __future__ import annotations

from typing import Annotated

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say, say_notes

EXAMPLES = (
    "qassay compare old.jsonl new.jsonl",
    "qassay compare answers.jsonl -m ava -m token_f1 --report compare.html",
    "qassay compare old-scores.jsonl new-scores.jsonl",
)


def compare(
    inputs: options.Inputs,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    metric: options.Metrics = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    draws: Annotated[int, options.draws("--draws", "Resamples and permutations.", least=100)] = 1000,
    seed: options.Seed = 12345,
    model: options.Model = "mini",
    device: options.Device = "auto",
    _quiet: options.Quiet = False,
) -> None:
    """Test which system is better, on the questions that both answered.

    Takes answers, or files of scores that `qassay score -o` wrote. With ava or lerc also test how many questions the
    systems attempt, and their scores on those that both attempt.
    """
    from qassay.api import compare as api  # noqa: PLC0415 - loads scipy
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.terminal.comparison import comparison_tables  # noqa: PLC0415 - as above

    page = None if report is None else page_path(report)
    with ProgressBar() as bar:
        found = api.compare(
            inputs,
            metric or None,
            format=format_,
            columns=options.columns_of(map_),
            language=language,
            draws=draws,
            on_error=options.on_error_of(on_error),
            seed=seed,
            model=model,
            device=options.device_of(device),
            progress=bar,
        )
    list_skipped(found.left_out)
    if page is not None:
        found.report(page, call=command_line())
    if json:
        print_json(found.to_dict())
        return
    output.print(comparison_tables(found.lines))
    say_notes(found.table.notes)
    if page is not None:
        say(f"wrote {page}")
