"""Reading a passage for the answer to a question: a span and how likely it is that there is none (SQuAD 2.0's task)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.lib.stride_tricks import as_strided

from qassay.models.base import CUT_QUESTION, windows
from qassay.models.folder import TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.runtime import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Floats
    from qassay.models.base import Vectors, Window
    from qassay.models.onnx.encoder import EncodedText, OnnxEncoder
    from qassay.models.runtime import Rows

DESCRIPTION = "reader.json"
ANSWER_READER = "answer_reader.json"
"""The description of a reader of answers: what an answer to a question asserts, rather than what a passage holds."""
SKIMMED = "long passages of which only the windows nearest to the question were read"
_NOWHERE = -1e9
_MOST_FURTHER = 19
"""Of further answers in a passage the likeliest are returned, up to this many."""
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
        questions = self._encoded([question for question, _ in distinct])
        passages = self._encoded([passage for _, passage in distinct])
        longest = self._head.longest_question
        self.notes[CUT_QUESTION] += sum(len(made.ids) > longest for made in questions.values())
        jobs = [_Reading(questions[question], passages[passage], passage) for question, passage in distinct]
        read = self._read(jobs, 1 + _MOST_FURTHER if further else 1)
        found = dict(zip(distinct, read, strict=True))
        return [found[pair] for pair in pairs]

    def _encoded(self, texts: Sequence[str]) -> dict[str, EncodedText]:
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._encoder.read(distinct, self._head.layer), strict=True))

    def _read(self, jobs: Sequence[_Reading], most: int) -> list[Answer]:
        """Return the best answer of each reading and, of the others, as many as make `most` in all."""
        shared = [self._shared(job) for job in jobs]
        chosen = [
            self._windows(len(job.passage.ids) - 2, np.where(both, job.passage.ids, -1))
            if len(job.passage.ids) > 2  # noqa: PLR2004
            else []
            for job, both in zip(jobs, shared, strict=True)
        ]
        limit = self._head.longest_question
        items: list[dict[str, Rows]] = []
        for job, both, found in zip(jobs, shared, chosen, strict=True):
            question = job.question.states if len(job.question.ids) <= limit else job.question.states[:limit]
            for window in found:
                if window.end - window.start == len(job.passage.ids) - 2:
                    items.append({"question": question, "passage": job.passage.states, "shared": both.astype(np.int64)})
                    continue
                rows = np.r_[0, 1 + window.start : 1 + window.end, len(job.passage.ids) - 1]
                states = job.passage.states[rows]
                items.append({"question": question, "passage": states, "shared": both[rows].astype(np.int64)})
        step = Step(self._head.graph, self._head.weights, ("scores",))
        scores = iter(self._runtime.fetch([rows for (rows,) in self._runtime.run([step], items, ["scores"])]))
        read = [
            self._best(job, [(window, next(scores)) for window in found], most)
            for job, found in zip(jobs, chosen, strict=True)
        ]
        odds = self._head.scale * np.array([each.odds for each in read], np.float64) + self._head.shift
        return [
            _answered(job, each.places, none) if each.places else Answer("", 0, 0, 1.0)
            for job, each, none in zip(jobs, read, no_answer(odds).tolist(), strict=True)
        ]

    def _shared(self, job: _Reading) -> NDArray[np.bool_]:
        """Return which pieces of the passage the question has too."""
        asked = job.question.ids[1:-1][: self._head.longest_question - 1]
        shared: NDArray[np.bool_] = (job.passage.ids[:, None] == asked).any(1)
        shared[[0, -1]] = False
        return shared

    def _best(self, job: _Reading, read: Sequence[tuple[Window, Vectors]], most: int) -> _Best:
        """Return the best answers from the scores of the passage's windows; an empty passage has none."""
        found: list[Span] = []
        best_lead, best_odds = _NOWHERE, _NOWHERE
        for window, scores in read:
            spans, odds = best_spans(scores[1:-1], scores[0], self._head.longest_answer, most, self._head.margin)
            found += [Span(each.lead, 1 + window.start + each.first, 1 + window.start + each.last) for each in spans]
            if spans[0].lead > best_lead:
                best_lead, best_odds = spans[0].lead, odds
        spans = _apart(found, self._head.margin)[:most]
        places = job.passage.spans
        return _Best([(int(places[each.first, 0]), int(places[each.last, 1])) for each in spans], best_odds)

    def _windows(self, inner: int, shared: NDArray[np.int64]) -> list[Window]:
        """Return the windows to read; of many those with most of the question's pieces, repeated ones counted once."""
        found = windows(inner, self._head.window)
        if len(found) <= self._head.most_windows:
            return found
        self.notes[SKIMMED] += 1
        near = sorted(found, key=lambda window: -len(np.unique(shared[1 + window.start : 1 + window.end])))
        return near[: self._head.most_windows]


class _Reading(NamedTuple):
    """A question and a passage, encoded, and the passage as it is written."""

    question: EncodedText
    passage: EncodedText
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
    starts, ends = scores[:, 0].astype(np.float64), scores[:, 1].astype(np.float64)
    padded = np.full(len(ends) + longest - 1, -np.inf)
    padded[: len(ends)] = ends
    sums = starts[:, None] + as_strided(padded, (len(ends), longest), padded.strides * 2)
    top = float(sums.max())
    # With the best span's score as the unit, nothing overflows.
    total = float(np.exp(sums - top).sum())
    nothing = float(none.sum())
    near = np.flatnonzero(sums.ravel() >= top - margin)
    ranked = sorted(zip((-sums.ravel()[near]).tolist(), near.tolist(), strict=True)) if top > -np.inf else []
    found: list[Span] = []
    for score, place in ranked:
        first, length = divmod(place, longest)
        last = first + length
        if all(last < other.first or first > other.last for other in found):
            found.append(Span(-score - nothing, first, last))
            if len(found) == most:
                break
    return found, top - nothing + float(np.log(total))


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
