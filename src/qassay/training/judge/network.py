"""The judge's network: the texts of a pair read together, in the frozen trunk and in tuned layers above it.

The sequence is `[CLS] reference [SEP] question [SEP] candidate [SEP] context [SEP]`, the question and the context only
where there is one. At the entrance of the tuned layers every piece is marked with its text's role and with the other
texts that hold its word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from qassay.models.onnx.judge_segments import COMPARED, MARKS, ROLES, word_keys
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from qassay.training.judge.inputs import JudgeInputs

_MULTIPLE = 8


class JudgeNetwork(nn.Module):
    """Trunk, marks, tuned layers; the state at [CLS] gives the logit of the candidate being right."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(weights, trunk_depth)
        self.marks = nn.Embedding(MARKS, WIDTH)
        nn.init.zeros_(self.marks.weight)
        self.layers = upper_layers(weights, trunk_depth)
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, pieces: torch.Tensor, present: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """Return one logit a row for padded rows of pieces."""
        hidden = self.trunk(pieces, present) + self.marks(marks)
        seen = present[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        logits: torch.Tensor = self.out(torch.tanh(self.dense(hidden[:, 0])))
        return logits.squeeze(-1)

    def tuned(self) -> dict[str, torch.Tensor]:
        """Return the judge's own weights: all but the shared trunk's."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("trunk.")}

    def restore(self, tuned: Mapping[str, torch.Tensor]) -> None:
        """Take the judge's own weights over."""
        shared = {name: value for name, value in self.state_dict().items() if name.startswith("trunk.")}
        self.load_state_dict({**shared, **tuned})


@dataclass(slots=True)
class Pairs:
    """The texts of each pair on the device, ready to be put side by side."""

    pieces: Ragged
    keys: Ragged
    """The word that each piece belongs to."""
    texts: dict[str, torch.Tensor]
    """For each role the number of its text, -1 for none."""
    matching: bool = True
    """Whether pieces are marked with the texts that hold their words."""

    @classmethod
    def of(cls, inputs: JudgeInputs, device: str, *, matching: bool = True) -> Pairs:
        """Put prepared rows on the device."""
        pieces = torch.from_numpy(inputs.pieces.astype("int64")).to(device)
        keys = torch.from_numpy(word_keys(inputs.pieces, inputs.kinds)).to(device)
        texts = {role: torch.from_numpy(getattr(inputs, role)).to(device) for role in ROLES}
        return cls(Ragged(pieces, inputs.lengths), Ragged(keys, inputs.lengths), texts, matching)

    def lengths(self, *, context: bool) -> NDArray[np.int64]:
        """Count the pieces of each pair."""
        numbers = [texts.cpu().numpy() for role, texts in self.texts.items() if context or role != "context"]
        total: NDArray[np.int64] = sum(self.pieces.lengths[number] * (number >= 0) for number in numbers)
        return total

    def side_by_side(
        self, chosen: torch.Tensor, *, context: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return pieces, which places are taken, and marks of some pairs; `context` says which of them show theirs."""
        numbers = {role: texts[chosen] for role, texts in self.texts.items()}
        if context is None:
            del numbers["context"]
        else:
            numbers["context"] = numbers["context"].where(context, -1)
        keys = {role: self._text(self.keys, texts) for role, texts in numbers.items()}
        columns = []
        for role, texts in numbers.items():
            key, there = keys[role]
            mark = torch.full_like(key, 4 * ROLES.index(role))
            for bit, other in enumerate(COMPARED[role] if self.matching else ()):
                found = (key[:, :, None] == keys[other][0][:, None]) & keys[other][1][:, None]
                mark += (found.any(-1) & (key != 0)) << bit
            if role != ROLES[0]:
                # Only the first text keeps its [CLS].
                there = there & (torch.arange(there.shape[1], device=there.device) > 0)
            columns.append((self._text(self.pieces, texts)[0], there, mark))
        pieces, present, marks = (torch.cat(column, 1) for column in zip(*columns, strict=True))
        longest = -(-int(present.sum(1).max()) // _MULTIPLE) * _MULTIPLE
        order = torch.argsort((~present).to(torch.uint8), dim=1, stable=True)[:, :longest]
        return pieces.gather(1, order), present.gather(1, order), marks.gather(1, order)

    @staticmethod
    def _text(rows: Ragged, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, present = rows.padded(numbers.clamp(min=0))
        return values, present & (numbers >= 0)[:, None]
