"""Which fields metrics need, which answers lack them, and what a message says about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from qassay.errors import option
from qassay.io.parsing.aliases import likely_name
from qassay.metrics.base import Metric
from qassay.records import read_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.features.resources import Resources
    from qassay.io.example_columns import ExampleColumns
    from qassay.records import Example


def problem_of(metric: Metric, example: Example, resources: Resources) -> str | None:
    """Return why a metric cannot score an answer, and what to do: it lacks a field, or cannot be read."""
    lacking = next((need for need in sorted(metric.needed_fields) if _lacks(example, need)), None)
    if lacking is not None:
        name = metric.field_names.get(lacking)
        needed = f'"{lacking}"' + (f' ("{name}" in a file of summaries)' if name else "")
        return (
            f"{metric.spec} needs {needed}, and {shown(example)} has none; "
            f"{_remedy(metric, lacking, example)}, or {option('on_error', 'skip')}"
        )
    reason = metric.unreadable(example, resources)
    if reason is None:
        return None
    return f"{metric.spec} cannot read {shown(example)}: {reason}, leave it out, or {option('on_error', 'skip')}"


def surely_complete(columns: ExampleColumns, metric: Metric) -> bool:
    """Whether all answers surely have what a metric needs and are such as it reads."""
    if type(metric).unreadable is not Metric.unreadable or not metric.needed_fields <= {"references", "question"}:
        return False
    # An answer in columns has a reference; it may be blank, as may be the question.
    return "question" not in metric.needed_fields or all(map(str.strip, columns.questions))


def lacking_answers(metric: Metric, examples: Sequence[Example]) -> dict[int, str]:
    """Return the answers that lack a field that a metric needs, with the name of the field."""
    return {
        i: f"no {metric.field_names.get(need, need)}"
        for need in sorted(metric.needed_fields)
        for i, each in enumerate(examples)
        if _lacks(each, need)
    }


def shown(example: Example) -> str:
    """Return what messages call an answer."""
    of = f' of system "{example.system}"' if example.system else ""
    return f'the answer with id "{example.id}"{of}'


def _lacks(example: Example, need: str) -> bool:
    given = read_field(example, need)
    return not given or (isinstance(given, str) and not given.strip())


def _remedy(metric: Metric, need: str, example: Example) -> str:
    # A document may stand where passages are asked for.
    names = [*(example.extra or ()), *(["context"] if example.context and need != "context" else [])]
    likely = likely_name(need, names)
    if likely == need:
        return f'its "{need}" is empty: fill it, or leave this metric out'
    if likely is not None:
        held = f'"{likely}" may hold it: map it with {option("columns", {need: likely})}'
        return held if likely in example.extra else f"{held} (summaries are checked against a document by factcc)"
    if metric.weighting is not None and need in metric.weighting.needs and metric.weighting.instead:
        return f"give it, or use {replace(metric.spec, weights=metric.weighting.instead)}, which needs no {need}"
    return "give it, or leave this metric out"
