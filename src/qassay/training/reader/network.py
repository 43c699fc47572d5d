"""Training the span reader: question and passage are encoded apart by the frozen trunk and read together above it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.errors import SpecError
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.process_group import Crew
from qassay.training.ragged import Encoded, Ragged, batches_by_length, use_plain_attention

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.training.reader.inputs import Asked

_WARM_UP = 0.06
_IMPOSSIBLE = -1e4
_REPORTED = 25
"""Steps between reports."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    trunk_depth: int = 2
    epochs: float = 1.0
    rate: float = 3e-4
    tokens: int = 6144
    """Pieces in a batch over all processes, question and passage, padding included."""
    dropout: float = 0.0
    """One epoch sees nothing twice."""
    short: float = 0.75
    """How many questions are asked on short windows, which cost less."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The share of each source's rows that is drawn, where it is not all of them."""
    seed: int = 0
    seconds: float | None = None
    """Where given, training ends after this long, the rate falling with the clock."""


def parse_shares(texts: Sequence[str]) -> dict[str, float]:
    """Read shares of sources, given as `SOURCE=SHARE`."""
    shares = {}
    for text in texts:
        source, _, share = text.partition("=")
        try:
            shares[source] = float(share)
        except ValueError:
            shares[source] = -1.0
        if not source or not 0 <= shares[source] <= 1:
            raise SpecError(f'"{text}" is not a source with a share from 0 to 1, as in qamr=0.5')
    return shares


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

    def forward(
        self,
        question: torch.Tensor,
        passage: torch.Tensor,
        in_question: torch.Tensor,
        in_passage: torch.Tensor,
        shared: torch.Tensor,
    ) -> torch.Tensor:
        """Return (batch, passage, 2) scores, the first for no answer."""
        width = question.shape[1]
        hidden = torch.cat([question + self.sides[0], passage + self.sides[1 + shared]], 1)
        seen = torch.cat([in_question, in_passage], 1)[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        scores: torch.Tensor = self.out(hidden[:, width:])
        return scores


class Corpus:
    """Pairs with their texts encoded by the trunk, on the device."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int, asked: Asked, device: str) -> None:
        self.asked = asked
        self.pieces = Ragged.of(asked.texts, device)
        self.question = np.array(asked.questions)
        self.passage = np.array(asked.passages)
        self.lengths = self.pieces.lengths[self.question] + self.pieces.lengths[self.passage]
        self.hidden = Encoded(Trunk(weights, trunk_depth).to(device), self.pieces)
        self.opinions = _stored(asked.opinions, device) if asked.opinions else None
        self.trust = torch.tensor(asked.trust, device=device)

    def inputs(self, batch: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Return what the network takes."""
        question, in_question = self.hidden.padded(self.question[batch])
        passage, in_passage = self.hidden.padded(self.passage[batch])
        asked_pieces, _ = self.pieces.padded(self.question[batch])
        passage_pieces, _ = self.pieces.padded(self.passage[batch])
        # The marks around the texts are the same in both and say nothing.
        named = _between_marks(in_question)[:, None]
        shared = ((passage_pieces[:, :, None] == asked_pieces[:, None]) & named).any(2) & _between_marks(in_passage)
        return question.float(), passage.float(), in_question, in_passage, shared.long()

    def targets(self, batch: NDArray[np.int64], width: int) -> torch.Tensor:
        """Return (batch, 2, width) marks on where accepted answers begin and end; on the first piece for no answer."""
        marks = np.zeros((len(batch), 2, width), bool)
        for i, pair in enumerate(batch.tolist()):
            for first, last in self.asked.spans[pair] or ((0, 0),):
                marks[i, 0, first] = marks[i, 1, last] = True
        return torch.from_numpy(marks).to(self.pieces.flat.device, non_blocking=True)

    def loss(self, batch: NDArray[np.int64], logs: torch.Tensor) -> torch.Tensor:
        """Hold (batch, 2, width) log-probabilities of starts and ends against marked answers and opinions.

        Several accepted answers share the probability.
        """
        wanted = self.targets(batch, logs.shape[2])
        marked = -logs.masked_fill(~wanted, _IMPOSSIBLE).logsumexp(2).mean(1)
        if self.opinions is None:
            return marked.mean()
        likely, present = self.opinions.padded(batch)
        likely = (likely.float() * present[..., None]).transpose(1, 2)
        # Both are filled up to a multiple of the same number; an opinion says nothing about the closing mark.
        likely = functional.pad(likely, (0, logs.shape[2] - likely.shape[2]))
        thought = -(likely * logs).sum(2).mean(1)
        trust = self.trust[torch.from_numpy(batch).to(self.trust.device)]
        return ((1 - trust) * marked + trust * thought).mean()


def _stored(opinions: Sequence[NDArray[np.float16]], device: str) -> Ragged:
    flat = torch.from_numpy(np.concatenate(opinions)).to(device)
    return Ragged(flat, np.array([len(opinion) for opinion in opinions], np.int64))


def _between_marks(present: torch.Tensor) -> torch.Tensor:
    """Leave out the first and the last piece of each row."""
    follows = torch.cat([present[:, 1:], torch.zeros_like(present[:, :1])], 1)
    precedes = torch.cat([torch.zeros_like(present[:, :1]), present[:, :-1]], 1)
    return follows & precedes


def masked_scores(scores: torch.Tensor, in_passage: torch.Tensor) -> torch.Tensor:
    """Return (batch, 2, passage) scores; the closing mark and the padding are as good as impossible."""
    inside = torch.cat([in_passage[:, 1:], torch.zeros_like(in_passage[:, :1])], 1)
    return scores.float().transpose(1, 2).masked_fill(~inside[:, None], _IMPOSSIBLE)


def train(
    network: ReaderNetwork,
    weights: Mapping[str, torch.Tensor],
    asked: Asked,
    plan: Plan,
    device: str,
    *,
    crew: Crew | None = None,
    report: Callable[[float, float], None] = lambda _progress, _loss: None,
) -> None:
    """Train with AdamW, warm-up and linear decay.

    `asked` is this process's share of the questions. `report` hears of progress from 0 to 1 and of the mean loss since
    the last time.
    """
    crew = crew or Crew()
    rng = np.random.default_rng([plan.seed, crew.rank])
    corpus = Corpus(weights, plan.trunk_depth, asked, device)
    use_plain_attention()
    # On a CPU plain products take half the time of the fused attention's backward pass.
    torch.backends.cuda.enable_flash_sdp(enabled=device != "cpu")
    network.to(device).train()
    for layer in network.layers:
        layer.dropout = plan.dropout  # type: ignore[assignment]
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.01, fused=True)
    tokens = plan.tokens // crew.size
    total = max(1, round(plan.epochs * len(list(batches_by_length(corpus.lengths, tokens)))))
    begun = monotonic()
    step, progress, losses = 0, 0.0, 0.0
    waiting: list[NDArray[np.int64]] = []
    while progress < 1:
        waiting = waiting or list(batches_by_length(corpus.lengths, tokens, rng))
        batch = waiting.pop()
        optimiser.param_groups[0]["lr"] = plan.rate * min(1, (progress + 1e-3) / _WARM_UP) * (1 - progress)
        with torch.autocast(device, torch.bfloat16):
            inputs = corpus.inputs(batch)
            scores = network(*inputs)
        loss = corpus.loss(batch, masked_scores(scores, inputs[3]).log_softmax(2))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        elapsed = (monotonic() - begun) / plan.seconds if plan.seconds else 0.0
        step += 1
        # All processes must end at the same step, so that the clock is theirs together.
        progress = crew.average(network.parameters(), max(step / total, elapsed))
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses += float(loss.detach())
        if step % _REPORTED == 0:
            report(progress, losses / _REPORTED)
            losses = 0.0
    network.eval()
