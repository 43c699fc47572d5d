"""Normal forms, in which texts that people would call the same compare equal."""

import re
import string
import unicodedata
from itertools import groupby

import regex

from qassay.text.language import CJK_PUNCTUATION

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CJK_PUNCTUATION = re.compile(f"[{CJK_PUNCTUATION}]")


_MANY = 64
_MANY_MARKS = regex.compile(rf"\p{{M}}{{{_MANY},}}")
"""More marks on one letter than any language writes. Python puts them into order by insertion, in quadratic time."""


def compose(text: str) -> str:
    """Return a text in composed form (NFC), so that two encodings of é are equal."""
    if text.isascii():
        return text
    marked = _MANY_MARKS.sub(_in_canonical_order, text) if len(text) >= _MANY else text
    return unicodedata.normalize("NFC", marked)


def _in_canonical_order(marks: "regex.Match[str]") -> str:
    """Decompose marks and sort them by combining class, as NFC prescribes; marks of class 0 stay where they are."""
    decomposed = "".join(unicodedata.normalize("NFD", mark) for mark in marks[0])
    return "".join(
        "".join(run if fixed else sorted(run, key=unicodedata.combining))
        for fixed, run in groupby(decomposed, key=lambda mark: not unicodedata.combining(mark))
    )


def fold(text: str) -> str:
    """Lower the case without changing any character's position (unlike `str.lower` on a Turkish İ)."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def squad(text: str, *, articles: bool = True) -> str:
    """Normalise as the SQuAD evaluation does, and drop Chinese and Japanese punctuation too.

    `articles=False` keeps a, an and the, for languages in which those words mean something else.
    """
    text = fold(text).translate(_NO_PUNCTUATION)
    if not text.isascii():
        text = _drop_cjk_punctuation(text)
    return _single_spaced(_ARTICLES.sub(" ", text) if articles else text)


def squad_english(text: str) -> str:
    """Normalise as the SQuAD evaluation does: lower case, no punctuation, no a/an/the, single spaces.

    Source: Rajpurkar et al. (2016), official evaluation rules.
    """
    return _single_spaced(_ARTICLES.sub(" ", fold(text).translate(_NO_PUNCTUATION)))


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _drop_cjk_punctuation(text: str) -> str:
    # The typographic marks of this set also stand in English text, where the official rules keep them.
    has_cjk = any(character > "\u2e7f" for character in text)
    return _CJK_PUNCTUATION.sub("", text) if has_cjk else text
