"""The encoder that every head of the embedded model is trained on: a frozen trunk and tuned layers above it.

The weights are MiniLM's (a BERT with 6 layers of width 384). The trunk, embeddings and lowest layers, stays as it is,
since all heads share it; each head has its own copy of the upper layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH = 384
HEADS = 12
HEAD_WIDTH = WIDTH // HEADS
NEURONS = 4 * WIDTH
DEPTH = 6
_EPSILON = 1e-12


class Layer(nn.Module):
    """One transformer layer, as in BERT: attention, then a feed-forward part, each added and normalised."""

    def __init__(self, dropout: float = 0.1, heads: int = HEADS, neurons: int = NEURONS) -> None:
        super().__init__()
        self.dropout = dropout
        self.heads = heads
        self.attention_in = nn.Linear(WIDTH, 3 * heads * HEAD_WIDTH)
        self.attention_out = nn.Linear(heads * HEAD_WIDTH, WIDTH)
        self.attention_norm = nn.LayerNorm(WIDTH, _EPSILON)
        self.widen = nn.Linear(WIDTH, neurons)
        self.narrow = nn.Linear(neurons, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, _EPSILON)

    def forward(self, hidden: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Return the next hidden states; `seen` is the attention mask, broadcast to (batch, heads, to, from)."""
        batch, length, _ = hidden.shape
        packed = self.attention_in(hidden).view(batch, length, 3, self.heads, HEAD_WIDTH)
        query, key, value = packed.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        mixed = self.attention_out(mixed.transpose(1, 2).reshape(batch, length, self.heads * HEAD_WIDTH))
        hidden = self.attention_norm(hidden + functional.dropout(mixed, self.dropout, self.training))
        wide = self.narrow(functional.gelu(self.widen(hidden)))
        changed: torch.Tensor = self.norm(hidden + functional.dropout(wide, self.dropout, self.training))
        return changed

    @classmethod
    def loaded(cls, weights: Mapping[str, torch.Tensor], number: int) -> Layer:
        """Take one layer out of a BERT's weights."""
        layer = cls()
        prefix = f"encoder.layer.{number}."
        attention = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        sources = {
            "attention_out": "attention.output.dense",
            "attention_norm": "attention.output.LayerNorm",
            "widen": "intermediate.dense",
            "narrow": "output.dense",
            "norm": "output.LayerNorm",
        }
        state = {}
        for kind in ("weight", "bias"):
            state[f"attention_in.{kind}"] = torch.cat([weights[f"{name}.{kind}"].float() for name in attention])
            for ours, theirs in sources.items():
                state[f"{ours}.{kind}"] = weights[f"{prefix}{theirs}.{kind}"].float()
        layer.load_state_dict(state)
        return layer


class Trunk(nn.Module):
    """Embeddings and the lowest layers, frozen."""

    word_embeddings: torch.Tensor
    position_embeddings: torch.Tensor
    token_type_embeddings: torch.Tensor
    norm_weight: torch.Tensor
    norm_bias: torch.Tensor

    def __init__(self, weights: Mapping[str, torch.Tensor], depth: int) -> None:
        super().__init__()
        for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
            self.register_buffer(name, weights[f"embeddings.{name}.weight"].float())
        for name in ("weight", "bias"):
            self.register_buffer(f"norm_{name}", weights[f"embeddings.LayerNorm.{name}"].float())
        self.layers = nn.ModuleList(Layer.loaded(weights, number) for number in range(depth))
        self.train().requires_grad_(requires_grad=False)

    def train(self, mode: bool = True) -> Trunk:  # noqa: ARG002 - the signature of torch's method
        """Stay as in use: the trunk's output is the same whether or not layers above it are trained."""
        super().train(mode=False)
        return self

    @torch.no_grad()
    def forward(self, pieces: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        """Encode padded rows of word pieces, each a text by itself."""
        positions = self.position_embeddings[: pieces.shape[1]]
        hidden = self.word_embeddings[pieces] + positions + self.token_type_embeddings[0]
        hidden = functional.layer_norm(hidden, (WIDTH,), self.norm_weight, self.norm_bias, _EPSILON)
        seen = present[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        return hidden


def upper_layers(weights: Mapping[str, torch.Tensor], trunk_depth: int, depth: int | None = None) -> nn.ModuleList:
    """Copy the layers above the trunk, to be tuned: the lowest `depth` of them, or all."""
    end = DEPTH if depth is None else trunk_depth + depth
    return nn.ModuleList(Layer.loaded(weights, number) for number in range(trunk_depth, end))
