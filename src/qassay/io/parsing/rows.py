"""One row of named fields -> one `Example`, with every shape checked and nothing guessed."""

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, TypeGuard

from qassay.errors import option
from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.mapped_fields import ABSENT, shaped, take_value, value_at
from qassay.io.parsing.read_context import MAPPED, fail
from qassay.records import Example, Opinion, Reference

Row = dict[str, Any]

SHOWN = 40
"""How many characters of a value a message quotes."""

NEEDED = ("references", "candidate")

_OPINIONS = {opinion.value: opinion for opinion in Opinion}
_KINDS: tuple[tuple[type | UnionType, str], ...] = (
    (NoneType, "null"),
    (bool, "a boolean"),
    (str, "a string"),
    (Real, "a number"),
    (list | tuple, "a list"),
    (Mapping, "an object"),
)
_ABSENT = object()
_NOTHING: Row = {}


def to_example(row: Row, stem: str, number: int, system: str, *, bare: bool = False) -> Example:
    """Return the example of a row; fields that are not ours stay in the row, which becomes `extra`.

    A row without an id is called `STEM:NUMBER`, and `system` is for rows that name none. A `bare` answer may come
    without references.
    Raises `DataError` without a place, which the caller knows.
    """
    take = row.pop
    references = take("references", _ABSENT)
    if type(references) is list and references:
        checked = tuple([Reference(each) if type(each) is str else _reference(each) for each in references])
    elif bare and (references is _ABSENT or not references):
        checked = ()
    else:
        checked = _references(references, row)
    candidate = take("candidate", _ABSENT)
    if type(candidate) is not str and candidate is not None:
        candidate = _candidate(candidate, row)
    if "sample" in row:
        _name_sample(row)
    name = take("id", None)
    if type(name) is not str or not name:
        name = _identifier(name, f"{stem}:{number}")
    question = take("question", "")
    if type(question) is not str:
        question = _optional_text("question", question) or ""
    stated = take("system", system)
    if type(stated) is not str:
        stated = system if stated is None else _text("system", stated)
    if not row:
        # Most rows end here, and reading them fast is worth a second way out.
        return Example(name, question, checked, candidate, stated, extra=_NOTHING)
    opinion = take("opinion", None)
    entities = take("entities", None)
    judgement = take("judgement", None)
    return Example(
        name,
        question,
        checked,
        candidate,
        stated,
        None if opinion is None else parse_opinion(opinion),
        () if entities is None else _entities(entities),
        _context(take("context", None)),
        _optional_text("question_type", take("question_type", None)),
        None if judgement is None else _judgement(judgement),
        row,
    )


def _name_sample(row: Row) -> None:
    """Number the samples of an answer in their ids, `ID#SAMPLE`; what they share is `question_id`."""
    name, sample = row.get("id"), row["sample"]
    if name is None or sample is None or not isinstance(sample, int | str) or isinstance(sample, bool):
        return
    if not str(name).endswith(f"#{sample}"):
        row.setdefault("question_id", f"{name}")
        row["id"] = f"{name}#{sample}"


def rename(row: Row, mapping: Mapping[str, str]) -> None:
    """Rename the fields of a row to ours; all at once, so that two fields may swap names.

    What a mapping names may be a dotted path, and takes the shape of our field (`mapped_fields`). A field that had the
    name before is kept under `NAME (input)`.
    """
    for ours in NEEDED:
        if ours in mapping and value_at(row, mapping[ours]) is ABSENT:
            fail(f'"{mapping[ours]}" is missing, which {option("columns")} takes for "{ours}"; give it in every row')
    found = {ours: take_value(row, theirs) for ours, theirs in mapping.items()}
    renamed = shaped({ours: value for ours, value in found.items() if value is not ABSENT})
    for ours in renamed:
        if ours in row:
            row[as_input(ours)] = row.pop(ours)
    row.update(renamed)


def as_input(name: str) -> str:
    """Return the name of an input's field whose own name is taken."""
    return f"{name} (input)"


def check_mapping(mapping: Mapping[str, str], fields: Sequence[str] = MAPPED) -> None:
    """Raise `DataError` for a mapping from a field that the format does not have, or of one field to two."""
    for ours in mapping:
        if ours not in fields:
            close = get_close_matches(ours, fields, n=1)
            nearest = f"; did you mean {close[0]}?" if close else ""
            given = option("columns", {ours: mapping[ours]})
            fail(f"{given}: there is no field {ours}{nearest} (fields: {', '.join(fields)})")
    theirs = list(mapping.values())
    for name in theirs:
        if theirs.count(name) > 1:
            fail(f"{option('columns')} gives {name} to two fields; map it once")


def parse_opinion(value: object) -> Opinion:
    """Read `yes`, `no` or `depends`, in any case."""
    found = _OPINIONS.get(value.strip().lower()) if isinstance(value, str) else None
    return found if found is not None else fail(f'"opinion" is {_shown(value)}; use yes, no, depends or null')


def missing(field: str, names: Mapping[str, Any]) -> str:
    """Return the message that a field is missing, with a similar field if there is one."""
    if field == "references" and "scores" in names:
        return '"references" is missing: this looks like what `qassay score` wrote; give the answers it was made of'
    likely = likely_name(field, names)
    given = option("columns", {field: likely or "NAME"})
    remedy = f"use {given}" if likely else f"name the field that holds it with {given}"
    return f'"{field}" is missing; {remedy}'


def need_text(example: Example) -> None:
    """Raise `DataError` for strings that cannot be written as UTF-8, which Python allows and files do not."""
    texts = (example.id, example.question, example.candidate or "", example.system, example.context or "")
    references = (reference.text for reference in example.references)
    check_characters("".join((*texts, *references, *example.entities, example.question_type or "")))
    for name, value in example.extra.items():
        check_characters(str(name))
        _check_within(value)


def _check_within(value: object) -> None:
    match value:
        case str():
            check_characters(value)
        case list() | tuple():
            for each in value:
                _check_within(each)
        case Mapping():
            _check_within([*value.keys(), *value.values()])


def check_characters(text: str) -> None:
    """Raise `DataError` for half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        fail(f"holds half of a surrogate pair, {error.object[error.start]!a}, which is no character; remove it")


def _shown(value: object) -> str:
    """Return a value as a message shows it; Python writes out no number of more than 4,300 digits."""
    try:
        return _shortened(repr(value))
    except ValueError:
        return "a number of thousands of digits"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _kind(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


def _is_number(value: object) -> TypeGuard[Real]:
    # Python counts True as 1; people who write true mean something else.
    return isinstance(value, Real) and not isinstance(value, bool)


def _references(value: object, row: Row) -> tuple[Reference, ...]:
    match value:
        case list() | tuple() if value:
            return tuple([_reference(each) for each in value])
        case list() | tuple():
            return fail('"references" is empty; give at least one')
        case str():
            return fail(f'"references" must be a list; write ["{_shortened(value)}"]')
        case _ if value is _ABSENT:
            return fail(missing("references", row))
        case _:
            return fail(f'"references" must be a list of strings and is {_kind(value)}; write ["…"]')


def _reference(value: object) -> Reference:
    match value:
        case str():
            return Reference(value)
        case Reference():
            opinion = value.opinion
            return Reference(_text("text", value.text), None if opinion is None else parse_opinion(opinion))
        case list() | tuple():
            return fail('"references" is a list of lists; give each row its own list of strings')
        case Mapping():
            text = value.get("text")
            if not isinstance(text, str):
                fail('a reference has no "text"; write {"text": "…"} or a string')
            if unknown := next((key for key in value if key not in {"text", "opinion"}), None):
                fail(f'a reference has "{unknown}"; it takes "text" and "opinion"')
            opinion = value.get("opinion")
            return Reference(text, None if opinion is None else parse_opinion(opinion))
        case _:
            return fail(f'"references" holds {_kind(value)}; write each reference as a string in quotes')


def _candidate(value: object, row: Row) -> str:
    if value is _ABSENT:
        fail(f"{missing('candidate', row)}, or write null where the system gave no answer")
    if isinstance(value, str):
        return value
    if _is_number(value):
        return fail(f'"candidate" is a number; write it in quotes: "{_shown(value)}", or null where there is no answer')
    return fail(f'"candidate" must be a string and is {_kind(value)}; give one answer per row')


def _identifier(value: object, fallback: str) -> str:
    match value:
        case None:
            return fallback
        case str() if value:
            return value
        case str():
            return fail('"id" is empty; give one, or leave the field out')
        case Integral() if _is_number(value):
            try:
                return str(value)
            except ValueError:
                return fail(f'"id" is {_shown(value)}; give a shorter one')
        case _:
            return fail(f'"id" must be a string and is {_kind(value)}; write it in quotes')


def _text(field: str, value: object) -> str:
    return value if isinstance(value, str) else fail(f'"{field}" must be a string and is {_kind(value)}; write "…"')


def _optional_text(field: str, value: object) -> str | None:
    return None if value is None else _text(field, value)


def _context(value: object) -> str | None:
    if isinstance(value, list | tuple):
        return fail(f'"context" must be a string and is {_kind(value)}; name a list of passages "contexts"')
    return _optional_text("context", value)


def _entities(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return fail(f'"entities" must be a list of strings and is {_kind(value)}; write ["…"]')
    for each in value:
        if not isinstance(each, str):
            fail(f'"entities" holds {_kind(each)}; write each entity as a string in quotes')
    return tuple(value)


def _judgement(value: object) -> float:
    if not _is_number(value):
        return fail(f'"judgement" must be a number and is {_kind(value)}; write 1 or 0 for right or wrong')
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    return number if math.isfinite(number) else fail(f'"judgement" is {_shown(value)}; write null where unknown')
