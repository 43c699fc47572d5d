"""AVA's transformer models (Vu 2021, section 5.2): encoders over pairs of texts, combined, or with peer attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from qassay.models.hf.judge_design import Design


class AvaNetwork(nn.Module):
    """One encoder per pair; with peer attention a second one, which also reads the other pair's first output.

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

    def forward(self, batches: Sequence[Mapping[str, torch.Tensor]]) -> torch.Tensor:
        """Return one logit per row; `batches` holds the tokeniser's output for each pair of the design."""
        first = [
            encoder(**batch).last_hidden_state[:, 0] for encoder, batch in zip(self.encoders, batches, strict=True)
        ]
        outputs = list(first)
        for number, decoder in enumerate(self.decoders):
            outputs.append(self._second_pass(decoder, batches[number], first[1 - number]))
        logits: torch.Tensor = self.out(self.dropout(torch.cat(outputs, dim=-1)))
        return logits.squeeze(-1)

    @staticmethod
    def _second_pass(decoder: Any, batch: Mapping[str, torch.Tensor], other: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
        """Encode a pair again with the other pair's output as one more input at its end (section 5.2, A2).

        The end is behind each row's last token, not behind the padding, so that a row's output does not depend on the
        length of the other rows of its batch.
        """
        words = decoder.get_input_embeddings()(batch["input_ids"])
        rows, end = torch.arange(len(words), device=words.device), batch["attention_mask"].sum(1)
        embeddings = functional.pad(words, (0, 0, 0, 1))
        embeddings[rows, end] = other.to(words.dtype)
        inputs = {"inputs_embeds": embeddings}
        for name in ("attention_mask", "token_type_ids"):
            if name in batch:
                inputs[name] = functional.pad(batch[name], (0, 1))
                inputs[name][rows, end] = 1
        output: torch.Tensor = decoder(**inputs).last_hidden_state[:, 0]
        return output
