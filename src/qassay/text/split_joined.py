"""Words that run together, as systems that cite their sources often write them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

_SEAMS = re.compile(
    r"(?<=[a-z])(?=[A-Z][a-z])"  # byJames
    r"|(?<=[a-z]{2})(?=\d)"  # from1985
    r"|(?<=\d(?:st|nd|rd|th))(?=[a-z])"  # 15thevery
)

_MAY_HAVE_SEAMS = re.compile(r"[a-z][A-Z\d]|\d(?:st|nd|rd|th)[a-z]")
"""What stands around a seam; found several times faster than the seam itself."""

Span = tuple[int, int]


def split_joined(text: str) -> str:
    """Put a space between words that run together where it shows: "byJames", "from1985", "15thevery"."""
    return _SEAMS.sub(" ", text) if _MAY_HAVE_SEAMS.search(text) else text


def moved_spans(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield where character spans of a text stand after its joined words were parted."""
    seams = [match.start() for match in _SEAMS.finditer(text)] if _MAY_HAVE_SEAMS.search(text) else []
    for start, end in spans:
        yield start + bisect_right(seams, start), end + bisect_right(seams, end - 1)
