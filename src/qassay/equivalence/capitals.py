"""Names with capitals inside them, which many write without: YouTube and Youtube, eBay and EBAY."""

from __future__ import annotations

import re

from qassay.equivalence.mention import Stated

CAPITALS = "capitals"
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"[a-z][A-Z]")


def capitals_as_in(reference: str, candidate: str) -> list[tuple[Stated, str]]:
    """Return the candidate's words whose capitals inside are not the reference's, as the reference writes them."""
    if not _INSIDE.search(reference) and not _INSIDE.search(candidate):
        return []
    written = {word.lower(): word for word in _WORD.findall(reference)}
    return [
        (Stated(match.start(), match.end(), CAPITALS, 0, written=match[0]), words)
        for match in _WORD.finditer(candidate)
        if (words := written.get(match[0].lower(), match[0])) != match[0]
        if _INSIDE.search(words) or _INSIDE.search(match[0])
    ]
