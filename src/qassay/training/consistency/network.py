"""Training the consistency head: the frozen trunk encodes claim and document apart, layers above read them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.training.encoder_layers import WIDTH, Layer, Trunk, upper_layers
from qassay.training.fit import adamw, fit, scaled_rates
from qassay.training.ragged import Encoded, RaggedRows, batches_by_length, use_plain_attention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.training.answer_text import Span
    from qassay.training.consistency.inputs import ConsistencyInputs
    from qassay.training.export.graph import LayerWeights
    from qassay.training.plan import Plan

_IMPOSSIBLE = -1e4
_REPORTED = 25
"""Steps between reports."""
_SPANS = 0.1
"""What finding a span counts beside the verdict."""
_AT_ONCE = 1 << 14


class ConsistencyNetwork(nn.Module):
    """Tuned layers over the joined encodings; a verdict, and for each piece two scores: a span begins or ends here.

    The verdict is read from the claim's [CLS]. The scores of a text's [CLS] stand for no span.
    """

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int) -> None:
        super().__init__()
        self.layers = upper_layers(weights, trunk_depth)
        self.sides = nn.Parameter(torch.zeros(4, WIDTH))
        """What is added to the claim and to claim pieces that the document holds too, and the same for the document."""
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)
        self.wrong = nn.Linear(WIDTH, 2)
        self.support = nn.Linear(WIDTH, 2)

    def start_from(self, layers: Sequence[LayerWeights], sides: NDArray[np.float32]) -> None:
        """Take over the layers of a reader, which has learnt to read two texts together, and what it adds to them."""
        names = ("attention_in", "attention_out", "attention_norm", "widen", "narrow", "norm")
        for layer, given in zip(self.layers, layers, strict=True):
            state = {
                f"{name}.{kind}": torch.from_numpy(np.ascontiguousarray(array, np.float32))
                for name in names
                for kind, array in zip(("weight", "bias"), getattr(given, name), strict=True)
            }
            layer.load_state_dict(state)
        with torch.no_grad():
            self.sides.copy_(torch.from_numpy(sides[[0, 0, 1, 2]]))

    def forward(  # noqa: PLR0917 - two texts, each with two masks
        self,
        claim: torch.Tensor,
        document: torch.Tensor,
        in_claim: torch.Tensor,
        in_document: torch.Tensor,
        claim_shared: torch.Tensor,
        document_shared: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the verdicts' logits, and (batch, pieces, 2) scores for the claim and for the document."""
        width = claim.shape[1]
        hidden = torch.cat([claim + self.sides[claim_shared], document + self.sides[2 + document_shared]], 1)
        seen = torch.cat([in_claim, in_document], 1)[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        verdict = self.out(torch.tanh(self.dense(hidden[:, 0])))[:, 0]
        return verdict, self.wrong(hidden[:, :width]), self.support(hidden[:, width:])


class ClaimCorpus:
    """Claims and documents encoded by the trunk, on the device."""

    def __init__(
        self, weights: Mapping[str, torch.Tensor], trunk_depth: int, inputs: ConsistencyInputs, device: str
    ) -> None:
        self.pieces = RaggedRows.of(inputs.texts, device)
        self.hidden = Encoded(Trunk(weights, trunk_depth).to(device), self.pieces)
        self.claim = np.array(inputs.claims, np.int64)
        self.document = np.array(inputs.documents, np.int64)
        self.lengths = self.pieces.lengths[self.claim] + self.pieces.lengths[self.document]
        self.consistent = torch.tensor(inputs.consistent, dtype=torch.float32, device=device)
        self.spans = {"wrong": inputs.wrong, "support": inputs.support}

    def inputs(self, batch: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Return what the network takes."""
        claim, in_claim = self.hidden.padded(self.claim[batch])
        document, in_document = self.hidden.padded(self.document[batch])
        said, _ = self.pieces.padded(self.claim[batch])
        told, _ = self.pieces.padded(self.document[batch])
        # The marks around the texts are the same in both and say nothing.
        inner = _between_marks(in_claim)[:, :, None] & _between_marks(in_document)[:, None]
        same = (said[:, :, None] == told[:, None]) & inner
        return claim.float(), document.float(), in_claim, in_document, same.any(2).long(), same.any(1).long()

    def loss(
        self,
        batch: NDArray[np.int64],
        scores: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
        given: tuple[torch.Tensor, ...],
    ) -> torch.Tensor:
        """Return the loss of the verdicts and of the spans."""
        verdict, wrong, support = scores
        wanted = self.consistent[torch.from_numpy(batch).to(self.consistent.device)]
        loss = functional.binary_cross_entropy_with_logits(verdict.float(), wanted)
        loss = loss + _SPANS * span_loss(wrong, given[2], [self.spans["wrong"][i] for i in batch.tolist()])
        return loss + _SPANS * span_loss(support, given[3], [self.spans["support"][i] for i in batch.tolist()])


def span_loss(scores: torch.Tensor, present: torch.Tensor, spans: Sequence[Sequence[Span]]) -> torch.Tensor:
    """Return the loss of where spans begin and end, over the rows that know; several spans share the probability."""
    inside = torch.cat([present[:, 1:], torch.zeros_like(present[:, :1])], 1)
    logs = scores.float().transpose(1, 2).masked_fill(~inside[:, None], _IMPOSSIBLE).log_softmax(2)
    marks = np.zeros(tuple(logs.shape), bool)
    for row, found in enumerate(spans):
        for first, last in found:
            marks[row, 0, first] = marks[row, 1, last] = True
    known = torch.from_numpy(marks.any((1, 2))).to(scores.device)
    wanted = torch.from_numpy(marks).to(scores.device)
    each = -logs.masked_fill(~wanted, _IMPOSSIBLE).logsumexp(2).mean(1)
    return (each * known).sum() / known.sum().clamp(min=1)


def _between_marks(present: torch.Tensor) -> torch.Tensor:
    """Leave out the first and the last piece of each row."""
    follows = torch.cat([present[:, 1:], torch.zeros_like(present[:, :1])], 1)
    precedes = torch.cat([torch.zeros_like(present[:, :1]), present[:, :-1]], 1)
    return follows & precedes


def train(
    network: ConsistencyNetwork,
    weights: Mapping[str, torch.Tensor],
    inputs: ConsistencyInputs,
    plan: Plan,
    device: str,
    *,
    report: Callable[[float, float], None] = lambda _progress, _loss: None,
) -> None:
    """Train on claims; `report` is called with the progress from 0 to 1 and the mean loss since the last time."""
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    use_plain_attention()
    corpus = ClaimCorpus(weights, plan.trunk_depth, inputs, device)
    network.to(device)
    for layer in network.layers:
        if isinstance(layer, Layer):
            layer.dropout = plan.dropout
    optimiser = adamw(network, plan)
    optimiser.param_groups[0]["rate"] = plan.rate
    losses: list[torch.Tensor] = []

    def epochs() -> Iterator[list[NDArray[np.int64]]]:
        while True:
            yield list(batches_by_length(corpus.lengths, plan.batch, rng))

    def loss(batch: NDArray[np.int64]) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16):
            given = corpus.inputs(batch)
            scores = network(*given)
        return corpus.loss(batch, scores, given)

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
        total=max(1, round(plan.epochs * len(list(batches_by_length(corpus.lengths, plan.batch))))),
        seconds=plan.seconds,
        after_step=after_step,
    )
    network.eval()


@torch.no_grad()
def predict(
    network: ConsistencyNetwork,
    weights: Mapping[str, torch.Tensor],
    inputs: ConsistencyInputs,
    trunk_depth: int,
    device: str,
) -> NDArray[np.float64]:
    """Return the verdicts' logits."""
    corpus = ClaimCorpus(weights, trunk_depth, inputs, device)
    network.to(device).eval()
    found = np.zeros(len(corpus.claim))
    for batch in batches_by_length(corpus.lengths, _AT_ONCE):
        with torch.autocast(device, torch.bfloat16):
            verdict, _, _ = network(*corpus.inputs(batch))
        found[batch] = verdict.float().cpu().numpy()
    return found
