"""Quick checks that spare most texts the patterns of rules: the words of a text, found once for all rules."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.letter_case import ALSO_ASCII

if TYPE_CHECKING:
    from collections.abc import Iterable

_LETTERS, _ASCII_LETTERS = re.compile(r"[^\W\d_]+"), re.compile("[a-z]+")
_ALSO_ASCII = re.compile(f"[{''.join(ALSO_ASCII)}]")
_KEPT = 1 << 13
"""Texts whose words are remembered: a batch's, which all rules read one after the other."""


@lru_cache(maxsize=_KEPT)
def lowered_words(text: str) -> frozenset[str] | None:
    """Return a text's runs of letters in small letters; None where only a pattern tells which letters these are.

    A pattern that looks for a whole word, in either case, finds nothing in a text without it.
    """
    if text.isascii():
        return frozenset(_ASCII_LETTERS.findall(text.lower()))
    return None if _ALSO_ASCII.search(text) else frozenset(_LETTERS.findall(text.lower()))


def may_have_word(text: str, words: frozenset[str]) -> bool:
    """Whether a text may have one of some words, which are in small letters."""
    found = lowered_words(text)
    return found is None or not words.isdisjoint(found)


def may_have_part(text: str, parts: Iterable[str]) -> bool:
    """Whether a text may have one of some strings of small letters and marks, in either case."""
    if not text.isascii():
        return True
    lowered = text.lower()
    return any([part in lowered for part in parts])  # noqa: C419 - faster than one by one
