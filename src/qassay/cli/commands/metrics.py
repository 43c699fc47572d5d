"""`qassay metrics`: the catalogue, or one metric's parameters, definition and source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from qassay.cli.options import Json
from qassay.cli.terminal import output, print_json, say
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.text.tokenisers.tokenise import TOKENISERS

if TYPE_CHECKING:
    from qassay.metrics.registry import Entry
    from qassay.spec import MetricSpec

_PIECE = ("piece", "the embedded model's word pieces")


def metrics(
    spec: Annotated[str | None, typer.Argument(help="A metric to describe, as in rouge_l or bleu,n=1.")] = None,
    json: Json = False,
) -> None:
    """List the metrics, or describe one."""
    if spec is None:
        _list_all(json=json)
    else:
        parsed = parse_spec(spec)
        _describe(CATALOGUE[parsed.name], parsed, json=json)


def _list_all(*, json: bool) -> None:
    entries, problems = CATALOGUE.loadable()
    if json:
        found: dict[str, Any] = {"metrics": [_document(entry) for entry in entries.values()]}
        print_json({**found, "problems": problems} if problems else found)
        return
    table = Table("metric", "weights", "what it measures", box=None, header_style="bold")
    for entry in entries.values():
        declared = entry.declaration
        weights = " ".join(f":{each}" for each in declared.weightings)
        held = f" (from {entry.distribution})" if entry.distribution else ""
        table.add_row(declared.name, weights, f"{declared.summary}{held}")
    output.print(table)
    output.print("\n`qassay metrics NAME` shows a metric's parameters and source.", highlight=False)
    for problem in problems:
        say(problem)


def _describe(entry: Entry, spec: MetricSpec, *, json: bool) -> None:
    declared = entry.declaration
    if json:
        print_json({**_document(entry), "spec": str(spec), "values": spec.resolve(declared)})
        return
    output.print(f"[bold]{spec}[/]: {declared.summary}", highlight=False)
    output.print(entry.definition, highlight=False, markup=False)
    output.print(f"{_source(entry)}Corpus score: {declared.corpus}. Maximum: {declared.maximum:g}.", highlight=False)
    if declared.weightings:
        output.print(
            f"Weights: {', '.join(f'{declared.name}:{each}' for each in declared.weightings)}", highlight=False
        )
    table = Table("parameter", "value", "may be", "what it does", box=None, header_style="bold")
    values = spec.resolve(declared)
    for param in declared.params:
        table.add_row(param.name, str(values[param.name]), param.range, param.meaning)
    output.print(table)
    if declared.param("tok"):
        output.print("\nTokenisers:", highlight=False)
        for name, meaning in (*((each.name, each.meaning) for each in TOKENISERS.values()), _PIECE):
            output.print(f"  {name}: {meaning}", highlight=False)


def _source(entry: Entry) -> str:
    """Return where a metric comes from, as far as it says."""
    declared = f"Source: {entry.declaration.source}. " if entry.declaration.source else ""
    return f"{declared}Package: {entry.distribution}. " if entry.distribution else declared


def _document(entry: Entry) -> dict[str, Any]:
    declared = entry.declaration
    return {
        "name": declared.name,
        "summary": declared.summary,
        "definition": entry.definition,
        "source": declared.source,
        "weightings": list(declared.weightings),
        "corpus": declared.corpus,
        "maximum": declared.maximum,
        "needs": sorted(declared.needs),
        "params": [
            {"name": each.name, "default": each.default, "may_be": each.range, "meaning": each.meaning}
            for each in declared.params
        ],
        **({"package": str(entry.distribution)} if entry.distribution else {}),
    }
