"""From the words of a question to its text: spaces, capitals, quotation marks and the question mark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONTRACTED = re.compile(r" (?=['\u2019](?:s|re|ve|ll|d|m)\b|n['\u2019]t\b)")

_CUT_OFF = re.compile(r"\b(?:that|which|whose|than|and|or|the|an?)(?: also| \w+ly)?\?$")
"""An end after which something is missing: its clause was cut too early."""


def joined(*parts: str) -> str:
    """Return the parts that are not empty with spaces between them, contractions without."""
    return _CONTRACTED.sub("", " ".join(part for part in parts if part))


def tidied(texts: Sequence[str | None]) -> tuple[str, ...]:
    """Return the questions that were made, each once, from a capital to a question mark; not those that break off."""
    made = dict.fromkeys(_tidy(text) for text in texts if text and " " in text)
    return tuple(text for text in made if not _CUT_OFF.search(text) and text.count("(") == text.count(")"))


def _tidy(text: str) -> str:
    """Begin with a capital, end with a question mark, and leave out quotation marks without their other half."""
    if any(text.count(opens) != text.count(closes) for opens, closes in (("``", "''"), ("\u201c", "\u201d"))):
        text = re.sub("``|''|[\u201c\u201d]", "", text)
    if text.count('"') % 2:
        text = text.replace('"', "")
    text = " ".join(text.split()).rstrip(" ,;:-")
    return f"{text[:1].upper()}{text[1:]}?"
