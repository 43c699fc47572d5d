"""AVA's transformer models (Vu 2021, section 5.2): encoders over pairs of texts, combined, or with peer attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.models.ava.design import Design


class AvaNetwork(nn.Module):
    """One encoder a pair; with peer attention a second one, which also reads the other pair's first output.

    The classifier is linear on the encoders' first outputs, side by side.
    """

    def __init__(self, make_encoder: Callable[[], Any], design: Design) -> None:
        super().__init__()
        self.design = design
        encoders = [make_encoder() for _ in design.pairs]
        self.encoders = nn.ModuleList(encoders)
        self.decoders = nn.ModuleList(make_encoder() for _ in design.pairs if design.peer)
        width: int = encoders[0].config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(width * (len(self.encoders) + len(self.decoders)), 1)

    def forward(self, batches: Sequence[dict[str, torch.Tensor]]) -> torch.Tensor:
        """Return one logit a row; `batches` holds the tokeniser's output for each pair of the design."""
        first = [
            encoder(**batch).last_hidden_state[:, 0] for encoder, batch in zip(self.encoders, batches, strict=True)
        ]
        outputs = list(first)
        for number, decoder in enumerate(self.decoders):
            outputs.append(self._second_pass(decoder, batches[number], first[1 - number]))
        logits: torch.Tensor = self.out(self.dropout(torch.cat(outputs, dim=-1)))
        return logits.squeeze(-1)

    @staticmethod
    def _second_pass(decoder: Any, batch: dict[str, torch.Tensor], other: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
        """Encode a pair again with the other pair's output as one more input at its end (section 5.2, A2)."""
        words = decoder.get_input_embeddings()(batch["input_ids"])
        inputs = {"inputs_embeds": torch.cat([words, other[:, None].to(words.dtype)], dim=1)}
        for name in ("attention_mask", "token_type_ids"):
            if name in batch:
                last = torch.ones_like(batch[name][:, :1])
                inputs[name] = torch.cat([batch[name], last], dim=1)
        output: torch.Tensor = decoder(**inputs).last_hidden_state[:, 0]
        return output
