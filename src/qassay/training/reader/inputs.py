"""Questions on passages as the reader's network takes them: word pieces, and which of them answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from qassay.training.answer_text import Span
    from qassay.training.reader.rows import ReaderRow

    Cut = Callable[[str], tuple[list[int], list[Span]]]
    """Returns a text's pieces with [CLS] and [SEP], and their places in it."""

WINDOW = 256
"""Pieces of a passage that are read at a time, as in use."""
SHORT_WINDOW = 112
"""As long as a short summary."""
SHORT_SHARE = 0.75
"""How many questions are asked on short windows in training, which cost less."""
LONGEST_QUESTION = 96
LONGEST_ANSWER = 30
LONGEST_ASSERTED = 64
"""Pieces of what an answer asserts: a list or a clause."""


@dataclass(slots=True)
class ReaderInputs:
    """Questions on windows of passages, as numbers of distinct texts."""

    texts: list[list[int]]
    """Word pieces with [CLS] and [SEP]."""
    questions: list[int]
    passages: list[int]
    spans: list[tuple[Span, ...]]
    """Accepted answers: first and last piece in the window's pieces; none where it does not answer."""
    opinions: list[NDArray[np.float16]] = field(default_factory=list)
    """What other readers think of each pair, if they were asked: how likely it is that an answer begins and ends at
    each piece of the passage but the closing mark."""
    trust: list[float] = field(default_factory=list)
    """How much their opinion on each pair counts beside the marked answers: 1 where nobody has marked any."""

    def share(self, rank: int, size: int) -> ReaderInputs:
        """Return every `size`-th passage with its questions, starting with number `rank`."""
        mine = set(list(dict.fromkeys(self.passages))[rank::size])
        kept = [pair for pair, passage in enumerate(self.passages) if passage in mine]
        used = sorted({text for pair in kept for text in (self.questions[pair], self.passages[pair])})
        number = {text: place for place, text in enumerate(used)}
        return ReaderInputs(
            [self.texts[text] for text in used],
            [number[self.questions[pair]] for pair in kept],
            [number[self.passages[pair]] for pair in kept],
            [self.spans[pair] for pair in kept],
            [self.opinions[pair] for pair in kept if self.opinions],
            [self.trust[pair] for pair in kept if self.trust],
        )

    def with_more(self, more: ReaderInputs) -> ReaderInputs:
        """Add other pairs behind these."""
        first = len(self.texts)
        return ReaderInputs(
            [*self.texts, *more.texts],
            [*self.questions, *(first + text for text in more.questions)],
            [*self.passages, *(first + text for text in more.passages)],
            [*self.spans, *more.spans],
        )


@dataclass(frozen=True, slots=True)
class _Window:
    text: int
    pieces: frozenset[int]
    starts: list[int]
    ends: list[int]

    def pieces_of(self, spans: Iterable[Span], longest: int) -> Iterator[Span]:
        """Find spans of characters; the window's first piece is a mark, and so is its last."""
        for start, end in spans:
            first = bisect_right(self.starts, start) - 1
            last = bisect_left(self.ends, end)
            inside = 0 <= first <= last < len(self.ends) and start < self.ends[first] and end > self.starts[last]
            if inside and last < first + longest:
                yield 1 + first, 1 + last


class _Windows:
    """Passages cut into windows, each passage once for each size."""

    def __init__(self, cut: Cut) -> None:
        self.texts: list[list[int]] = []
        self._cut = cut
        self._numbers: dict[tuple[int, ...], int] = {}
        self._made: dict[tuple[str, int], list[_Window]] = {}

    def number(self, pieces: Sequence[int]) -> int:
        key = tuple(pieces)
        if key not in self._numbers:
            self._numbers[key] = len(self.texts)
            self.texts.append(list(pieces))
        return self._numbers[key]

    def question(self, text: str) -> int:
        pieces, _ = self._cut(text)
        return self.number(pieces if len(pieces) <= LONGEST_QUESTION else [*pieces[: LONGEST_QUESTION - 1], pieces[-1]])

    def of(self, passage: str, size: int) -> list[_Window]:
        if (passage, size) not in self._made:
            pieces, places = self._cut(passage)
            self._made[passage, size] = [
                _Window(
                    self.number([pieces[0], *pieces[low:high], pieces[-1]]),
                    frozenset(pieces[low:high]),
                    [start for start, _ in places[low:high]],
                    [end for _, end in places[low:high]],
                )
                for low, high in window_bounds(len(pieces) - 2, size)
            ]
        return self._made[passage, size]


def window_bounds(pieces: int, size: int = WINDOW) -> list[Span]:
    """Cut a passage into windows that overlap by half; positions count from 1, after [CLS]."""
    stride = size // 2
    starts = range(0, max(1, pieces - size + stride), stride)
    return [(1 + start, 1 + min(start + size, pieces)) for start in starts]


def prepare(
    rows: Iterable[ReaderRow],
    cut: Cut,
    rng: np.random.Generator,
    *,
    short: float = 0.0,
    longest: int = LONGEST_ANSWER,
) -> ReaderInputs:
    """Turn rows into pairs, each on one window of its passage.

    It is one of those that hold an answer, or where there is none, the one that shares most pieces with the question.
    A share `short` of the questions is asked on short windows. A row whose answer no window holds is left out,
    and so is one whose answer has more than `longest` pieces.
    """
    windows = _Windows(cut)
    asked = ReaderInputs(windows.texts, [], [], [])
    for row in rows:
        question = windows.question(row.question)
        cuts = windows.of(row.passage, SHORT_WINDOW if rng.random() < short else WINDOW)
        answered = [(window, spans) for window in cuts if (spans := tuple(window.pieces_of(row.spans, longest)))]
        if answered:
            window, spans = answered[int(rng.integers(len(answered)))]
        elif row.spans:
            continue
        else:
            pieces = frozenset(asked.texts[question])
            window, spans = max(cuts, key=lambda each: len(each.pieces & pieces)), ()
        asked.questions.append(question)
        asked.passages.append(window.text)
        asked.spans.append(spans)
    return asked
