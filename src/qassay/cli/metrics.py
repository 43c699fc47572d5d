"""`qassay metrics`: the catalogue, or one metric's parameters, definition and source."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from qassay.cli.options import Json
from qassay.cli.terminal import output, print_json
from qassay.metrics.questions.summary_scorer import DECLARATIONS, QUESTION_METRICS, parse_summary_spec
from qassay.metrics.registry import CATALOGUE
from qassay.text.tokenise import TOKENISERS

if TYPE_CHECKING:
    from qassay.spec import Declaration, MetricSpec

_PIECE = ("piece", "the embedded model's word pieces")
_EVERYTHING = {**{name: entry.declaration for name, entry in CATALOGUE.items()}, **DECLARATIONS}


def metrics(
    spec: Annotated[str | None, typer.Argument(help="A metric to describe, as in rouge_l or bleu,n=1.")] = None,
    json: Json = False,
) -> None:
    """List the metrics, or describe one."""
    if spec is None:
        _list_all(json=json)
    else:
        parsed = parse_summary_spec(spec)
        _describe(_EVERYTHING[parsed.name], parsed, json=json)


def _list_all(*, json: bool) -> None:
    if json:
        print_json({"metrics": [_document(declared) for declared in _EVERYTHING.values()]})
        return
    table = Table("metric", "weights", "what it measures", box=None, header_style="bold")
    for declared in _EVERYTHING.values():
        weights = " ".join(f":{each}" for each in declared.weightings)
        table.add_row(declared.name, weights, declared.summary)
    output.print(table)
    output.print("\n`qassay metrics NAME` shows a metric's parameters and source.", highlight=False)


def _describe(declared: Declaration, spec: MetricSpec, *, json: bool) -> None:
    if json:
        print_json({**_document(declared), "spec": str(spec), "values": spec.resolve(declared)})
        return
    output.print(f"[bold]{spec}[/]: {declared.summary}", highlight=False)
    output.print(_definition(declared), highlight=False, markup=False)
    output.print(
        f"Source: {declared.source}. Corpus score: {declared.corpus}. Maximum: {declared.maximum:g}.", highlight=False
    )
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


def _definition(declared: Declaration) -> str:
    asks = QUESTION_METRICS.get(declared.name)
    return inspect.getdoc(asks) or "" if asks else CATALOGUE[declared.name].definition


def _document(declared: Declaration) -> dict[str, Any]:
    return {
        "name": declared.name,
        "summary": declared.summary,
        "definition": _definition(declared),
        "source": declared.source,
        "weightings": list(declared.weightings),
        "corpus": declared.corpus,
        "maximum": declared.maximum,
        "needs": sorted(declared.needs),
        "params": [
            {"name": each.name, "default": each.default, "may_be": each.range, "meaning": each.meaning}
            for each in declared.params
        ],
    }
