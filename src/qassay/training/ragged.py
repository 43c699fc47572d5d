"""Rows of unlike length, stored flat, on the device that trains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from qassay.training.encoder_layers import Trunk

_ENCODED_AT_ONCE = {"cpu": 1 << 13, "cuda": 1 << 16}
_MULTIPLE = 16


def use_plain_attention() -> None:
    """Keep cuDNN's attention out: it plans anew for every shape of batch, which costs more than the step itself."""
    torch.backends.cuda.enable_cudnn_sdp(enabled=False)


class RaggedRows:
    """Rows of numbers or vectors, one after the other in one tensor."""

    def __init__(self, flat: torch.Tensor, lengths: NDArray[np.int64]) -> None:
        self.flat = flat
        self.lengths = lengths
        self.starts = np.cumsum(lengths) - lengths

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], device: str) -> RaggedRows:
        """Store rows of integers."""
        lengths = np.array([len(row) for row in rows], np.int64)
        flat = np.fromiter((number for row in rows for number in row), np.int64, int(lengths.sum()))
        return cls(torch.from_numpy(flat).to(device), lengths)

    def padded(self, rows: NDArray[np.int64] | torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return some rows side by side, filled up at the end to a multiple of 16, and which places are theirs.

        The shapes are worked out away from the device; with rows given as an array nothing waits for it.
        """
        rows = rows.cpu().numpy() if isinstance(rows, torch.Tensor) else rows
        lengths = self.lengths[rows]
        width = -(-max(int(lengths.max()), 1) // _MULTIPLE) * _MULTIPLE
        places = np.arange(width)
        present = places < lengths[:, None]
        index = np.minimum(self.starts[rows][:, None] + places, len(self.flat) - 1)
        device = self.flat.device
        chosen = self.flat[torch.from_numpy(index).to(device, non_blocking=True)]
        return chosen, torch.from_numpy(present).to(device, non_blocking=True)


def batches_by_length(
    lengths: NDArray[np.int64], tokens: int, rng: np.random.Generator | None = None
) -> Iterator[NDArray[np.int64]]:
    """Cut rows into batches of at most `tokens` padded tokens, rows of like length together, in random order."""
    noise = rng.random(len(lengths)) * 8 if rng else np.zeros(len(lengths))
    order = np.argsort(lengths + noise, kind="stable")
    batches = []
    start, longest = 0, 0
    for place, length in enumerate(lengths[order].tolist()):
        if place > start and (place + 1 - start) * max(longest, length) > tokens:
            batches.append(order[start:place])
            start, longest = place, 0
        longest = max(longest, length)
    if len(order):
        batches.append(order[start:])
    if rng:
        rng.shuffle(batches)
    yield from batches


class Encoded(RaggedRows):
    """Rows of word pieces as a frozen trunk encodes them, each row once, when it is first asked for."""

    def __init__(self, trunk: Trunk, pieces: RaggedRows) -> None:
        device = pieces.flat.device
        # Half precision keeps it small. Padding shows places of other rows, which must hold numbers from the start.
        states = torch.zeros((len(pieces.flat), trunk.word_embeddings.shape[1]), dtype=torch.float16, device=device)
        super().__init__(states, pieces.lengths)
        self._trunk = trunk
        self._pieces = pieces
        self._done = np.zeros(len(pieces), bool)

    def padded(self, rows: NDArray[np.int64] | torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return some rows side by side, encoding those that are not yet."""
        rows = rows.cpu().numpy() if isinstance(rows, torch.Tensor) else rows
        self.fill(np.unique(rows[~self._done[rows]]))
        return super().padded(rows)

    @torch.no_grad()
    def fill(self, rows: NDArray[np.int64]) -> None:
        """Encode rows."""
        device = self.flat.device
        for batch in batches_by_length(self.lengths[rows], _ENCODED_AT_ONCE[device.type]):
            chosen = rows[batch]
            ids, present = self._pieces.padded(chosen)
            places = self.starts[chosen][:, None] + np.arange(ids.shape[1])
            taken = places[np.arange(ids.shape[1]) < self.lengths[chosen][:, None]]
            with torch.autocast(device.type, torch.bfloat16):
                states = self._trunk(ids, present).half()
            self.flat[torch.from_numpy(taken).to(device)] = states[present]
        self._done[rows] = True


def encode(trunk: Trunk, pieces: RaggedRows) -> RaggedRows:
    """Run every row through the frozen trunk once."""
    use_plain_attention()
    made = Encoded(trunk, pieces)
    made.fill(np.arange(len(pieces)))
    return made
