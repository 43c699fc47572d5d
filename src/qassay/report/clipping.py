"""Texts shortened for display, with the number of characters left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.text.normalise import compose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONGEST = 5000
"""How many characters of a text a page shows at most."""
BUDGET = 3_300_000
"""How many bytes all texts of a page together may take before each is shown shorter."""
_SHORTER = (LONGEST, 2500, 1200, 600, 300, 150)


class ClippedText(NamedTuple):
    """The beginning of a text in composed form, and how many characters follow."""

    text: str
    more: int

    @property
    def remark(self) -> str:
        """The note that replaces the rest of the text."""
        return f"… {self.more:,} more characters" if self.more else ""


def clip(text: str, longest: int = LONGEST) -> ClippedText:
    """Keep at most `longest` characters."""
    composed = compose(text)
    return ClippedText(composed[:longest], max(0, len(composed) - longest))


def shown_spans(text: str, spans: Iterable[tuple[int, int]], longest: int) -> list[tuple[int, int]]:
    """Return where spans of a text stand in its composed form, as far as that is shown."""
    if not text.isascii():
        spans = [(len(compose(text[:start])), len(compose(text[:end]))) for start, end in spans]
    return [(start, min(end, longest)) for start, end in spans if start < min(end, longest)]


def fitting_length(texts: Collection[str], budget: int = BUDGET) -> int:
    """Return how many characters of each text can be shown within the budget."""
    for longest in _SHORTER[:-1]:
        if sum(len(text[:longest].encode("utf-8", "replace")) for text in texts) <= budget:
            return longest
    return _SHORTER[-1]
