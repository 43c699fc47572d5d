"""The character spans of the tokens of many texts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qassay.text.tokenise import locate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Ints
    from qassay.text.tokenise import Tokeniser
    from qassay.text.tokens import Tokens


def token_spans(texts: Sequence[str], tokens: Tokens, tokeniser: Tokeniser) -> list[Ints]:
    """Return the start and end of every token of each text; `tokens` are this tokeniser's tokens of the texts.

    Plain texts are scanned, all at once; in others the tokens are looked for, one after the other.
    """
    found = _scanned(texts, tokeniser)
    rows = tokens.rows() if len(found) < len(texts) else []
    return [
        found[i] if i in found else np.array(locate(text, rows[i]), np.int64).reshape(-1, 2)
        for i, text in enumerate(texts)
    ]


def _scanned(texts: Sequence[str], tokeniser: Tokeniser) -> dict[int, Ints]:
    # Positions in bytes are those in characters where all are ASCII and none is deleted before the scan.
    plain = [i for i, text in enumerate(texts) if text.isascii() and "\0" not in text]
    if not plain or tokeniser.scan is None or tokeniser.scan.deleted:
        return {}
    scanned = tokeniser.scan.cut([texts[i] for i in plain])
    begins = np.cumsum([0, *(len(texts[i]) + 1 for i in plain[:-1])])
    spans = np.stack((scanned.starts, scanned.ends), axis=1) - np.repeat(begins, scanned.lengths)[:, None]
    bounds = pairwise(np.cumsum([0, *scanned.lengths]).tolist())
    unsure = set(scanned.unsure.tolist())
    return {
        i: spans[start:end]
        for row, (i, (start, end)) in enumerate(zip(plain, bounds, strict=True))
        if row not in unsure
    }
