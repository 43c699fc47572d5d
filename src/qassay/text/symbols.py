"""Texts of symbols alone: ===, :-), an emoji. They are compared as they are, since no model reads them."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_RUN = re.compile(r"(?:[^\w\s]|_)+")
_VARIANT = re.compile("[\ufe00-\ufe0f]")
"""Marks that choose between two drawings of one symbol."""
_PAIRED = {"(": ")", "[": "]", "{": "}", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_QUOTES = frozenset("\"'`*_")
_SENTENCE_END = frozenset(".,;:!?")
_DENIED = re.compile(r"(?:\b(?:not|never|instead of|rather than)|n['\u2019]t)(?:\s+\w+)?\s+\W?$", re.IGNORECASE)


def is_symbolic(text: str) -> bool:
    """Whether a text has symbols, and neither letters nor digits."""
    return not any(map(str.isalnum, text)) and not text.isspace() and bool(text)


def holds_symbols(text: str, symbols: str) -> bool:
    """Whether a text is these symbols, but for spaces and width, or has them as a token of their own.

    A token may be in quotes or brackets and end a sentence, but not be part of other symbols: == is not in ===. One
    that is denied does not count ("not ==="), nor one that is offered beside others ("=== or ==").
    """
    wanted = "".join(_plain(symbols).split())
    plain = _plain(text)
    if "".join(plain.split()) == wanted:
        return True
    if wanted not in plain:
        return False
    runs = list(_RUN.finditer(plain))
    if any(plain[one.end() : other.start()].strip().lower() == "or" for one, other in pairwise(runs)):
        return False
    return any(wanted in _unwrapped(run[0]) and not _DENIED.search(plain[: run.start()]) for run in runs)


def _plain(text: str) -> str:
    return _VARIANT.sub("", text if text.isascii() else unicodedata.normalize("NFKC", text))


def _unwrapped(run: str) -> list[str]:
    """Return a run of symbols, and what is left of it without the marks around it, from the outside in."""
    left = [run]
    while len(run) > 1:
        if run[-1] == _PAIRED.get(run[0]) or (run[0] == run[-1] and run[0] in _QUOTES):
            run = run[1:-1]
        elif run[-1] in _SENTENCE_END and run[-1] != run[-2]:
            run = run[:-1]
        elif run[0] in _PAIRED or run[0] in _QUOTES:
            run = run[1:]
        elif run[-1] in _PAIRED.values() or run[-1] in _QUOTES:
            run = run[:-1]
        else:
            break
        left.append(run)
    return left
