"""`qassay explain`: the words behind one answer's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.shown_command import command_line
from qassay.cli.terminal import output, print_json, say

EXAMPLES = (
    "qassay explain answers.jsonl --id q17",
    'qassay explain --question "Who wrote it?" --reference "Mary Shelley" --candidate "Shelley" -m ava',
)


def _given(flag: str, what: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(flag, metavar="TEXT", help=what, rich_help_panel=options.INPUT)
    return found


def explain(
    inputs: Annotated[list[str] | None, typer.Argument(metavar="INPUT", help="Files of answers.")] = None,
    id_: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Which answer of the files.", rich_help_panel=options.INPUT),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system", metavar="NAME", help="The system, if several share ids.", rich_help_panel=options.INPUT
        ),
    ] = None,
    question: Annotated[str, _given("--question", "Instead of a file: the question,")] = "",
    reference: Annotated[list[str] | None, _given("--reference", "the right answer (repeat),")] = None,
    candidate: Annotated[str | None, _given("--candidate", "and the answer to explain.")] = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    metric: options.Metrics = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--report", "--html", metavar="FILE.html", help="Write a page instead.", rich_help_panel=options.OUTPUT
        ),
    ] = None,
    json: options.Json = False,
    model: options.Model = "mini",
    _quiet: options.Quiet = False,
) -> None:
    """Show what an answer asserts, which words match, what they weigh, and the numbers behind each score."""
    from qassay.api import explain as api  # noqa: PLC0415 - loads the metrics
    from qassay.api.inputs import check_apart  # noqa: PLC0415 - as above
    from qassay.api.result import page_path  # noqa: PLC0415 - as above
    from qassay.report.explain.render import print_explanation  # noqa: PLC0415 - as above

    check_apart([inputs], html)
    page = None if html is None else page_path(html)
    found = api.explain(
        inputs or None,
        metric or None,
        id=id_,
        system=system,
        question=question,
        references=reference,
        candidate=candidate,
        format=format_,
        columns=options.columns_of(map_),
        language=language,
        model=model,
    )
    if json:
        print_json(found.to_dict())
    elif page is not None:
        found.report(page, call=command_line())
        say(f"wrote {page}")
    else:
        output.print(print_explanation(found.explanation))
