"""`qassay explain`: the words behind one answer's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qassay.cli import options
from qassay.cli.buffered_input import stdin_buffered
from qassay.cli.command_line import command_line
from qassay.cli.terminal import output, print_json, say
from qassay.errors import DataError, SpecError
from qassay.io.reader import Reader
from qassay.models.base import EMBEDDED
from qassay.records import Example, Reference
from qassay.report.explain.explanation import GIVEN
from qassay.report.explain.render import explain as explain_example
from qassay.report.explain.render import print_explanation, write_explanation
from qassay.scoring.defaults import default_metrics
from qassay.scoring.scorer import Scorer
from qassay.text.language import check_language


def explain(
    inputs: Annotated[list[str] | None, typer.Argument(metavar="[INPUT]...", help="Files of answers.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Which answer of the files.")] = None,
    system: Annotated[str | None, typer.Option("--system", help="Whose, where several systems share ids.")] = None,
    question: Annotated[str, typer.Option("--question", help="Instead of a file: the question,")] = "",
    reference: Annotated[list[str] | None, typer.Option("--reference", help="the right answer (repeat),")] = None,
    candidate: Annotated[str | None, typer.Option("--candidate", help="and the answer to explain.")] = None,
    metric: options.Metrics = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    language: options.Language = "auto",
    model: options.Model = EMBEDDED,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE.html", help="Write a page instead.")] = None,
    json: options.Json = False,
) -> None:
    """Show which words match, what they weigh, and the numbers behind each score."""
    _check(
        from_file=bool(inputs), named=bool(id_ or system), given=bool(question or reference or candidate is not None)
    )
    options.check_apart(inputs or [], html)
    reading = options.read_options(format_, map_, None, None)
    with stdin_buffered(inputs or [], needed=True) as files:
        reader = Reader(files, reading) if files else None
        example = _find(reader, id_, system) if reader else _given(question, reference, candidate)
        chosen = metric or default_metrics(example)
        scorer = Scorer(chosen, language=check_language(language), model=model).need_model()
        scorer.first_pass(reader or [example])
    explanation = explain_example(example, scorer.specs, scorer)
    if json:
        print_json(explanation.to_dict())
    elif html is not None:
        write_explanation(explanation, html, command_line())
        say(f"wrote {html}")
    else:
        output.print(print_explanation(explanation))


def _check(*, from_file: bool, named: bool, given: bool) -> None:
    """Refuse options that would go unheard."""
    if from_file and given:
        raise SpecError(
            "--question, --reference and --candidate stand instead of a file; leave them out, or leave the file out"
        )
    if named and not from_file:
        raise SpecError("--id and --system choose an answer of a file; give the file, or leave them out")


def _find(reader: Reader, id_: str | None, system: str | None) -> Example:
    if id_ is None:
        raise SpecError("say which answer with --id")
    found = [each for each in reader if each.id == id_ and system in (None, each.system)]
    if not found:
        raise DataError(f'there is no answer with id "{id_}"{f" of system {system}" if system else ""}')
    if len(found) > 1:
        names = ", ".join(sorted(each.system for each in found))
        raise DataError(f'{len(found)} systems answered "{id_}"; choose with --system: {names}')
    return found[0]


def _given(question: str, reference: list[str] | None, candidate: str | None) -> Example:
    if not reference or candidate is None:
        raise SpecError("give a file and --id, or --reference and --candidate (and --question)")
    return Example(GIVEN, question, tuple(Reference(text) for text in reference), candidate)
