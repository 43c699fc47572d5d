"""Training in several processes at once: each has its own share of the rows, and they average their gradients.

On a processor that other work shares, processes of one thread each wait for one another once a step, threads in every
product of matrices.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed
from torch.multiprocessing.spawn import spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """One process among `size`."""

    rank: int = 0
    size: int = 1

    def average(self, parameters: Iterable[torch.nn.Parameter], value: float) -> float:
        """Replace gradients by their means over all processes; return the mean of the processes' values."""
        if self.size == 1:
            return value
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([*(gradient.flatten() for gradient in gradients), torch.tensor([value])])
        distributed.all_reduce(flat)
        flat /= self.size
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()
        return float(flat[-1])


def run_processes(size: int, work: Callable[..., None], *given: Any) -> None:  # noqa: ANN401 - what the work takes
    """Call `work(group, *given)` in `size` new processes of one thread each, or in this one where one is wanted."""
    if size == 1:
        work(ProcessGroup(), *given)
        return
    with tempfile.TemporaryDirectory() as folder:
        spawn(_join, (size, Path(folder) / "store", work, given), nprocs=size)  # type: ignore[no-untyped-call]


def _join(rank: int, size: int, store: Path, work: Callable[..., None], given: tuple[Any, ...]) -> None:
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    try:
        work(ProcessGroup(rank, size), *given)
    finally:
        distributed.destroy_process_group()
