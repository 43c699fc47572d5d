"""Making trained layers cheaper: the attention heads and neurons that the loss depends on least are dropped.

How much it depends on one is the size of the loss's change, to first order, were its output taken away (Molchanov et
al. 2017; for heads Michel et al. 2019). That change is the sum of weight times gradient over the weights that read the
output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from qassay.training.encoder_layers import HEAD_WIDTH, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def narrowed(layers: Sequence[Layer], losses: Iterable[torch.Tensor], heads: int, neurons: int) -> list[Layer]:
    """Return layers that keep the heads and neurons which matter most for the losses of some batches."""
    of_heads = [torch.zeros(layer.heads, device=layer.narrow.weight.device) for layer in layers]
    of_neurons = [torch.zeros(layer.narrow.in_features, device=layer.narrow.weight.device) for layer in layers]
    for loss in losses:
        for layer in layers:
            layer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        for place, layer in enumerate(layers):
            of_heads[place] += _changes(layer.attention_out.weight).view(-1, HEAD_WIDTH).sum(1).abs()
            of_neurons[place] += _changes(layer.narrow.weight).abs()
    return [
        _kept(layer, _highest(head, heads), _highest(neuron, neurons))
        for layer, head, neuron in zip(layers, of_heads, of_neurons, strict=True)
    ]


def _changes(weight: torch.Tensor) -> torch.Tensor:
    """Return the change of the loss for each input that a matrix reads."""
    if weight.grad is None:
        return torch.zeros(weight.shape[1], device=weight.device)
    return (weight.detach() * weight.grad).sum(0)


def _highest(values: torch.Tensor, count: int) -> torch.Tensor:
    return values.topk(min(count, len(values))).indices.sort().values


@torch.no_grad()
def _kept(layer: Layer, heads: torch.Tensor, neurons: torch.Tensor) -> Layer:
    within = (heads[:, None] * HEAD_WIDTH + torch.arange(HEAD_WIDTH, device=heads.device)).flatten()
    width = layer.heads * HEAD_WIDTH
    rows = torch.cat([within + part * width for part in range(3)])
    found = Layer(layer.dropout, len(heads), len(neurons)).to(heads.device)
    state = layer.state_dict()
    for kind in ("weight", "bias"):
        state[f"attention_in.{kind}"] = state[f"attention_in.{kind}"][rows]
        state[f"widen.{kind}"] = state[f"widen.{kind}"][neurons]
    state["attention_out.weight"] = state["attention_out.weight"][:, within]
    state["narrow.weight"] = state["narrow.weight"][:, neurons]
    found.load_state_dict(state)
    return found
