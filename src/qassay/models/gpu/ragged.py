"""Rows of many texts one behind the other, without padding, on a device."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.arrays import Ints


def to_device(array: NDArray[np.generic], device: torch.device) -> torch.Tensor:
    """Return an array on a device; to a GPU it goes through pinned memory, while the processor goes on."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor


class Layout:
    """How many rows each item has; what depends on it is made on the device when first needed."""

    def __init__(self, lengths: Ints, device: torch.device) -> None:
        self.lengths = lengths
        self.device = device
        self.rows = int(lengths.sum())
        self.longest = int(lengths.max(initial=0))
        self._parts: dict[tuple[int, int, Layout | None], tuple[Layout, torch.Tensor]] = {}
        self._joined: dict[int, tuple[Layout, torch.Tensor]] = {}

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def counts(self) -> torch.Tensor:
        """The number of rows of each item."""
        return to_device(self.lengths, self.device)

    @cached_property
    def starts(self) -> torch.Tensor:
        """The first row of each item."""
        return self.counts.cumsum(0) - self.counts

    @cached_property
    def item(self) -> torch.Tensor:
        """The item of each row."""
        numbers = torch.arange(len(self.lengths), device=self.device)
        return torch.repeat_interleave(numbers, self.counts, output_size=self.rows)

    @cached_property
    def place(self) -> torch.Tensor:
        """The place of each row in its item."""
        return torch.arange(self.rows, device=self.device) - self.starts[self.item]

    @cached_property
    def inside(self) -> torch.Tensor:
        """(items, longest): which places of a padded block hold rows."""
        return torch.arange(self.longest, device=self.device) < self.counts[:, None]

    @cached_property
    def padded_rows(self) -> torch.Tensor:
        """(items * longest): the row at each place of a padded block; behind an item's last row that one again."""
        places = torch.arange(self.longest, device=self.device)
        last = (self.counts - 1).clamp(min=0)[:, None]
        return (self.starts[:, None] + torch.minimum(places, last)).clamp(max=max(self.rows - 1, 0)).flatten()

    @cached_property
    def padded_place(self) -> torch.Tensor:
        """The place of each row in a padded block."""
        return self.item * self.longest + self.place

    def part(self, start: int, end: int, skipped: Layout | None = None) -> tuple[Layout, torch.Tensor]:
        """Return the layout of a part of each item, and its rows; `skipped` rows per item come before `start`.

        Negative places count from an item's end.
        """
        key = (start, end, skipped)
        if key not in self._parts:
            first = start + (skipped.lengths if skipped else np.zeros_like(self.lengths))
            last = self.lengths + end if end < 0 else np.minimum(self.lengths, end)
            first = np.minimum(first, self.lengths)
            made = Layout(np.maximum(last - first, 0), self.device)
            offset = to_device(first, self.device)
            self._parts[key] = made, self.starts[made.item] + offset[made.item] + made.place
        return self._parts[key]

    def joined(self, other: Layout) -> tuple[Layout, torch.Tensor]:
        """Return the layout of each item's rows with those of another layout behind them, and where they come from.

        The sources are rows of this layout and, counted on, of the other one.
        """
        if id(other) not in self._joined:
            made = Layout(self.lengths + other.lengths, self.device)
            own = made.place < self.counts[made.item]
            here = self.starts[made.item] + made.place
            there = self.rows + other.starts[made.item] + made.place - self.counts[made.item]
            # The other layout is kept alive, so that its id stays its own.
            made.other = other  # type: ignore[attr-defined]
            self._joined[id(other)] = made, torch.where(own, here, there)
        return self._joined[id(other)]


class Ragged(NamedTuple):
    """Values by row, and the layout that says which rows belong to which item."""

    values: torch.Tensor
    layout: Layout
    ranges: tuple[torch.Tensor, torch.Tensor] | None = None
    """The lowest and highest number of each item, 0 among them, where they are known."""
