"""What keyphrase networks are trained to do: find marked pieces, agree with teachers, and tell right answers apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.training.keyphrase.network import AnswerNetwork, CrossNetwork, JoinedNetwork, PairBatch
from qassay.training.ragged import RaggedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.models.hf.keyphrase import Outputs
    from qassay.training.keyphrase.inputs import Examples, JudgedExamples
    from qassay.training.keyphrase.presets import KeyphrasePlan

    Rows = NDArray[np.int64]

Network = JoinedNetwork | AnswerNetwork | CrossNetwork
_TINY = 1e-5


class Loaded:
    """Examples on the device that trains."""

    def __init__(self, examples: Examples, device: str) -> None:
        self.examples = examples
        self.device = device
        self._question = ragged(examples.questions, device)
        self._answer = ragged(examples.answers, device)
        self._marked = ragged(examples.marked, device)
        self._taught = ragged(examples.taught, device) if examples.taught else None

    def batch(self, rows: Rows, unasked: torch.Tensor) -> PairBatch:
        """Return some examples side by side."""
        return PairBatch(*self._question.padded(rows), *self._answer.padded(rows), unasked)

    def marked(self, rows: Rows) -> torch.Tensor:
        """Return the shares of the marked pieces."""
        return _filled(self._marked, rows)

    def taught(self, rows: Rows) -> torch.Tensor | None:
        """Return the teachers' weights, if there are teachers."""
        return _filled(self._taught, rows) if self._taught else None


def _filled(shares: RaggedRows, rows: Rows) -> torch.Tensor:
    values, there = shares.padded(rows)
    return values * there


def ragged(rows: Sequence[NDArray[np.float32]] | Sequence[NDArray[np.int64]], device: str) -> RaggedRows:
    """Store rows of numbers on a device."""
    lengths = np.array([len(row) for row in rows], np.int64)
    flat = np.concatenate(rows) if rows else np.zeros(0, np.float32)
    return RaggedRows(torch.from_numpy(flat).to(device), lengths)


class JudgedLoss(nn.Module):
    """Tells right from wrong answers by the overlap of candidate and reference under the network's weights.

    Both an exact and a soft overlap (an F-measure each) enter a logistic regression that is learnt along.
    """

    def __init__(self, judged: JudgedExamples, device: str) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([5.0, 5.0]))
        self.shift = nn.Parameter(torch.tensor(-4.0))
        self._items = Loaded(judged.examples, device)
        self._sides = (judged.candidate, judged.reference)
        self._overlaps = [[ragged(side, device) for side in sides] for sides in (judged.exact, judged.soft)]
        self._label = torch.from_numpy(judged.label).to(device)
        lengths = judged.examples.lengths
        self.lengths = lengths[judged.candidate] + lengths[judged.reference]
        self.to(device)

    def forward(self, pairs: Rows, network: Network, plan: KeyphrasePlan) -> torch.Tensor:
        """Return the loss of some pairs."""
        device = self._label.device
        unasked = torch.rand(len(pairs), device=device) < plan.unasked
        rows = np.concatenate([side[pairs] for side in self._sides])
        batch = self._items.batch(rows, unasked.repeat(2))
        logits = run(network, batch)
        weights = (logits.softmax(1) if plan.outputs == "list" else logits.sigmoid()) * batch.answer_there
        shares = (weights / weights.sum(1, keepdim=True)).chunk(2)
        total = self.shift
        for scale, sides in zip(self.scale, self._overlaps, strict=True):
            precision, recall = (_overlap(share, held, pairs) for share, held in zip(shares, sides, strict=True))
            total = total + scale * 2 * precision * recall / (precision + recall + _TINY)
        chosen = torch.from_numpy(pairs).to(device)
        loss = plan.judged * functional.binary_cross_entropy_with_logits(total, self._label[chosen])
        taught = self._items.taught(rows)
        return loss if taught is None else loss + plan.taught / 2 * listwise_loss(logits, taught)


def _overlap(share: torch.Tensor, held: RaggedRows, pairs: Rows) -> torch.Tensor:
    found = _filled(held, pairs)
    return (share[:, : found.shape[1]] * found).sum(1)


def run(network: Network, batch: PairBatch) -> torch.Tensor:
    """Return the logits of a batch, in mixed precision on a GPU."""
    device = batch.answer.device.type
    with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
        logits: torch.Tensor = network(batch)
    return logits


def listwise_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy between shares of an answer and the softmax over its pieces."""
    return -(logits.log_softmax(1) * target).sum(1).mean()


def marked_loss(logits: torch.Tensor, target: torch.Tensor, there: torch.Tensor, outputs: Outputs) -> torch.Tensor:
    """Return each answer's loss on its marked pieces: list-wise, or the mean of its pieces' own decisions."""
    if outputs == "list":
        return -(logits.log_softmax(1) * target).sum(1)
    each = functional.binary_cross_entropy_with_logits(logits, (target > 0).float(), reduction="none")
    return (each * there).sum(1) / there.sum(1)
