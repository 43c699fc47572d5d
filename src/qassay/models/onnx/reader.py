"""Reading a passage for the answer to a question: a span and how likely it is that there is none (SQuAD 2.0's task)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.lib.stride_tricks import as_strided

from qassay.arrays import cut_rows, lengths_of
from qassay.models.base import CUT_QUESTION, windows
from qassay.models.folder import TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.runtime import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats, Ints
    from qassay.models.base import TokenEmbeddings, Vectors, Window
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.runtime import Rows

DESCRIPTION = "reader.json"
ANSWER_READER = "answer_reader.json"
"""The description of a reader of answers: what an answer to a question asserts, rather than what a passage holds."""
SKIMMED = "long passages of which only the windows nearest to the question were read"
_NOWHERE = -1e9
_MOST_FURTHER = 19
"""Of further answers in a passage the likeliest are returned, up to this many."""
_SUMS_AT_ONCE = 1 << 14
"""Sums of scores that are computed together: few enough for the processor's own memory."""
_SURE = 700.0
"""Log-odds beyond which exponentials overflow."""


class Answer(NamedTuple):
    """The likeliest answer that a passage holds, and how likely it is that it holds none."""

    text: str
    start: int
    end: int
    """Character positions in the passage."""
    none: float
    """Probability of no answer."""
    others: tuple[tuple[int, int], ...] = ()
    """Positions of further answers, where they were asked for; none overlaps another, and the likeliest come first."""


class Answerer(Protocol):
    """(question, passage) pairs to answers."""

    ref: str
    notes: Counter[str]

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer, which enters signatures."""

    @property
    def threshold(self) -> float:
        """The probability of no answer from which on a question counts as unanswerable."""

    def answer(self, pairs: Sequence[tuple[str, str]]) -> list[Answer]:
        """Answer each question on its passage; an empty passage answers nothing."""


class ReaderHead(msgspec.Struct, frozen=True):
    """The reader of a model folder: states of `layer` for question and passage, read together in a graph."""

    layer: int
    graph: str
    weights: str
    window: int
    """Word pieces of a passage that are read at once, without special tokens."""
    most_windows: int
    """Of longer passages the windows that share most with the question are read, up to this many."""
    longest_question: int
    longest_answer: int
    threshold: float
    scale: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    shift: float = 0.0
    """Calibration of the log-odds that there is an answer, fitted on the development rows."""
    margin: Annotated[float, msgspec.Meta(ge=0)] = 3.0
    """Further answers score at most this much less than the best one."""
    left_out: tuple[int, int] | None = None
    """Which fold of how many the questions are in that it was trained without, for training judges on these."""

    def __post_init__(self) -> None:
        check_file_names(self.graph, self.weights)


class OnnxReader:
    """The span reader of an ONNX model folder; `description` names its file there."""

    def __init__(self, encoder: OnnxEncoder, description: str = DESCRIPTION) -> None:
        path = encoder.runtime.folder / description
        self._head = read_description(
            path, ReaderHead, absent=f"{encoder.ref} has no reader; train one with `qassay train reader`"
        )
        self.ref = encoder.ref
        self.reads_answers = description == ANSWER_READER
        """Whether it was trained on answers, and so knows refusals."""
        self.notes: Counter[str] = Counter()
        self._encoder = encoder
        self._runtime = encoder.runtime

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and reader, of the tokenizer, and of what is made of the scores."""
        folder, head = self._runtime.folder, self._head
        files = (folder / name for name in (TOKENIZER, self._encoder.model.weights, head.weights))
        made = f"{head.threshold} {head.scale} {head.shift}" + (f" {head.margin}" if self.reads_answers else "")
        return fingerprint(*files, made)

    @property
    def threshold(self) -> float:
        """The probability of no answer from which on a question counts as unanswerable."""
        return self._head.threshold

    def answer(self, pairs: Sequence[tuple[str, str]], *, further: bool = False) -> list[Answer]:
        """Answer each question on its passage, `further` with other answers there; equal pairs are read once."""
        distinct = list(dict.fromkeys(pairs))
        questions = dict.fromkeys(question for question, _ in distinct)
        encoded = self._encoded([*questions, *(passage for _, passage in distinct)])
        longest = self._head.longest_question
        self.notes[CUT_QUESTION] += sum(len(encoded[question].ids) > longest for question in questions)
        jobs = [_Reading(encoded[question], encoded[passage], passage) for question, passage in distinct]
        read = self._read(jobs, 1 + _MOST_FURTHER if further else 1)
        found = dict(zip(distinct, read, strict=True))
        return [found[pair] for pair in pairs]

    def _encoded(self, texts: Sequence[str]) -> dict[str, TokenEmbeddings]:
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._encoder.encode(distinct, self._head.layer), strict=True))

    def _read(self, jobs: Sequence[_Reading], most: int) -> list[Answer]:
        """Return the best answer of each reading and, of the others, as many as make `most` in all."""
        shared = self._shared(jobs)
        chosen = [
            self._windows(job, both) if len(job.passage.ids) > 2 else ()  # noqa: PLR2004
            for job, both in zip(jobs, shared, strict=True)
        ]
        limit = self._head.longest_question
        items: list[dict[str, Rows]] = []
        for job, both, found in zip(jobs, shared, chosen, strict=True):
            question = job.question.states if len(job.question.ids) <= limit else job.question.states[:limit]
            for window in found:
                if window.end - window.start == len(job.passage.ids) - 2:
                    items.append({"question": question, "passage": job.passage.states, "shared": both})
                    continue
                rows = np.r_[0, 1 + window.start : 1 + window.end, len(job.passage.ids) - 1]
                states = job.passage.states[rows]
                items.append({"question": question, "passage": states, "shared": both[rows]})
        step = Step(self._head.graph, self._head.weights, ("scores",))
        scores = self._runtime.fetch([rows for (rows,) in self._runtime.run([step], items, ["scores"])])
        spans = iter(best_spans_of_all(scores, self._head.longest_answer, most, self._head.margin))
        read = [
            self._best(job, [(window, *next(spans)) for window in found], most)
            for job, found in zip(jobs, chosen, strict=True)
        ]
        odds = self._head.scale * np.array([each.odds for each in read], np.float64) + self._head.shift
        return [
            _answered(job, each.places, none) if each.places else Answer("", 0, 0, 1.0)
            for job, each, none in zip(jobs, read, no_answer(odds).tolist(), strict=True)
        ]

    def _shared(self, jobs: Sequence[_Reading]) -> list[Ints]:
        """Return which pieces of each passage, without its special tokens, the question has too: 1 for those."""
        if not jobs:
            return []
        most = self._head.longest_question - 1
        passages = [job.passage.ids for job in jobs]
        asked = [job.question.ids[1:-1][:most] for job in jobs]
        lengths = [lengths_of(texts) for texts in (passages, asked)]
        joined = [np.concatenate(texts) for texts in (passages, asked)]
        # The jobs' pieces are told apart by numbers of their own.
        apart = 1 + max(int(ids.max(initial=0)) for ids in joined)
        flat = [
            ids + apart * np.repeat(np.arange(len(jobs)), counts) for ids, counts in zip(joined, lengths, strict=True)
        ]
        shared = np.isin(flat[0], flat[1]).astype(np.int64)
        ends = np.cumsum(lengths[0])
        shared[ends - lengths[0]] = shared[ends - 1] = 0
        return cut_rows(shared, lengths[0])

    def _best(self, job: _Reading, read: Sequence[tuple[Window, list[Span], float]], most: int) -> _Best:
        """Return the best answers from the spans of the passage's windows; an empty passage has none."""
        found: list[Span] = []
        best_lead, best_odds = _NOWHERE, _NOWHERE
        for window, spans, odds in read:
            found += [Span(each.lead, 1 + window.start + each.first, 1 + window.start + each.last) for each in spans]
            if spans[0].lead > best_lead:
                best_lead, best_odds = spans[0].lead, odds
        spans = _apart(found, self._head.margin)[:most]
        places = job.passage.spans
        return _Best([(int(places[each.first, 0]), int(places[each.last, 1])) for each in spans], best_odds)

    def _windows(self, job: _Reading, both: Ints) -> Sequence[Window]:
        """Return the windows to read; of many those with most of the question's pieces, repeated ones counted once."""
        found = windows(len(job.passage.ids) - 2, self._head.window)
        if len(found) <= self._head.most_windows:
            return found
        self.notes[SKIMMED] += 1
        shared = np.where(both, job.passage.ids, -1)
        near = sorted(found, key=lambda window: -len(np.unique(shared[1 + window.start : 1 + window.end])))
        return near[: self._head.most_windows]


class _Reading(NamedTuple):
    """A question and a passage, encoded, and the passage as it is written."""

    question: TokenEmbeddings
    passage: TokenEmbeddings
    text: str


class _Best(NamedTuple):
    """Where a passage answers a question, the likeliest place first, and the log-odds that it does."""

    places: list[tuple[int, int]]
    odds: float


def _answered(job: _Reading, places: Sequence[tuple[int, int]], none: float) -> Answer:
    (start, end), *others = places
    return Answer(job.text[start:end], start, end, none, tuple(others))


class Span(NamedTuple):
    """Some pieces of a passage as an answer."""

    lead: float
    """Its score's lead over no answer."""
    first: int
    last: int


def best_span(scores: Vectors, none: Vectors, longest: int) -> tuple[int, int, float, float]:
    """Find the likeliest span: its first and last piece, its lead over no answer, the log-odds that there is an answer.

    A span's score is the sum of its start's and its end's. The odds are of all spans of at most `longest` pieces
    together against the empty answer (Devlin et al. 2019, section 4.3, normalised).
    """
    (best,), odds = best_spans(scores, none, longest, 1, 0.0)
    return best.first, best.last, best.lead, odds


def best_spans(scores: Vectors, none: Vectors, longest: int, most: int, margin: float) -> tuple[list[Span], float]:
    """Find the likeliest spans that do not overlap, and the log-odds that there is an answer.

    The best one comes first; after it the best of those that touch none before, up to `most` in all, as long as they
    score no more than `margin` below the best.
    """
    (found,) = best_spans_of_all([np.concatenate([none[None], scores, none[None]])], longest, most, margin)
    return found


def best_spans_of_all(
    scores: Sequence[Vectors], longest: int, most: int, margin: float
) -> list[tuple[list[Span], float]]:
    """Find the likeliest spans and log-odds for the scores of many passages, special tokens included.

    The first special token's are those of no answer. Passages of one length are computed together, each by itself.
    """
    lengths = np.array([len(rows) for rows in scores], np.int64)
    found: list[tuple[list[Span], float]] = [([], _NOWHERE)] * len(scores)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length).tolist()
        at_once = max(1, _SUMS_AT_ONCE // (length * longest))
        for start in range(0, len(places), at_once):
            some = places[start : start + at_once]
            stacked = np.stack([scores[place] for place in some])
            for place, spans in zip(some, _best_spans(stacked, longest, most, margin), strict=True):
                found[place] = spans
    return found


def _best_spans(
    scores: NDArray[np.float32], longest: int, most: int, margin: float
) -> Iterator[tuple[list[Span], float]]:
    """Yield the spans and log-odds of passages of one length."""
    count, length = len(scores), scores.shape[1] - 2
    width = min(length, longest)
    padded = np.full((count, length + width - 1), -np.inf)
    padded[:, :length] = scores[:, 1:-1, 1]
    ends = as_strided(padded, (count, length, width), (*padded.strides, padded.strides[1]))
    sums = scores[:, 1:-1, 0, None].astype(np.float64) + ends
    flat = sums.reshape(count, -1)
    tops = flat.max(axis=1)
    # With the best span's score as the unit, nothing overflows. Each sum has as many places as the longest spans need,
    # so that its last bits are the same however few these are.
    raised = np.zeros((count, length, longest))
    np.exp(sums - tops[:, None, None], out=raised[:, :, :width])
    nothing = scores[:, 0].sum(axis=1).astype(np.float64)
    odds = tops - nothing + np.log(raised.reshape(count, -1).sum(axis=1))
    near = np.flatnonzero((flat >= (tops - margin)[:, None]).ravel())
    rows, reached = near // flat.shape[1], flat.ravel()[near]
    ranked = np.lexsort((near, -reached, rows))
    columns = reached[ranked] - nothing[rows[ranked]], *np.divmod(near[ranked] % flat.shape[1], width)
    listed = list(zip(*(column.tolist() for column in columns), strict=True))
    bounds = np.cumsum(np.bincount(rows, minlength=count)).tolist()
    for low, high, odd in zip([0, *bounds], bounds, odds.tolist(), strict=False):
        found: list[Span] = []
        for lead, begin, more in listed[low:high]:
            end = begin + more
            if all(end < other.first or begin > other.last for other in found):
                found.append(Span(lead, begin, end))
                if len(found) == most:
                    break
        yield found, odd


def _apart(spans: Sequence[Span], margin: float) -> list[Span]:
    """Return the spans that overlap no better one, the best first, without those more than `margin` below it."""
    kept: list[Span] = []
    for each in sorted(spans, reverse=True):
        if kept and each.lead < kept[0].lead - margin:
            break
        if all(each.last < other.first or each.first > other.last for other in kept):
            kept.append(each)
    return kept


def no_answer(odds: float | Floats) -> Floats:
    """Return the probability of no answer from the log-odds that there is one."""
    return np.asarray(1 / (1 + np.exp(np.clip(odds, -_SURE, _SURE))), np.float64)
