"""People's verdicts in the exports of annotation tools: Label Studio and Argilla."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qassay.errors import SpecError, option
from qassay.io.parsing.read_context import fail

LabelMap = Mapping[str, str | Sequence[str]]
"""A verdict of ours (`right`, `wrong`, a number) to the choice, or choices, that people made for it."""

_SUBMITTED = {None, "submitted"}
_CHOSEN = ("choices", "rating", "number", "text", "taxonomy")
"""Where Label Studio keeps what was chosen, by the kind of control."""
_SYSTEM = ("system", "model")
_ANSWER = ("id", "answer_id", "question_id", "qid")
_TASK_NUMBERED = frozenset(("annotation_id", "lead_time"))
"""Columns of Label Studio's JSON-MIN and CSV exports, which write the task's number in place of the data's id."""


def choices_of(label_map: LabelMap | None) -> dict[str, str]:
    """Return our verdict by their choice in small letters; raise `SpecError` for a choice that means two things."""
    found: dict[str, str] = {}
    if label_map is not None and not isinstance(label_map, Mapping):
        raise SpecError(f"{option('label_map')} is {label_map!r:.60}; give a dictionary of verdicts and choices")
    for ours, theirs in (label_map or {}).items():
        for choice in [theirs] if isinstance(theirs, str) else theirs:
            name = str(choice).strip().lower()
            if found.setdefault(name, str(ours)) != str(ours):
                raise SpecError(f'{option("label_map")} gives "{choice}" two meanings; map it once')
    return found


def exported_rows(row: dict[str, Any], names: Sequence[str], choices: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the verdicts in a row of an export, one per person, as rows with `id`, `system` and `verdict`.

    A row of any other file is yielded as it is; `names` are the possible names of the verdict. Raise `DataError` for a
    row that does not say which answer it is about.
    """
    if row.keys() >= _TASK_NUMBERED:
        row = {**row, "id": _id_beside_the_number(row)}
    if isinstance(row.get("annotations"), list) and isinstance(row.get("data"), Mapping):
        yield from _label_studio(row, names)
    elif isinstance(row.get("responses"), Mapping | list) and isinstance(row.get("fields"), Mapping):
        yield from _argilla(row, names)
    elif any(name.endswith(".responses") for name in row):
        yield from _argilla_columns(row, names)
    elif not any(name in row for name in names) and choices:
        chosen = next((name for name, value in row.items() if _text(value).lower() in choices), None)
        yield row if chosen is None else {**row, names[0]: _chosen(row[chosen])}
    else:
        yield {**row, **{name: _chosen(row[name]) for name in names if isinstance(row.get(name), Mapping | list)}}


def _id_beside_the_number(row: Mapping[str, Any]) -> object:
    """Return the answer's id in a row whose `id` is the number of a task."""
    names = _ANSWER[1:]
    found = next((row[each] for each in names if row.get(each) not in (None, "")), None)
    if found is None:
        return fail(
            f'"id" is the number of a Label Studio task ({row.get("id")!r:.20}): JSON-MIN and CSV exports lose the id '
            f'in the data; export as JSON, or give the tasks\' data "{names[0]}" before they are labelled'
        )
    return found


def _label_studio(task: Mapping[str, Any], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    key = _key(task["data"], task.get("id"))
    for each in task["annotations"]:
        if each.get("was_cancelled"):
            continue
        given = {part["from_name"]: _control(part["value"]) for part in each.get("result") or () if "from_name" in part}
        yield {**key, names[0]: _first(given, names)}
    if not task["annotations"]:
        yield {**key, names[0]: None}


def _control(value: Mapping[str, Any]) -> object:
    return next((_chosen(value[kind]) for kind in _CHOSEN if kind in value), None)


def _argilla(record: Mapping[str, Any], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    key = _key({**record["fields"], **(record.get("metadata") or {})}, record.get("id") or record.get("external_id"))
    if isinstance(record["responses"], list):
        people = [
            {name: given.get("value") for name, given in (each.get("values") or {}).items()}
            for each in record["responses"]
            if each.get("status") in _SUBMITTED
        ]
    else:
        question = _name(record["responses"], names)
        people = [
            {question: each.get("value")}
            for each in record["responses"].get(question) or ()
            if each.get("status") in _SUBMITTED
        ]
    for given in people:
        yield {**key, names[0]: _chosen(_first(given, names))}
    if not people:
        yield {**key, names[0]: None}


def _argilla_columns(row: Mapping[str, Any], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    questions = [name.removesuffix(".responses") for name in row if name.endswith(".responses")]
    question = next((name for name in names if name in questions), questions[0])
    values = row[f"{question}.responses"] or []
    states = row.get(f"{question}.responses.status") or [None] * len(values)
    key = _key(row, row.get("id"))
    found = [value for value, state in zip(values, states, strict=False) if state in _SUBMITTED]
    for value in found or [None]:
        yield {**key, names[0]: _chosen(value)}


def _key(data: Mapping[str, Any], otherwise: object) -> dict[str, Any]:
    """Return the id and the system of the answer that a task or record is about."""
    name = next((data[each] for each in _ANSWER if data.get(each) is not None), otherwise)
    return {"id": name, "system": next((data[each] for each in _SYSTEM if data.get(each) is not None), "")}


def _name(given: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((name for name in names if name in given), next(iter(given), names[0]))


def _first(given: Mapping[str, Any], names: Sequence[str]) -> object:
    """Return the value under a name of the verdict, or else the first."""
    return given.get(_name(given, names))


def _chosen(value: object) -> object:
    """Return the one choice in a list of choices, or in what Label Studio writes for one."""
    if isinstance(value, Mapping):
        return _control(value)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _text(value: object) -> str:
    return str(_chosen(value)).strip()
