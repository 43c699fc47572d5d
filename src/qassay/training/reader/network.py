"""Training the span reader: question and passage are encoded apart by the frozen trunk and read together above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.errors import SpecError
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.fit import adamw, fit, scaled_rates
from qassay.training.process_group import ProcessGroup
from qassay.training.ragged import Encoded, RaggedRows, batches_by_length, use_plain_attention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.training.plan import Plan
    from qassay.training.reader.inputs import ReaderInputs

_IMPOSSIBLE = -1e4
_REPORTED = 25
"""Steps between reports."""


def parse_shares(texts: Sequence[str]) -> dict[str, float]:
    """Return shares of sources, given as `SOURCE=SHARE`."""
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
    """Tuned layers over the joined encodings, and two scores per piece: an answer begins here, an answer ends here.

    The scores of the passage's [CLS] stand for no answer.
    """

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int, depth: int | None = None) -> None:
        super().__init__()
        self.layers = upper_layers(weights, trunk_depth, depth)
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


class QuestionCorpus:
    """Pairs with their texts encoded by the trunk, on the device."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int, asked: ReaderInputs, device: str) -> None:
        self.asked = asked
        self.pieces = RaggedRows.of(asked.texts, device)
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
        """Return the loss of (batch, 2, width) log-probabilities of starts and ends: marked answers, and opinions.

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


def _stored(opinions: Sequence[NDArray[np.float16]], device: str) -> RaggedRows:
    flat = torch.from_numpy(np.concatenate(opinions)).to(device)
    return RaggedRows(flat, np.array([len(opinion) for opinion in opinions], np.int64))


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
    inputs: ReaderInputs,
    plan: Plan,
    device: str,
    *,
    group: ProcessGroup | None = None,
    report: Callable[[float, float], None] = lambda _progress, _loss: None,
) -> None:
    """Train on this process's share of the questions.

    `report` is called with the progress from 0 to 1 and the mean loss since the last time.
    """
    group = group or ProcessGroup()
    rng = np.random.default_rng([plan.seed, group.rank])
    corpus = QuestionCorpus(weights, plan.trunk_depth, inputs, device)
    use_plain_attention()
    # On a CPU plain products take half the time of the fused attention's backward pass.
    torch.backends.cuda.enable_flash_sdp(enabled=device != "cpu")
    network.to(device)
    for layer in network.layers:
        layer.dropout = plan.dropout  # type: ignore[assignment]
    optimiser = adamw(network, plan, fused=True)
    optimiser.param_groups[0]["rate"] = plan.rate
    tokens = plan.batch // group.size
    losses: list[torch.Tensor] = []

    def epochs() -> Iterator[list[NDArray[np.int64]]]:
        while True:
            yield list(batches_by_length(corpus.lengths, tokens, rng))[::-1]

    def loss(batch: NDArray[np.int64]) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16):
            given = corpus.inputs(batch)
            scores = network(*given)
        return corpus.loss(batch, masked_scores(scores, given[3]).log_softmax(2))

    def after_step(step: int, progress: float, value: torch.Tensor) -> None:
        losses.append(value.detach())
        if step % _REPORTED == 0:
            report(progress, float(torch.stack(losses).mean()))
            losses.clear()

    fit(
        network,
        loss,
        epochs(),
        optimiser,
        scaled_rates(optimiser, lambda _, progress: min(1, (progress + 1e-3) / plan.warm_up) * (1 - progress)),
        total=max(1, round(plan.epochs * len(list(batches_by_length(corpus.lengths, tokens))))),
        seconds=plan.seconds,
        group=group,
        after_step=after_step,
    )
    network.eval()
