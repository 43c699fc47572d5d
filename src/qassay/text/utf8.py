"""Many texts as bytes of UTF-8, at the speed of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def beyond_ascii(texts: Sequence[str]) -> list[int]:
    """Return which texts have characters beyond ASCII."""
    if all(map(str.isascii, texts)):
        return []
    found: list[int] = np.flatnonzero(~np.fromiter(map(str.isascii, texts), bool, len(texts))).tolist()
    return found


def byte_texts(texts: Sequence[str], convert: Callable[[str], str] | None = None) -> Sequence[str]:
    """Return texts with one character per byte of their UTF-8; an ASCII text is that already, and stays the same.

    Joined, they are Latin-1, which is encoded without looking at any character; texts of several widths are widened
    first and then encoded one character after another. `convert` changes a text beyond ASCII before.
    """
    beyond = beyond_ascii(texts)
    if not beyond:
        return texts
    found = list(texts)
    for i in beyond:
        text = found[i] if convert is None else convert(found[i])
        found[i] = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return found
