"""Training the chunker: one pass over a sentence gives parts of speech, chunks, entities and kinds of answer."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.models.syntax import BOUNDS
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.fit import fit_one_cycle
from qassay.training.ragged import RaggedRows, batches_by_length, encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.training.chunker.inputs import Sentences
    from qassay.training.plan import Plan

_LAYERS = ("parts", "chunks", "entities", "kinds")
_UNKNOWN = -100


class ChunkerNetwork(nn.Module):
    """Tuned layers over the trunk, and one linear head for all labels."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int) -> None:
        super().__init__()
        self.layers = upper_layers(weights, trunk_depth)
        self.out = nn.Linear(WIDTH, BOUNDS[-1])

    def forward(self, hidden: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        """Return the logits of every label for every piece."""
        seen = present[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        logits: torch.Tensor = self.out(hidden)
        return logits


def train(weights: Mapping[str, torch.Tensor], data: Sentences, plan: Plan, device: str) -> ChunkerNetwork:
    """Train on labelled sentences."""
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    hidden = encode(Trunk(weights, plan.trunk_depth).to(device), RaggedRows.of(data.pieces, device))
    labels = {name: RaggedRows.of(rows, device) for name, rows in data.labels.items()}
    network = ChunkerNetwork(weights, plan.trunk_depth).to(device)

    def loss(batch: NDArray[np.int64]) -> torch.Tensor:
        states, present = hidden.padded(batch)
        with torch.autocast(device, torch.bfloat16):
            logits = network(states.float(), present)
        return _loss(logits.float(), present, batch, labels, [data.answers[i] for i in batch.tolist()])

    epochs = [list(batches_by_length(hidden.lengths, plan.batch, rng)) for _ in range(int(plan.epochs))]
    fit_one_cycle(network, loss, epochs, plan)
    return network.eval()


def _loss(
    logits: torch.Tensor,
    present: torch.Tensor,
    rows: NDArray[np.int64],
    labels: Mapping[str, RaggedRows],
    answers: Sequence[Sequence[tuple[int, int, int]]],
) -> torch.Tensor:
    by_layer = dict(zip(_LAYERS, (logits[..., low:high] for low, high in pairwise(BOUNDS)), strict=True))
    total = logits.sum() * 0
    for name, ragged in labels.items():
        wanted, _ = ragged.padded(rows)
        wanted = wanted.masked_fill(~present, _UNKNOWN)
        if bool((wanted != _UNKNOWN).any()):
            total = total + functional.cross_entropy(by_layer[name].transpose(1, 2), wanted, ignore_index=_UNKNOWN)
    spans = [(i, first, last, kind) for i, row in enumerate(answers) for first, last, kind in row]
    if spans:
        index = torch.tensor(spans, device=logits.device)
        total = total + 0.5 * functional.cross_entropy(span_means(by_layer["kinds"], index[:, :3]), index[:, 3])
    return total


def span_means(values: torch.Tensor, spans: torch.Tensor) -> torch.Tensor:
    """Average over spans, given as rows (row, first, past the last)."""
    sums = functional.pad(values.cumsum(1), (0, 0, 1, 0))
    row, first, last = spans.unbind(1)
    return (sums[row, last] - sums[row, first]) / (last - first)[:, None]


@torch.no_grad()
def predict(
    network: ChunkerNetwork, weights: Mapping[str, torch.Tensor], plan: Plan, data: Sentences, device: str
) -> list[np.ndarray]:
    """Return the logits of every sentence."""
    hidden = encode(Trunk(weights, plan.trunk_depth).to(device), RaggedRows.of(data.pieces, device))
    found: list[np.ndarray] = [np.empty(0)] * len(hidden)
    for batch in batches_by_length(hidden.lengths, 1 << 13):
        states, present = hidden.padded(batch)
        with torch.autocast(device, torch.bfloat16):
            logits = network(states.float(), present).float().cpu().numpy()
        for i, row in enumerate(batch.tolist()):
            found[row] = logits[i, : hidden.lengths[row]]
    return found
