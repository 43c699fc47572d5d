"""Rows of many texts one behind the other, without padding, on a device."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.arrays import Ints


_RANGES_AT_ONCE = 16


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
        self.shortest = int(lengths.min()) if len(lengths) else 0
        self._parts: dict[tuple[int, int, Layout | None], tuple[Layout, torch.Tensor]] = {}
        self._joined: dict[int, tuple[Layout, torch.Tensor]] = {}
        self._ranges: list[torch.Tensor] = []

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

    def new_ranges(self) -> torch.Tensor:
        """Return room for the range of each item, 0 alone so far: (2, items) bits of minus the lowest, and the highest.

        Room for many is made at once, each at an address that is a multiple of 16.
        """
        if not self._ranges:
            room = torch.zeros((_RANGES_AT_ONCE, -(-2 * len(self) // 4) * 4), dtype=torch.int32, device=self.device)
            self._ranges += room[:, : 2 * len(self)].unbind()
        return self._ranges.pop().view(2, -1)

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
    ranges: torch.Tensor | None = None
    """(2, items): bits of minus the lowest and of the highest number of each item, 0 among them, where known."""
