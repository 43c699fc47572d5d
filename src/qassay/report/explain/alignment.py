"""Which words a candidate and a reference share, with their spans."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from rapidfuzz.distance import LCSseq

from qassay.text.tokenisers.tokenise import locate, tokeniser

if TYPE_CHECKING:
    from collections.abc import Sequence

_cut = tokeniser("word").tokens


class Match(IntEnum):
    """How a word matches the other side."""

    NONE = 0
    SHARED = 1
    """Shared, but in another order."""
    IN_ORDER = 2
    """On a longest common subsequence: what ROUGE-L counts."""


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """A `word` token's span in its text, in characters, and how it matches."""

    start: int
    end: int
    match: Match


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words of both sides of a pair."""

    candidate: tuple[AlignedWord, ...]
    reference: tuple[AlignedWord, ...]

    @property
    def in_order(self) -> int:
        """The length of the longest common subsequence."""
        return sum(word.match is Match.IN_ORDER for word in self.candidate)

    @property
    def shared(self) -> int:
        """The clipped number of common words, in any order: what ROUGE-1 counts."""
        return sum(word.match is not Match.NONE for word in self.candidate)


def align(candidate: str, reference: str) -> Alignment:
    """Match the `word` tokens of two composed texts, lower-cased and letter for letter.

    A word that both sides repeat counts as often as the side that has it less; those in order are taken first.
    """
    left, right = _cut(candidate), _cut(reference)
    left_matches, right_matches = _matches(left, right)
    return Alignment(_words(candidate, left, left_matches), _words(reference, right, right_matches))


def closest(alignments: Sequence[Alignment]) -> int:
    """Return the reference with the best F of words in order, then of words in any order."""
    return max(range(len(alignments)), key=lambda i: (_f1(alignments[i], ordered=True), _f1(alignments[i])))


def highlights(text: str, words: Sequence[AlignedWord]) -> list[tuple[int, int, Match]]:
    """Join neighbouring words that match alike into spans to be marked; lone punctuation is left unmarked."""
    runs: list[tuple[int, int, Match]] = []
    for word in words:
        if word.match is Match.NONE or word.start == word.end:
            continue
        last = runs[-1] if runs else None
        if last and last[2] is word.match and not text[last[1] : word.start].strip():
            runs[-1] = (last[0], word.end, word.match)
        else:
            runs.append((word.start, word.end, word.match))
    return [run for run in runs if not _punctuation(text[run[0] : run[1]])]


def _matches(left: Sequence[str], right: Sequence[str]) -> tuple[list[Match], list[Match]]:
    left_matches, right_matches = [Match.NONE] * len(left), [Match.NONE] * len(right)
    common = Counter(left) & Counter(right)
    for block in LCSseq.opcodes(left, right):
        if block.tag == "equal":
            size = block.src_end - block.src_start
            left_matches[block.src_start : block.src_end] = [Match.IN_ORDER] * size
            right_matches[block.dest_start : block.dest_end] = [Match.IN_ORDER] * size
            common.subtract(left[block.src_start : block.src_end])
    for tokens, matches in ((left, left_matches), (right, right_matches)):
        remaining = common.copy()
        for i, token in enumerate(tokens):
            if matches[i] is Match.NONE and remaining[token] > 0:
                matches[i] = Match.SHARED
                remaining[token] -= 1
    return left_matches, right_matches


def _words(text: str, tokens: Sequence[str], matches: Sequence[Match]) -> tuple[AlignedWord, ...]:
    return tuple(
        AlignedWord(start, end, match) for (start, end), match in zip(locate(text, tokens), matches, strict=True)
    )


def _f1(alignment: Alignment, *, ordered: bool = False) -> float:
    size = len(alignment.candidate) + len(alignment.reference)
    return 2 * (alignment.in_order if ordered else alignment.shared) / size if size else 0.0


def _punctuation(text: str) -> bool:
    return all(unicodedata.category(character)[0] in "PZ" or character in "<>=+|~^`" for character in text)
