"""Training the span reader: question and passage are encoded apart by the frozen trunk and read together above it."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from qassay.train.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.train.ragged import Ragged, batches_by_length, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.train.keyphrase_rows import Span
    from qassay.train.reader_rows import ReaderRow

WINDOW, STRIDE = 256, 128
"""Pieces of a passage that are read at a time, and how far the next window is, as in use."""
LONGEST_QUESTION = 96
LONGEST_ANSWER = 30
_WARM_UP = 0.06


@dataclass(slots=True)
class Asked:
    """Questions on windows of passages, as numbers of distinct texts."""

    texts: list[list[int]]
    """Word pieces with [CLS] and [SEP]."""
    questions: list[int]
    passages: list[int]
    spans: list[tuple[Span, ...]]
    """Accepted answers: first and last piece in the window's pieces; none where it does not answer."""
    rows: list[int]
    """Which row each pair was made of."""


def prepare(
    rows: Iterable[ReaderRow],
    cut: Callable[[str], tuple[list[int], list[Span]]],
    *,
    every_window: bool = False,
) -> Asked:
    """Turn rows into pairs of word pieces; `cut` gives a text's pieces with [CLS] and [SEP], and their places.

    Of a passage longer than a window the first window that holds an answer is kept, or the first one; with
    `every_window`, all of them.
    """
    asked = Asked([], [], [], [], [])
    known: dict[tuple[int, ...], int] = {}
    windows: dict[str, list[tuple[int, list[Span]]]] = {}

    def number(pieces: Sequence[int]) -> int:
        key = tuple(pieces)
        if key not in known:
            known[key] = len(asked.texts)
            asked.texts.append(list(pieces))
        return known[key]

    for index, row in enumerate(rows):
        question, _ = cut(row.question)
        if len(question) > LONGEST_QUESTION:
            question = [*question[: LONGEST_QUESTION - 1], question[-1]]
        if row.passage not in windows:
            pieces, places = cut(row.passage)
            windows[row.passage] = [
                (number([pieces[0], *pieces[low:high], pieces[-1]]), [(0, 0), *places[low:high], (0, 0)])
                for low, high in window_bounds(len(pieces) - 2)
            ]
        found = [(text, tuple(_pieces_of(places, row.spans))) for text, places in windows[row.passage]]
        kept = found if every_window else [next((each for each in found if each[1]), found[0])]
        for text, spans in kept:
            if spans or not row.spans or every_window:
                asked.questions.append(number(question))
                asked.passages.append(text)
                asked.spans.append(spans)
                asked.rows.append(index)
    return asked


def window_bounds(pieces: int) -> list[Span]:
    """Cut a passage into overlapping windows; positions count from 1, after [CLS]."""
    starts = range(0, max(1, pieces - WINDOW + STRIDE), STRIDE)
    return [(1 + start, 1 + min(start + WINDOW, pieces)) for start in starts]


def _pieces_of(places: Sequence[Span], spans: Iterable[Span]) -> Iterable[Span]:
    for start, end in spans:
        first = next((i for i, place in enumerate(places) if place[0] <= start < place[1]), None)
        last = next((i for i, place in enumerate(places) if place[0] < end <= place[1]), None)
        if first is not None and last is not None and first <= last < first + LONGEST_ANSWER:
            yield first, last


class ReaderNetwork(nn.Module):
    """Tuned layers over the joined encodings, and two scores a piece: an answer begins here, an answer ends here.

    The scores of the passage's [CLS] stand for no answer.
    """

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int) -> None:
        super().__init__()
        self.layers = upper_layers(weights, trunk_depth)
        self.sides = nn.Parameter(torch.zeros(3, WIDTH))
        """What is added to the question, to the passage, and to passage pieces that the question holds too."""
        self.out = nn.Linear(WIDTH, 2)
        self.steps_taken = 0

    def forward(
        self,
        question: torch.Tensor,
        passage: torch.Tensor,
        in_question: torch.Tensor,
        in_passage: torch.Tensor,
        shared: torch.Tensor,
    ) -> torch.Tensor:
        """Give (batch, passage, 2) scores, the first for no answer."""
        width = question.shape[1]
        hidden = torch.cat([question + self.sides[0], passage + self.sides[1 + shared]], 1)
        seen = torch.cat([in_question, in_passage], 1)[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        scores: torch.Tensor = self.out(hidden[:, width:])
        return scores


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    trunk_depth: int = 2
    epochs: float = 3
    rate: float = 2e-4
    tokens: int = 16384
    """Pieces in a batch, question and passage, padding included."""
    seed: int = 0
    seconds: float | None = None
    """Where given, training ends after this long, the rate falling with the clock."""


class Corpus:
    """Pairs with their texts encoded by the trunk, on the device."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int, asked: Asked, device: str) -> None:
        self.asked = asked
        self.pieces = Ragged.of(asked.texts, device)
        self.hidden = encode(Trunk(weights, trunk_depth).to(device), self.pieces)
        self.question = np.array(asked.questions)
        self.passage = np.array(asked.passages)
        self.lengths = self.pieces.lengths[self.question] + self.pieces.lengths[self.passage]

    def inputs(self, batch: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Give what the network takes, and which passage pieces may be in an answer."""
        question, in_question = self.hidden.padded(self.question[batch])
        passage, in_passage = self.hidden.padded(self.passage[batch])
        asked_pieces, _ = self.pieces.padded(self.question[batch])
        passage_pieces, _ = self.pieces.padded(self.passage[batch])
        shared = ((passage_pieces[:, :, None] == asked_pieces[:, None]) & in_question[:, None]).any(2).long()
        return question.float(), passage.float(), in_question, in_passage, shared

    def targets(self, batch: NDArray[np.int64], width: int) -> torch.Tensor:
        """Give (batch, 2, width) marks on where accepted answers begin and end; on the first piece for no answer."""
        marks = np.zeros((len(batch), 2, width), bool)
        for i, pair in enumerate(batch.tolist()):
            for first, last in self.asked.spans[pair] or ((0, 0),):
                marks[i, 0, first] = marks[i, 1, last] = True
        return torch.from_numpy(marks).to(self.pieces.flat.device, non_blocking=True)


def masked_scores(scores: torch.Tensor, in_passage: torch.Tensor) -> torch.Tensor:
    """Give (batch, 2, passage) scores; the closing mark and the padding are as good as impossible."""
    inside = torch.cat([in_passage[:, 1:], torch.zeros_like(in_passage[:, :1])], 1)
    return scores.float().transpose(1, 2).masked_fill(~inside[:, None], -1e4)


def train(weights: Mapping[str, torch.Tensor], asked: Asked, plan: Plan, device: str) -> ReaderNetwork:
    """Train with AdamW, warm-up and linear decay; several accepted answers share the probability."""
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    corpus = Corpus(weights, plan.trunk_depth, asked, device)
    network = ReaderNetwork(weights, plan.trunk_depth).to(device).train()
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.01, fused=device != "cpu")
    total = plan.epochs * len(list(batches_by_length(corpus.lengths, plan.tokens)))
    begun = monotonic()
    step, progress = 0, 0.0
    waiting: list[NDArray[np.int64]] = []
    while progress < 1:
        waiting = waiting or list(batches_by_length(corpus.lengths, plan.tokens, rng))
        batch = waiting.pop()
        optimiser.param_groups[0]["lr"] = plan.rate * min(1, (progress + 1e-3) / _WARM_UP) * (1 - progress)
        with torch.autocast(device, torch.bfloat16):
            inputs = corpus.inputs(batch)
            scores = network(*inputs)
        logs = masked_scores(scores, inputs[3]).log_softmax(2)
        wanted = corpus.targets(batch, inputs[1].shape[1])
        loss = -logs.masked_fill(~wanted, -1e4).logsumexp(2).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        step += 1
        elapsed = (monotonic() - begun) / plan.seconds if plan.seconds else 0.0
        progress = max(step / total, elapsed)
    network.steps_taken = step
    return network.eval()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network says of one window."""

    none: float
    """Score of no answer."""
    best: float
    first: int
    last: int


@torch.no_grad()
def read(network: ReaderNetwork, corpus: Corpus) -> list[Reading]:
    """Find the best span of every pair."""
    device = corpus.pieces.flat.device.type
    found: list[Reading] = [Reading(0, 0, 0, 0)] * len(corpus.lengths)
    for batch in batches_by_length(corpus.lengths, 1 << 15):
        with torch.autocast(device, torch.bfloat16):
            inputs = corpus.inputs(batch)
            scores = network(*inputs)
        starts, ends = masked_scores(scores, inputs[3]).cpu().numpy().transpose(1, 0, 2)
        for i, pair in enumerate(batch.tolist()):
            first, last = best_span(starts[i, 1:], ends[i, 1:])
            best = float(starts[i, 1 + first] + ends[i, 1 + last])
            found[pair] = Reading(float(starts[i, 0] + ends[i, 0]), best, 1 + first, 1 + last)
    return found


def best_span(starts: NDArray[np.float32], ends: NDArray[np.float32]) -> Span:
    """Find the highest sum of a start and an end at most `LONGEST_ANSWER` pieces apart."""
    sums = starts[:, None] + ends[None]
    allowed = np.triu(np.ones_like(sums, bool)) & ~np.triu(np.ones_like(sums, bool), LONGEST_ANSWER)
    place = int(np.where(allowed, sums, -np.inf).argmax())
    return place // len(ends), place % len(ends)
