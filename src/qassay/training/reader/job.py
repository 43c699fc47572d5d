"""One network of readers: trained by one process or several, and written to a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.training.base_model import base_weights
from qassay.training.process_group import run_processes
from qassay.training.reader.network import ReaderNetwork, train

if TYPE_CHECKING:
    from pathlib import Path

    from qassay.training.plan import Plan
    from qassay.training.process_group import ProcessGroup
    from qassay.training.reader.inputs import ReaderInputs


@dataclass(frozen=True, slots=True)
class ReaderJob:
    """What every process of a training needs to know."""

    base: Path
    inputs: ReaderInputs
    plan: Plan
    device: str
    tuned: Path
    """Where the trained weights go."""
    start: Path | None = None
    """Weights to carry on from."""

    def run(self, processes: int) -> None:
        """Train and write; a process without a passage would have nothing to do."""
        run_processes(min(processes, len(set(self.inputs.passages))), _train_share, self)


def _train_share(group: ProcessGroup, job: ReaderJob) -> None:
    import torch  # noqa: PLC0415 - heavy
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - part of the extra `train`

    # Networks can only be averaged when they were trained from the same start: the seed is for order and dropout alone.
    torch.manual_seed(0)
    weights = base_weights(job.base)
    network = ReaderNetwork(weights, job.plan.trunk_depth, job.plan.depth)
    if job.start:
        # Of a deeper reader the lower layers are taken over.
        network.load_state_dict({name: load_file(job.start)[name] for name in network.state_dict()})
    torch.manual_seed(job.plan.seed)

    def save() -> None:
        save_file({name: value.cpu().contiguous() for name, value in network.state_dict().items()}, job.tuned)

    def report(progress: float, loss: float) -> None:
        if group.rank == 0:
            # A process of its own knows no terminal; its standard error is the command's.
            sys.stderr.write(f"{progress:.1%}, loss {loss:.3f}\n")
            save()

    train(network, weights, job.inputs.share(group.rank, group.size), job.plan, job.device, group=group, report=report)
    if group.rank == 0:
        save()
