"""AVA's transformer models (Vu 2021, section 5.2): encoders over pairs of texts, combined, or with peer attention.

A text pair is written with the letters q (question), r (reference) and t (candidate): `r-qt` is the pair of the
reference and the question joined with the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from qassay.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Design:
    """Which pairs a model encodes, and whether they attend to each other."""

    pairs: tuple[str, ...]
    peer: bool = False


DESIGNS: dict[str, Design] = {
    "a0-qr": Design(("q-r",)),
    "a0-rt": Design(("r-t",)),
    "a0-qt": Design(("q-t",)),
    "a0": Design(("q-r", "r-t", "q-t")),
    "a1-q": Design(("q-rt",)),
    "a1-r": Design(("r-qt",)),
    "a1-t": Design(("t-qr",)),
    "a1-qt": Design(("q-rt", "t-qr")),
    "a1-rt": Design(("r-qt", "t-qr")),
    "a1-rq": Design(("r-qt", "q-rt")),
    "a1": Design(("r-qt", "q-rt", "t-qr")),
    "a2": Design(("r-qt", "t-qr"), peer=True),
}
"""The paper's settings (Table 3): A0 on each pair and all, A1 on each triple and every combination, A2 on the best."""


def design_named(name: str) -> Design:
    """Look a design up, or say which there are."""
    if name not in DESIGNS:
        raise SpecError(f'"{name}" is not one of AVA\'s designs; there are {", ".join(DESIGNS)}')
    return DESIGNS[name]


def texts_of(pair: str, question: str, reference: str, candidate: str) -> tuple[str, str]:
    """Give the two texts of a pair such as `r-qt`; joined texts are separated by a space."""
    named = {"q": question, "r": reference, "t": candidate}
    first, second = (" ".join(named[letter] for letter in letters) for letters in pair.split("-"))
    return first, second


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
        """Give one logit a row; `batches` holds the tokeniser's output for each pair of the design."""
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
