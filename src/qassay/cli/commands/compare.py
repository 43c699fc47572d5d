"""`qassay compare`: systems side by side, paired by question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say, say_notes
from qassay.errors import SpecError

if TYPE_CHECKING:
    from qassay.meta.comparison.gate import FailIf

GATE_FAILED = 3
"""The exit status where `--fail-if` says so."""
EXAMPLES = (
    "qassay compare old.jsonl new.jsonl",
    "qassay compare answers.jsonl -m ava -m token_f1 --report compare.html",
    "qassay compare old-scores.jsonl new-scores.jsonl",
    "qassay compare judged.jsonl --judge column:gpt5",
    "qassay compare baseline.jsonl new.jsonl -m ava --fail-if worse --margin 0.01",
)


def compare(
    inputs: options.Inputs,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    metric: options.Metrics = None,
    judge: options.JudgeColumns = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="People's verdicts on some answers of each system: compare accuracies too (repeat).",
            rich_help_panel=options.INPUT,
        ),
    ] = None,
    cut: options.Cut = None,
    repeated: options.Repeated = "stop",
    label_map: options.LabelMap = None,
    summary: options.Summary = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    fail_if: Annotated[
        str | None,
        typer.Option(
            "--fail-if",
            metavar=options.choice("worse", "not-better"),
            help="Exit with 3 if a later system is worse than the first, or not better, beyond --margin.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="X",
            help="Differences up to X do not matter; 0 unless given.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="X",
            help="The chance of a false alarm at most; 0.05 unless given.",
            rich_help_panel=options.STATISTICS,
        ),
    ] = None,
    cluster: options.Cluster = None,
    draws: Annotated[int, options.draws("--draws", "Resamples and permutations.", least=100)] = 1000,
    seed: options.Seed = 12345,
    model: options.Model = "mini",
    device: options.Device = "auto",
    _quiet: options.Quiet = False,
) -> None:
    """Test which system is better, on the questions that both answered.

    Takes answers, or files of scores that `qassay score -o` wrote. With ava or lerc also test how many questions the
    systems attempt, and their scores on those that both attempt. With --fail-if the exit status is 3 where a system
    after the first one is worse (or not better).
    """
    from qassay.api import compare as api  # noqa: PLC0415 - loads scipy
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.markdown import comparison_summary  # noqa: PLC0415 - as above
    from qassay.report.terminal.comparison import comparison_tables  # noqa: PLC0415 - as above

    markdown = options.summary_of(summary, json=json)
    level = _Gate.of(fail_if, margin, alpha)
    page = None if report is None else page_path(report)
    with ProgressBar() as bar:
        found = api.compare(
            inputs,
            metric or None,
            judge=judge or None,
            cluster=cluster,
            labels=labels or None,
            cut=cut,
            repeated=options.one_of("--repeated", repeated, "stop", "mean"),
            label_map=options.label_map_of(label_map),
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
    gate = None if level is None else found.gate(level.fail_if, margin=level.margin, alpha=level.alpha)
    if json:
        print_json({**found.to_dict(), **({} if gate is None else {"gate": gate.to_dict()})})
    elif markdown:
        output.print(
            comparison_summary(found.lines, found.table.notes, found.title, gate), markup=False, soft_wrap=True
        )
    else:
        output.print(comparison_tables(found.lines))
        for each in found.labelled:
            interval = f"{each.low:+.3f} to {each.high:+.3f}"
            of = f"{each.new} - {each.baseline}: {each.difference:+.3f} ({interval})"
            output.print(f"accuracy by {each.labels:,} labels, {of}", highlight=False, markup=False, soft_wrap=True)
        say_notes(found.table.notes)
    if page is not None and not json:
        say(f"wrote {page}")
    if gate is not None:
        for test in gate.tests:
            say(f"{'failed' if test.failed else 'passed'}: {test.reason}")
        if gate.failed:
            raise typer.Exit(GATE_FAILED)


@dataclass(frozen=True, slots=True)
class _Gate:
    """What a gate tests, checked before anything is scored."""

    fail_if: FailIf
    margin: float
    alpha: float

    @classmethod
    def of(cls, fail_if: str | None, margin: float | None, alpha: float | None) -> _Gate | None:
        """Return the gate that the options describe; None without one."""
        from qassay.api.compare import check_gate  # noqa: PLC0415 - loads scipy

        if fail_if is None:
            if margin is None and alpha is None:
                return None
            given = "--alpha" if margin is None else "--margin"
            raise SpecError(f"{given} is for --fail-if, without which nothing fails; add --fail-if worse")
        found = cls(
            options.one_of("--fail-if", fail_if, "worse", "not-better"),
            0.0 if margin is None else margin,
            0.05 if alpha is None else alpha,
        )
        check_gate(found.fail_if, found.margin, found.alpha)
        return found
