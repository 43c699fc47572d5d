"""Words written as one or as two: backyard and back yard, e-mail and email."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.pair_words import PairWords
from qassay.equivalence.rule import AnswerPair, Replacement, Rule
from qassay.equivalence.tables import read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = frozenset(" -\u2010\u2011")
_SHORTEST = 5
"""Letters of both words together."""
_FUNCTION_WORDS = read_words("function_words") | read_words("opening_words") | {"a", "an", "no", "not", "any", "may"}


class _Text(NamedTuple):
    words: dict[str, tuple[int, int]]
    """Where each word stands, in small letters."""
    joined: tuple[tuple[str, int, int], ...]
    """Neighbours that could be one word, run together, with where they begin and end."""


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> _Text:
    """Return a text's words and neighbours; a hyphen joins a single letter too, a space does not."""
    found = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
    joined = tuple(
        (one + other, start, last)
        for (one, start, end), (other, first, last) in pairwise(found)
        if first - end == 1 and text[end] in _SEPARATORS
        if _could_be_one(one, other)
        if text[end] != " " or min(len(one), len(other)) > 1
    )
    return _Text({word: (start, end) for word, start, end in found}, joined)


def _could_be_one(one: str, other: str) -> bool:
    """Whether two words may be one that is written apart."""
    return len(one) + len(other) >= _SHORTEST and one not in _FUNCTION_WORDS and other not in _FUNCTION_WORDS


def _has_neighbours(pair: AnswerPair) -> bool:
    return not _SEPARATORS.isdisjoint(pair.reference) or not _SEPARATORS.isdisjoint(pair.candidate)


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Join the candidate's words that are one in the reference, and part what the reference parts."""
    wanted = _read(pair.reference)
    apart = {word: pair.reference[start:end] for word, start, end in wanted.joined}
    given = _read(pair.candidate)
    found = [
        Replacement(*given.words[word], words)
        for word, words in apart.items()
        if word in given.words and word not in wanted.words
    ]
    for word, start, end in given.joined:
        if word not in given.words and (word in wanted.words or word in apart):
            written = slice(*wanted.words[word]) if word in wanted.words else slice(0)
            found.append(Replacement(start, end, pair.reference[written] or apart[word]))
    return [each for each in found if each.words.lower() != pair.candidate[each.start : each.end].lower()]


SPACING = Rule(
    name="spacing",
    definition="Two words that the reference writes as one are joined, and one that it writes as two is parted.",
    applies=_has_neighbours,
    may_change=PairWords.may_join_otherwise,
    rewrite=_as_in_reference,
    tables=("function_words", "opening_words"),
)
