"""Words that run together, as systems that cite their sources often write them."""

import re
import string
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from qassay.text.utf8 import beyond_ascii

_SEAMS = re.compile(
    r"(?<=[a-z])(?=[A-Z][a-z])"  # byJames
    r"|(?<=[a-z]{2})(?=\d)"  # from1985
    r"|(?<=\d(?:st|nd|rd|th))(?=[a-z])"  # 15thevery
)

_MAY_HAVE_SEAMS = re.compile(r"[a-z][A-Z\d]|\d(?:st|nd|rd|th)[a-z]")
"""What stands around a seam; found several times faster than the seam itself."""

_BEFORE, _BEHIND = np.zeros((2, 256), np.uint8)
"""Bits of the characters before and behind a place where words may run together: one that both have."""
for _bit, _before, _behind in (
    (1, string.ascii_lowercase, string.ascii_uppercase + string.digits),
    (2, string.digits, "snrt"),
):
    _BEFORE[list(_before.encode())] |= _bit
    _BEHIND[list(_behind.encode())] |= _bit

Span = tuple[int, int]


def split_joined(text: str) -> str:
    """Put a space between words that run together where it shows: "byJames", "from1985", "15thevery"."""
    return _SEAMS.sub(" ", text) if _MAY_HAVE_SEAMS.search(text) else text


def split_all(texts: Sequence[str]) -> list[str]:
    """Return many texts with their joined words parted; one without such words is returned itself."""
    others = beyond_ascii(texts)
    found = list(texts)
    raw = np.frombuffer("\n".join(texts).encode("ascii", "replace"), np.uint8)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    seams = np.flatnonzero(_BEFORE[raw[:-1]] & _BEHIND[raw[1:]])
    for i in {*others, *np.searchsorted(ends, seams, side="right").tolist()}:
        found[i] = split_joined(texts[i])
    return found


def moved_spans(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield where character spans of a text stand after its joined words were parted."""
    seams = [match.start() for match in _SEAMS.finditer(text)] if _MAY_HAVE_SEAMS.search(text) else []
    for start, end in spans:
        yield start + bisect_right(seams, start), end + bisect_right(seams, end - 1)
