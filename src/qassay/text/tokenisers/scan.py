"""Tokenises many texts at once: an array of their characters' kinds, with a token wherever the kind changes.

Each `Scan` gives the tokens of one tokeniser, several times faster than cutting text by text. Texts whose tokens
need more than kinds of characters to be told (an entity such as `&amp;`, say) are left to the tokeniser itself.
Positions are those of UTF-8 bytes.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from qassay.text.language import UNSPACED, combining_marks
from qassay.text.normalise import fold
from qassay.text.tokenisers.factorize import number_keys
from qassay.text.utf8 import byte_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.arrays import Bools, Ints

    Bytes = NDArray[np.uint8]
    Keys = NDArray[np.uint64]

_SPACE, _WORD, _ALONE, _END, _UNSURE, _POINT, _DASH, _TAIL = range(8)
"""Kinds of bytes: between tokens, part of one, a token by itself (or its tail), the end of a text, or undecided."""
_PLANE = 0x10000
_CONTINUATION, _LEAD_OF_TWO, _LEAD_OF_THREE, _LEAD_OF_FOUR, _PAYLOAD = 0x80, 0xC0, 0xE0, 0xF0, 0x3F
"""The lowest bytes that continue, or begin, a character of so many bytes in UTF-8, and a continuation's bits."""
_WORD_BYTES = 8
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD_BYTES + 1)], np.uint64)


class Words(Sequence[str]):
    """Distinct tokens, stored as their first positions in the scanned texts, and cut out when needed."""

    def __init__(self, data: bytes, starts: Ints, ends: Ints) -> None:
        self._data = data
        self._starts = starts
        self._ends = ends

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        return self._data[self._starts[index] : self._ends[index]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    @cached_property
    def _all(self) -> list[str]:
        places = zip(self._starts.tolist(), self._ends.tolist(), strict=True)
        if self._data.isascii():
            letters = self._data.decode("ascii")
            return [letters[start:end] for start, end in places]
        return [self._data[start:end].decode("utf-8", "surrogatepass") for start, end in places]


class Numbered(NamedTuple):
    """Numbers for tokens, equal ones alike."""

    ids: Ints
    """The scanned tokens', one after another."""
    others: Ints
    """The other tokens'."""
    words: Words


@dataclass(frozen=True, slots=True)
class Scanned:
    """Where the tokens of texts stand, one text after another."""

    data: bytes
    starts: Ints
    ends: Ints
    lengths: Ints
    """How many tokens each text has."""
    unsure: Ints
    """Texts that must be cut one by one; their tokens here mean nothing."""

    def number(self, others: Sequence[str] = ()) -> Numbered:
        """Number the scanned tokens together with other tokens, no two of which are equal."""
        coded = [token.encode("utf-8", "surrogatepass") for token in others]
        sizes = np.array([len(token) for token in coded], np.int64)
        after = len(self.data) + np.cumsum(sizes)
        starts, ends = np.concatenate((self.starts, after - sizes)), np.concatenate((self.ends, after))
        data = b"".join((self.data, *coded))
        keys = packed_letters(data, starts, ends)
        # Packed letters tell neither "" nor NUL characters apart; such tokens come from other texts alone.
        odd = [len(self.starts) + i for i, token in enumerate(coded) if not token or b"\0" in token]
        number, first = number_keys(*keys, *_overlong(data, starts, ends, odd))
        scanned = len(self.starts)
        return Numbered(number[:scanned], number[scanned:], Words(data, starts[first], ends[first]))


@dataclass(frozen=True, slots=True)
class Scan:
    """The rules of one tokeniser, by kinds of characters."""

    ascii: bytes
    """The kind of each ASCII character."""
    letters: int
    """The kind of letters and digits beyond ASCII."""
    unspaced: int
    """The kind of characters of scripts without spaces."""
    marks: int
    """The kind of combining marks."""
    others: int
    """The kind of what else stands beyond ASCII and is no space."""
    folds: bool = True
    deleted: bytes = b""
    """ASCII characters that are removed first."""
    dropped: tuple[str, ...] = ()
    """Words of at most eight letters that are left out."""

    def cut(self, texts: Sequence[str]) -> Scanned:
        """Cut texts, none of which holds a NUL character."""
        data = self._join(texts).translate(None, self.deleted) + b"\0"
        raw = np.frombuffer(data, np.uint8)
        kind = np.frombuffer(data.translate(self.ascii), np.uint8) if data.isascii() else self._kinds(data, raw)
        ends_of_texts = np.flatnonzero(kind == _END)
        doubtful = kind == _UNSURE
        if _POINT in self.ascii:
            kind, joined_points = _settle(kind, raw)
            doubtful |= joined_points
        starts, ends = _runs(kind)
        if self.dropped:
            first, second = packed_letters(data, starts, ends)
            kept = ~np.isin(first, _packed(self.dropped)) | (second > 0)
            starts, ends = starts[kept], ends[kept]
        lengths = np.diff(np.searchsorted(starts, ends_of_texts), prepend=0)
        # A text without tokens is blank, or one that the tokeniser's rules would empty and it knows what to do with.
        unsure = np.flatnonzero(lengths == 0)
        if doubtful.any():
            unsure = np.union1d(unsure, np.searchsorted(ends_of_texts, np.flatnonzero(doubtful)))
        return Scanned(data, starts, ends, lengths, unsure)

    def _join(self, texts: Sequence[str]) -> bytes:
        data = "\0".join(byte_texts(texts, fold if self.folds else None)).encode("latin-1")
        return data.lower() if self.folds else data

    def _kinds(self, data: bytes, raw: Bytes) -> Bytes:
        kind = np.frombuffer(bytearray(data.translate(self.ascii)), np.uint8)
        beyond = np.flatnonzero(raw >= _CONTINUATION)
        leads = beyond[raw[beyond] >= _LEAD_OF_TWO]
        first, second, third = (raw[leads + i].astype(np.int64) for i in range(3))
        character = np.select(
            [first >= _LEAD_OF_FOUR, first >= _LEAD_OF_THREE],
            [_PLANE, (first & 0x0F) << 12 | (second & _PAYLOAD) << 6 | third & _PAYLOAD],
            (first & 0x1F) << 6 | second & _PAYLOAD,
        )
        sizes = 2 + (first >= _LEAD_OF_THREE) + (first >= _LEAD_OF_FOUR)
        kind[beyond] = np.repeat(_table(self)[character], sizes)
        tails = beyond[raw[beyond] < _LEAD_OF_TWO]
        kind[tails[kind[tails] == _ALONE]] = _TAIL
        return kind


@cache
def _table(scan: Scan) -> Bytes:
    """Return the kind of each character of Unicode's first plane; any other is unsure."""
    plane = "".join(map(chr, range(_PLANE)))
    table = np.full(_PLANE + 1, scan.others, np.uint8)
    table[_PLANE] = _UNSURE
    for pattern, kind in ((r"\w+", scan.letters), (r"\s+", _SPACE)):
        for run in re.finditer(pattern, plane):
            table[run.start() : run.end()] = kind
    table[[ord(mark) for mark in combining_marks()]] = scan.marks
    for run in re.finditer(f"[{UNSPACED}]+", plane):
        table[run.start() : run.end()] = scan.unspaced
    table[: len(scan.ascii) // 2] = np.frombuffer(scan.ascii, np.uint8)[: len(scan.ascii) // 2]
    return table


def _runs(kind: Bytes) -> tuple[Ints, Ints]:
    """Find where tokens start and end: runs of word characters, and characters that stand alone."""
    word, tail = kind == _WORD, kind == _TAIL
    joined = (word[1:] & word[:-1]) | tail[1:]
    start = word | (kind == _ALONE)
    end = start | tail
    start[1:] &= ~joined
    end[:-1] &= ~joined
    return np.flatnonzero(start), np.flatnonzero(end) + 1


def packed_letters(data: bytes, starts: Ints, ends: Ints) -> tuple[Keys, Keys]:
    """Pack the first and the second eight bytes of each token into one integer each."""
    padded = data + b"\0" * (2 * _WORD_BYTES)
    windows: Keys = np.ndarray((len(padded) - _WORD_BYTES + 1,), "<u8", padded, strides=(1,))
    lengths = ends - starts
    first = windows[starts] & _MASKS[np.minimum(lengths, _WORD_BYTES)]
    second = np.zeros(len(starts), np.uint64)
    longer = np.flatnonzero(lengths > _WORD_BYTES)
    rest = np.minimum(lengths[longer] - _WORD_BYTES, _WORD_BYTES)
    second[longer] = windows[starts[longer] + _WORD_BYTES] & _MASKS[rest]
    return first, second


def _overlong(data: bytes, starts: Ints, ends: Ints, odd: list[int]) -> list[Keys]:
    """Number tokens of more than sixteen bytes, and odd ones, in a column of their own."""
    places = np.flatnonzero(ends - starts > 2 * _WORD_BYTES).tolist() + odd
    if not places:
        return []
    column = np.zeros(len(starts), np.uint64)
    known: dict[bytes, int] = {}
    for place in places:
        column[place] = known.setdefault(data[starts[place] : ends[place]], len(known) + 1)
    return [column]


def _packed(words: tuple[str, ...]) -> Keys:
    return np.array([int.from_bytes(word.encode("ascii"), "little") for word in words], np.uint64)


def _settle(kind: Bytes, raw: Bytes) -> tuple[Bytes, Bools]:
    """Return the kinds of points and dashes by their neighbours, as in mteval-v13a; two points in a row are unsure."""
    digit = (raw[: len(kind)] >= ord("0")) & (raw[: len(kind)] <= ord("9"))
    after, before = np.zeros_like(digit), np.zeros_like(digit)
    after[1:], before[:-1] = digit[:-1], digit[1:]
    point, dash = kind == _POINT, kind == _DASH
    kind = np.where(point, np.where(after & before, _WORD, _ALONE), kind).astype(np.uint8)
    kind[dash] = np.where(after[dash], _ALONE, _WORD)
    point[1:] &= point[:-1]
    point[0] = False
    return kind, point


def _kinds(**characters: str) -> bytes:
    """Make a table from characters by kind; all others are `_UNSURE`."""
    table = bytearray([_UNSURE]) * 256
    named = {"word": _WORD, "alone": _ALONE, "space": _SPACE, "point": _POINT, "dash": _DASH}
    for name, members in characters.items():
        for character in members:
            table[ord(character)] = named[name]
    table[0] = _END
    return bytes(table)


_SPACES = "".join(character for character in map(chr, range(128)) if character.isspace())
_ALNUM = string.digits + string.ascii_letters
_REST = "".join(map(chr, set(range(1, 128)) - set(map(ord, _SPACES + _ALNUM + "_"))))
_MTEVAL_ALONE = "".join(sorted(set(string.punctuation) - set("'.,-&<")))
_MTEVAL_ASCII = _kinds(space=_SPACES.replace("\n", ""), word=_ALNUM + "'", alone=_MTEVAL_ALONE, point=".,", dash="-")
_SQUAD = Scan(
    _kinds(space=_SPACES, word=_ALNUM),
    letters=_WORD,
    unspaced=_UNSURE,
    marks=_UNSURE,
    others=_UNSURE,
    deleted=string.punctuation.encode("ascii"),
)

SCANS = {
    "word": Scan(
        _kinds(space=_SPACES, word=_ALNUM + "_", alone=_REST),
        letters=_WORD,
        unspaced=_ALONE,
        marks=_UNSURE,
        others=_ALONE,
    ),
    "coco": Scan(
        _kinds(space=_SPACES + _REST, word=_ALNUM + "_"),
        letters=_WORD,
        unspaced=_ALONE,
        marks=_UNSURE,
        others=_SPACE,
    ),
    "char": Scan(
        _kinds(space=_SPACES, alone=_ALNUM + _REST + "_"),
        letters=_ALONE,
        unspaced=_ALONE,
        marks=_ALONE,
        others=_ALONE,
    ),
    "squad": replace(_SQUAD, dropped=("a", "an", "the")),
    "squad with articles": _SQUAD,
    "13a": Scan(_MTEVAL_ASCII, letters=_WORD, unspaced=_WORD, marks=_WORD, others=_WORD, folds=False),
}
"""By tokeniser; what is left out of a table (control characters, `&`, `<` and line ends for `13a`) is unsure."""
BERT_WORDS = Scan(
    _kinds(space=" \t\n\r", word=_ALNUM, alone=string.punctuation.replace("[", "")),
    letters=_UNSURE,
    unspaced=_UNSURE,
    marks=_UNSURE,
    others=_UNSURE,
    folds=False,
)
"""The words that a BERT cuts into pieces, of plain English; a bracket may open one of its special tokens."""
