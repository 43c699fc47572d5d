"""The character spans of the tokens of many texts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qassay.text.tokenisers.tokenise import locate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.text.tokenisers.scan import Scanned
    from qassay.text.tokenisers.tokenise import Tokeniser
    from qassay.text.tokenisers.tokens import Tokens


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
    """Return the spans of the plain texts' tokens, as `locate` finds them."""
    scan = tokeniser.scan
    if scan is None:
        return {}
    # Positions in bytes are those in characters where all are ASCII. A deleted underscore leaves no place to look for.
    left = "\0_" if scan.deleted else "\0"
    plain = [i for i, text in enumerate(texts) if text.isascii() and not any(mark in text for mark in left)]
    if not plain:
        return {}
    scanned = scan.cut([texts[i] for i in plain])
    places = np.stack((scanned.starts, scanned.ends), axis=1)
    if scan.deleted:
        kept = _kept([texts[i] for i in plain], scan.deleted)
        places = np.stack((kept[scanned.starts], kept[scanned.ends - 1] + 1), axis=1)
    begins = np.cumsum([0, *(len(texts[i]) + 1 for i in plain[:-1])])
    spans = places - np.repeat(begins, scanned.lengths)[:, None]
    bounds = pairwise(np.cumsum([0, *scanned.lengths]).tolist())
    unsure = {*scanned.unsure.tolist(), *_begin_dropped_words(scanned, scan.dropped)}
    return {
        i: spans[start:end]
        for row, (i, (start, end)) in enumerate(zip(plain, bounds, strict=True))
        if row not in unsure
    }


def _kept(texts: Sequence[str], deleted: bytes) -> Ints:
    """Return where the characters that are not deleted stand in the texts, one text behind the other."""
    raw = np.frombuffer("\0".join(texts).encode("ascii"), np.uint8)
    stays = np.ones(256, bool)
    stays[list(deleted)] = False
    return np.flatnonzero(stays[raw])


def _begin_dropped_words(scanned: Scanned, dropped: Sequence[str]) -> Iterator[int]:
    """Yield texts with a token that a dropped word begins with: it may be found there."""
    beginnings = {word[:size].encode() for word in dropped for size in range(1, len(word))}
    sizes = scanned.ends - scanned.starts
    short = np.flatnonzero(sizes < max(map(len, dropped), default=0))
    first = np.frombuffer(scanned.data, np.uint8)[scanned.starts[short]]
    some = short[np.isin(first, [each[0] for each in beginnings])]
    text_of = np.repeat(np.arange(len(scanned.lengths)), scanned.lengths)
    for place in some.tolist():
        if scanned.data[scanned.starts[place] : scanned.ends[place]] in beginnings:
            yield int(text_of[place])
