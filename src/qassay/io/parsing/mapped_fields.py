"""The values that `--map` and `columns=` name, also by dotted paths, in the shapes of our fields."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

ABSENT: Any = object()
"""Stands for a value that a row does not have."""
_USERS = {"user", "human"}


def take_value(row: dict[str, Any], path: str) -> Any:  # noqa: ANN401 - rows hold anything
    """Remove the field of this name from a row and return it, or the value at a dotted path, which stays.

    `doc.answers` is the field `answers` of the object `doc`; a number counts the items of a list from 0, and any other
    name is looked up in every item of a list. `ABSENT` where there is nothing.
    """
    if path in row:
        return row.pop(path)
    return value_at(row, path)


def value_at(row: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401 - rows hold anything
    """Return the value of a field, or at a dotted path, as `take_value` does; the row stays as it is."""
    if path in row:
        return row[path]
    name, dot, rest = path.rpartition(".")
    # Names may have dots themselves: the longest name that there is comes first.
    while dot:
        if name in row:
            return _within(row[name], path[len(name) + 1 :])
        name, dot, rest = name.rpartition(".")
    del rest
    return ABSENT


def _within(value: object, path: str) -> Any:  # noqa: ANN401 - rows hold anything
    if isinstance(value, Mapping):
        return value_at(value, path)
    if not isinstance(value, list | tuple):
        return ABSENT
    first, _, rest = path.partition(".")
    if first.isdecimal():
        if int(first) >= len(value):
            return ABSENT
        return _within(value[int(first)], rest) if rest else value[int(first)]
    found = [each for each in (_within(item, path) for item in value) if each is not ABSENT]
    return found or ABSENT


def shaped(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return mapped values in the shapes of our fields.

    A text is one reference, a list is several, and an object of texts (SQuAD's `answers`) is these; a list of contexts
    is `contexts`; a conversation is asked what its last user message asks; a list of one answer is that answer; true
    and false are judgements of 1 and 0.
    """
    values: dict[str, Any] = {}
    for ours, value in found.items():
        if ours == "context" and isinstance(value, list | tuple):
            values.setdefault("contexts", value)
        else:
            values[ours] = _SHAPES[ours](value) if ours in _SHAPES else value
    return values


def as_references(value: object) -> Any:  # noqa: ANN401 - what is no reference is refused later
    """Return a text, a number, a list of them or an object of texts as a list of references."""
    if isinstance(value, str):
        return [value]
    if _is_number(value):
        return [str(value)]
    if isinstance(value, Mapping) and isinstance(value.get("text"), list | tuple):
        return as_references(value["text"])
    if isinstance(value, list | tuple):
        flat = [each for item in value for each in (item if isinstance(item, list | tuple) else [item])]
        return [str(each) if _is_number(each) else each for each in flat if each is not None]
    return value


def as_answer(value: object) -> Any:  # noqa: ANN401 - as above
    """Return the one answer in a list of one, and a number or the text of a message as a text."""
    if isinstance(value, list | tuple) and len(value) == 1:
        return as_answer(value[0])
    if isinstance(value, Mapping) and "content" in value:
        return message_text(value)
    return str(value) if _is_number(value) else value


def as_question(value: object) -> Any:  # noqa: ANN401 - as above
    """Return what the last user message of a conversation asks, and a text as it is."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, Mapping) for each in value):
        return value
    asked = [each for each in value if (each.get("role") or each.get("type")) in _USERS]
    return message_text(asked[-1]) if asked else value


def message_text(message: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as above
    """Return the text of a chat message, whose content may be a list of parts."""
    content = message.get("content")
    if not isinstance(content, Sequence) or isinstance(content, str):
        return content
    parts = [each.get("text") for each in content if isinstance(each, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _as_judgement(value: object) -> Any:  # noqa: ANN401 - as above
    return float(value) if isinstance(value, bool) else value


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_SHAPES = {
    "references": as_references,
    "candidate": as_answer,
    "question": as_question,
    "judgement": _as_judgement,
}
