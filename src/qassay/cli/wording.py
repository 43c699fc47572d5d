"""Messages as the command line words them: options as flags, nothing that a terminal would obey."""

from __future__ import annotations

import re

from qassay.errors import worded

_FLAGS = {
    "annotators": "--annotator",
    "columns": "--map",
    "draws": "--bootstrap",
    "metrics": "-m",
    "output": "-o",
    "population": "--of",
    "choose": "--next",
    "readers": "--reader",
    "references": "--reference",
}
"""Flags that are not the Python name with dashes."""
_VALUES = {
    "columns": "OURS=THEIRS",
    "cut": "X",
    "label_map": "VERDICT=CHOICE",
    "judgements": "FILE",
    "labels": "FILE",
    "choose": "N",
}
"""What follows a flag that is named without a value."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def as_flag(name: str, value: object) -> str:
    """Word an option as it is written on the command line."""
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    if isinstance(value, dict):
        return " ".join(f"{flag} {key}={each}" for key, each in value.items())
    if value is True:
        return flag
    shown = _VALUES.get(name) if value is None else value
    return flag if shown is None else f"{flag} {shown}"


def in_flags(text: str) -> str:
    """Return a message in the command line's words, with control characters written out."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], worded(text, as_flag))
