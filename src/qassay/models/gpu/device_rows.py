"""Rows in a device's memory, as the heads of a model hold them: parts of blocks that came out of one batch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from qassay.models.gpu.host_memory import HostMemory
from qassay.models.gpu.ragged import Layout, Ragged, to_device
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from qassay.arrays import Ints


_PINNED_BYTES = 1 << 25
"""Memory that a GPU writes into at once."""
_memory = HostMemory()


class DeviceRows:
    """Some rows of a block, in a row or by their numbers."""

    __slots__ = ("block", "numbers", "row_bytes", "start", "stop")

    def __init__(
        self, block: torch.Tensor, start: int, stop: int, numbers: Ints | None = None, row_bytes: int | None = None
    ) -> None:
        self.block = block
        self.start = start
        self.stop = stop
        self.numbers = numbers
        """Where the rows do not follow each other; otherwise None."""
        self.row_bytes = _row_bytes(block) if row_bytes is None else row_bytes
        """The memory of one row, which takes long to ask a block for."""

    def __len__(self) -> int:
        return self.stop - self.start if self.numbers is None else len(self.numbers)

    def __getitem__(self, rows: slice | Ints) -> DeviceRows:
        if self.numbers is None and isinstance(rows, slice) and rows.step is None:
            low, high, _ = rows.indices(len(self))
            return DeviceRows(self.block, self.start + low, self.start + max(low, high), None, self.row_bytes)
        return DeviceRows(self.block, 0, 0, self.all_numbers()[rows], self.row_bytes)

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return len(self) * self.row_bytes

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the rows in the processor's memory, which takes a copy for these alone."""
        (array,) = fetched([self])
        return np.array(array, dtype) if copy else np.asarray(array, dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how another process makes an array of the rows, which have no meaning there otherwise."""
        return np.array, (np.asarray(self),)

    def all_numbers(self) -> Ints:
        """Return the number of each row in the block."""
        return np.arange(self.start, self.stop) if self.numbers is None else self.numbers


def split_rows(made: Ragged) -> list[DeviceRows]:
    """Return the rows of each item."""
    ends = np.cumsum(made.layout.lengths).tolist()
    block, size = made.values, _row_bytes(made.values)
    return [DeviceRows(block, start, end, None, size) for start, end in zip([0, *ends], ends, strict=False)]


def _row_bytes(block: torch.Tensor) -> int:
    return math.prod(block.shape[1:]) * block.element_size()


def packed(parts: Sequence[Any], layout: Layout) -> Ragged:
    """Return the rows of all items one behind the other: arrays, rows in the device's memory, or both."""
    device = layout.device
    on_device = [isinstance(part, DeviceRows) for part in parts]
    if not any(on_device):
        return Ragged(to_device(np.concatenate(parts), device), layout)
    blocks: dict[int, tuple[torch.Tensor, list[int]]] = {}
    for i, (part, there) in enumerate(zip(parts, on_device, strict=True)):
        if there:
            if (known := blocks.get(id(part.block))) is None:
                known = blocks[id(part.block)] = part.block, []
            known[1].append(i)
    if host := [i for i, there in enumerate(on_device) if not there and len(parts[i])]:
        block = to_device(np.concatenate([parts[i] for i in host]), device)
        blocks[id(block)] = block, host
        bounds = np.cumsum([0, *(len(parts[i]) for i in host)]).tolist()
        parts = list(parts)
        for i, start, end in zip(host, bounds, bounds[1:], strict=False):
            parts[i] = DeviceRows(block, start, end)
    chosen = [block[to_device(_numbers([parts[i] for i in items]), device)] for block, items in blocks.values()]
    if len(chosen) == 1:
        return Ragged(chosen[0], layout)
    # Rows stand by blocks, and go to the places that their items have in the layout.
    order = np.array([i for _, items in blocks.values() for i in items], np.int64)
    starts = np.cumsum(layout.lengths) - layout.lengths
    source = torch.cat(chosen)
    values = torch.empty_like(source)
    values[to_device(ranges(starts[order], layout.lengths[order]), device)] = source
    return Ragged(values, layout)


def _numbers(parts: Sequence[DeviceRows]) -> Ints:
    """Return the numbers of rows in their block."""
    if all(part.numbers is None for part in parts):
        starts = np.array([part.start for part in parts], np.int64)
        return ranges(starts, np.array([part.stop for part in parts], np.int64) - starts)
    return np.concatenate([np.zeros(0, np.int64), *(part.all_numbers() for part in parts)])


def fetched(parts: Sequence[DeviceRows]) -> list[NDArray[Any]]:
    """Return rows as arrays; those of one block come in one copy."""
    by_block: dict[int, list[int]] = {}
    for i, part in enumerate(parts):
        by_block.setdefault(id(part.block), []).append(i)
    found: list[NDArray[Any]] = [np.zeros(0)] * len(parts)
    for places in by_block.values():
        of_block = [parts[i] for i in places]
        ends = np.cumsum([len(part) for part in of_block]).tolist()
        array = copied(_wanted_rows(of_block))
        for i, start, end in zip(places, [0, *ends], ends, strict=False):
            found[i] = array[start:end]
    return found


def _wanted_rows(parts: Sequence[DeviceRows]) -> torch.Tensor:
    """Return the parts of a block one behind the other; all of it, where they are that already."""
    block, numbers = parts[0].block, _numbers(parts)
    if len(numbers) == len(block) and (numbers == np.arange(len(block))).all():
        return block
    return block[to_device(numbers, block.device)]


def copied(block: torch.Tensor) -> NDArray[Any]:
    """Return a block as an array; from a GPU it comes in parts of one size, through pinned memory.

    Of one size torch keeps what it has pinned. To pin memory for every block would take longer than the copy, and
    processes that share a GPU would wait for each other.
    """
    if not block.is_cuda:
        return block.numpy()
    pinned = torch.empty(_PINNED_BYTES // block.element_size(), dtype=block.dtype, pin_memory=True)
    found = _memory.array(block.shape, pinned[:0].numpy().dtype)
    source, target = block.reshape(-1), torch.from_numpy(found).view(-1)
    for start in range(0, len(source), len(pinned)):
        part = source[start : start + len(pinned)]
        arrived = pinned[: len(part)].copy_(part, non_blocking=True)
        # Waiting asleep leaves the processor to the other processes that use the GPU.
        done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        done.record()
        done.synchronize()
        target[start : start + len(part)].copy_(arrived)
    return found
