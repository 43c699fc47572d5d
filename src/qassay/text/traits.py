"""Traits of texts: which characters and words they have, found for many texts at once.

A pattern that needs a trait finds nothing in a text without it. Each trait is one bit, declared beside the pattern; the
traits of a text are the sum of its bits. A text beyond plain ASCII has all of them: there only a pattern tells.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.text.tokenisers.factorize import find_keys
from qassay.text.tokenisers.scan import packed_letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Ints

ALL = -1
"""The traits of a text of which nothing is known."""
_MOST = 63
_LETTERS = re.compile("[a-z]+")
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class _Declared(NamedTuple):
    """What makes up each trait: words, characters, or two characters side by side."""

    words: dict[str, int]
    characters: dict[str, int]
    neighbours: list[tuple[str, str, int]]
    bits: list[int]


_declared = _Declared({}, {}, [], [])
_declaring = RLock()
"""Held while a trait is declared or tables are made: one thread may import rules while another one scores."""


def _new() -> int:
    bit = 1 << len(_declared.bits)
    if len(_declared.bits) == _MOST:
        raise OverflowError("more traits than bits")
    _declared.bits.append(bit)
    return bit


def declared_traits() -> int:
    """Return how many traits modules have declared by now."""
    with _declaring:
        return len(_declared.bits)


def word_trait(words: Iterable[str]) -> int:
    """Return the trait of texts that have one of some words in either case, as a run of letters.

    Of a word with hyphens or figures its longest run of letters is looked for.
    """
    with _declaring:
        bit = _new()
        for word in words:
            run = max(_LETTERS.findall(word), key=len)
            _declared.words[run] = _declared.words.get(run, 0) | bit
    return bit


def character_trait(characters: str) -> int:
    """Return the trait of texts that have one of some ASCII characters."""
    with _declaring:
        bit = _new()
        for character in characters:
            _declared.characters[character] = _declared.characters.get(character, 0) | bit
    return bit


def neighbour_trait(first: str, second: str) -> int:
    """Return the trait of texts in which one of some ASCII characters is followed by one of others."""
    with _declaring:
        bit = _new()
        _declared.neighbours.append((first, second, bit))
    return bit


def find_traits(texts: Sequence[str]) -> Ints:
    """Return the traits of each text."""
    plain = np.fromiter((text.isascii() and "\0" not in text for text in texts), bool, len(texts))
    found = np.full(len(texts), ALL, np.int64)
    some = list(texts) if plain.all() else [text for text, known in zip(texts, plain.tolist(), strict=True) if known]
    if some:
        found[plain] = _plain_traits(some)
    return found


def has_trait(traits: Ints, trait: int) -> Bools:
    """Return which texts have a trait, or one of several that are joined by `|`."""
    return np.asarray((traits & trait) != 0)


def _plain_traits(texts: Sequence[str]) -> Ints:
    with _declaring:
        tables = _tables(len(_declared.bits))
    data = "\0".join(texts).encode("ascii") + b"\0"
    raw = np.frombuffer(data, np.uint8)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    begins = np.cumsum(lengths) - lengths
    by_character = tables.characters[raw]
    by_character[:-1] |= tables.firsts[raw[:-1]] & tables.seconds[raw[1:]]
    found = np.bitwise_or.reduceat(by_character, begins)
    lowered = data.lower()
    starts, ends = letter_runs(lowered)
    hit, place = find_keys(_word_keys(lowered, starts, ends), tables.words)
    owners = np.searchsorted(begins, starts[hit], side="right") - 1
    np.bitwise_or.at(found, owners, tables.word_traits[place])
    return found


class _Tables(NamedTuple):
    """All declared traits, by byte and by word."""

    characters: Ints
    firsts: Ints
    seconds: Ints
    words: NDArray[np.uint64]
    """Keys of the words."""
    word_traits: Ints


@lru_cache(maxsize=1)
def _tables(declared: int) -> _Tables:  # noqa: ARG001 - they are made again when there are more traits
    characters, firsts, seconds = np.zeros((3, 256), np.int64)
    for character, bits in _declared.characters.items():
        characters[ord(character)] |= bits
    for first, second, bit in _declared.neighbours:
        firsts[list(first.encode())] |= bit
        seconds[list(second.encode())] |= bit
    data = "\0".join(_declared.words).encode() + b"\0"
    keys: dict[int, int] = {}
    for key, bits in zip(_word_keys(data, *letter_runs(data)).tolist(), _declared.words.values(), strict=True):
        keys[key] = keys.get(key, 0) | bits
    words, traits = np.array(list(keys), np.uint64), np.array(list(keys.values()), np.int64)
    return _Tables(characters, firsts, seconds, words, traits)


_IS_LETTER = np.array([chr(byte) in "abcdefghijklmnopqrstuvwxyz" for byte in range(256)])


def letter_runs(lowered: bytes) -> tuple[Ints, Ints]:
    """Return where runs of letters start and end in lower-cased texts, which end in a NUL character."""
    letter = _IS_LETTER[np.frombuffer(lowered, np.uint8)]
    changes = np.flatnonzero(letter[1:] != letter[:-1]) + 1
    bounds = np.concatenate((np.zeros(1, np.int64), changes)) if len(letter) and letter[0] else changes
    return bounds[0::2], bounds[1::2]


def _word_keys(data: bytes, starts: Ints, ends: Ints) -> NDArray[np.uint64]:
    """Return a number for each word; unlike words may share one, which makes a trait too many and none too few."""
    first, second = packed_letters(data, starts, ends)
    return np.asarray(first ^ (second * _MULTIPLIER), np.uint64)


FIGURE = character_trait(string.digits)
CAPITAL = character_trait(string.ascii_uppercase)
CAPITALS = neighbour_trait(string.ascii_uppercase, string.ascii_uppercase)
"""Two capitals side by side."""
INNER_CAPITAL = neighbour_trait(string.ascii_lowercase, string.ascii_uppercase)
"""A capital behind a small letter."""
BEYOND_ASCII = character_trait("")
HYPHEN = character_trait("-")
