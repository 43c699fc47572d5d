"""`qassay judge`: an LLM's verdicts."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import ProgressBar, list_skipped, output, print_json, say, say_notes
from qassay.errors import SpecError, StoppedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qassay.api.judge import JudgeResult

LLM = "LLM"
EXAMPLES = (
    "qassay judge answers.jsonl --endpoint https://api.openai.com/v1 --llm gpt-5-mini -o judged.jsonl",
    "qassay judge answers.jsonl --endpoint http://localhost:8080/v1 --llm local --prompt simpleqa --dry-run",
    "qassay judge answers.jsonl --endpoint URL --llm NAME --column gpt5 --doubt 0.2:0.8 -o judged.jsonl",
    "qassay accuracy judged.jsonl --judge column:gpt5 --labels labels.csv",
)


def judge(
    inputs: options.Inputs,
    endpoint: Annotated[
        str,
        typer.Option(
            "--endpoint",
            metavar="URL",
            help="Address before /chat/completions, as in http://localhost:8080/v1.",
            rich_help_panel=LLM,
        ),
    ],
    llm: Annotated[
        str, typer.Option("--llm", metavar="NAME", help="The model, as the endpoint calls it.", rich_help_panel=LLM)
    ],
    prompt: Annotated[
        str,
        typer.Option(
            "--prompt",
            metavar="NAME|FILE",
            help="verify, simpleqa (correct, incorrect, not attempted), likert5 (1 to 5), or a file of your own.",
            rich_help_panel=LLM,
        ),
    ] = "verify",
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            min=1,
            max=100,
            metavar="N",
            rich_help_panel=LLM,
            help="Replies whose mean is the score, where the endpoint states no log-probabilities.",
        ),
    ] = 1,
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temperature", metavar="X", help="0, or 1 with several samples, unless given.", rich_help_panel=LLM
        ),
    ] = None,
    max_tokens: Annotated[
        int,
        typer.Option(
            "--max-tokens", min=1, metavar="N", help="Longest reply; more for models that think.", rich_help_panel=LLM
        ),
    ] = 512,
    key_env: Annotated[
        str | None,
        typer.Option(
            "--key-env",
            metavar="VARIABLE",
            help="Environment variable with the key; else QASSAY_API_KEY or OPENAI_API_KEY.",
            rich_help_panel=LLM,
        ),
    ] = None,
    doubt: Annotated[
        str | None,
        typer.Option(
            "--doubt",
            metavar="LOW:HIGH",
            help="Ask only where --cheap scores within these limits, and at random elsewhere.",
            rich_help_panel=LLM,
        ),
    ] = None,
    elsewhere: Annotated[
        float,
        typer.Option(
            "--elsewhere",
            metavar="SHARE",
            help="Of the other answers, asked about at random (at least 20).",
            rich_help_panel=LLM,
        ),
    ] = 0.1,
    cheap: Annotated[
        str, typer.Option("--cheap", metavar="SPEC", help="The metric for --doubt.", rich_help_panel=LLM)
    ] = "ava",
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    language: options.Language = "auto",
    on_error: options.OnError = "stop",
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The answers with scores and verdicts (.jsonl, .jsonl.gz).",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            metavar="NAME",
            help="The judge's name in the output; else that of --llm.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    report: options.ReportFile = None,
    json: options.Json = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the estimate, and ask nothing.", rich_help_panel=options.RUNNING)
    ] = False,
    budget_tokens: Annotated[
        int | None,
        typer.Option(
            "--budget-tokens", min=1, metavar="N", help="Stop before more are used.", rich_help_panel=options.RUNNING
        ),
    ] = None,
    budget_money: Annotated[
        float | None,
        typer.Option(
            "--budget-money",
            metavar="X",
            help="Stop before more is spent, by --price.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(
            "--price",
            metavar="IN:OUT",
            help="Of a million tokens, of prompts and of replies.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency", min=1, max=256, metavar="N", help="Questions at a time.", rich_help_panel=options.RUNNING
        ),
    ] = 8,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", help="For one whole reply.", rich_help_panel=options.RUNNING),
    ] = 60.0,
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            min=0,
            max=50,
            metavar="N",
            help="After failures, waiting twice as long each.",
            rich_help_panel=options.RUNNING,
        ),
    ] = 6,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="FILE",
            help="Replies that need not be asked for again; else the user's cache.",
            rich_help_panel=options.RUNNING,
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Ask again where a cached reply has no verdict.", rich_help_panel=options.RUNNING),
    ] = False,
    seed: options.Seed = 12345,
    _quiet: options.Quiet = False,
) -> None:
    """Ask an LLM whether answers are right, at any OpenAI-compatible endpoint.

    Its scores then serve as a judge: `--judge column:NAME`. Every reply is kept, so that a run that was stopped goes on
    where it was, and a second one asks nothing. An answer without a verdict is unscored, with the reason.
    """
    from qassay.api import judge as api  # noqa: PLC0415 - loads scipy
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above

    check_apart([inputs], out, report)
    page = None if report is None else page_path(report)
    with _continuable(), ProgressBar() as bar:
        found = api.judge(
            inputs,
            llm,
            endpoint=endpoint,
            prompt=prompt,
            column=column,
            samples=samples,
            temperature=temperature,
            max_tokens=max_tokens,
            doubt=_two("--doubt", doubt, "0.2:0.8"),
            elsewhere=elsewhere,
            cheap=cheap,
            budget_tokens=budget_tokens,
            budget_money=budget_money,
            price=_two("--price", price, "0.25:2"),
            concurrency=concurrency,
            timeout=timeout,
            retries=retries,
            key_env=key_env,
            cache=cache,
            again=again,
            dry_run=dry_run,
            output=out,
            format=format_,
            columns=options.columns_of(map_),
            system=system,
            language=language,
            on_error=options.on_error_of(on_error),
            seed=seed,
            on_estimate=lambda expected: say(str(expected)),
            progress=bar,
        )
    list_skipped(found.left_out)
    if page is not None and found.accuracy is not None:
        found.report(page, call=command_line())
    if json:
        print_json(found.to_dict())
    elif not dry_run:
        _print(found)
    if not dry_run:
        for path in filter(None, (out, page)):
            say(f"wrote {path}")


def _two(flag: str, text: str | None, example: str) -> tuple[float, float] | None:
    if text is None:
        return None
    first, _, second = text.partition(":")
    try:
        return float(first), float(second)
    except ValueError:
        raise SpecError(f'{flag} is "{text}"; write two numbers, as in {example}') from None


@contextmanager
def _continuable() -> Iterator[None]:
    """Print how to go on after an interruption, or after an endpoint stopped answering."""
    try:
        yield
    except (KeyboardInterrupt, StoppedError) as problem:
        what = str(problem) if isinstance(problem, StoppedError) else "interrupted; the replies so far are in the cache"
        say(f"{what}; go on with: qassay {shlex.join(sys.argv[1:])}")
        raise KeyboardInterrupt from problem


def _print(found: JudgeResult) -> None:
    from qassay.report.terminal.accuracy import accuracy_table  # noqa: PLC0415 - scipy, loaded when needed

    if found.accuracy is not None:
        output.print(accuracy_table(found.accuracy))
    account = found.account
    money = "" if account.money is None else f", {account.money:,.4g} in money"
    say(
        f"{account.calls:,} calls in {found.requests:,} requests, {found.cached:,} replies from the cache; "
        f"{account.prompt_tokens:,} tokens of prompts and {account.completion_tokens:,} of replies{money}"
    )
    say_notes(found.notes)
    for reason, count in list(found.unscored.items())[:10]:
        say(f"unscored: {reason}: {count:,}")
    if found.exhausted:
        say("the budget is spent; what was asked about is a random sample, and a higher budget goes on from there")
    say(f"{found.signature}")
