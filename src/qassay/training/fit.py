"""The one training loop: AdamW over batches of rows, a learning rate that rises and falls, the best state kept."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from qassay.training.process_group import ProcessGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from qassay.training.plan import Plan

    Rows = NDArray[np.int64]
    Schedule = Callable[[int, float], None]
    """Sets the learning rate before a step, from the step's number and the progress from 0 to 1."""
    State = Mapping[str, torch.Tensor]

WEIGHT_DECAY = 0.01
_CLIP = 1.0
_ALONE = ProcessGroup()


def fit(
    network: nn.Module,
    loss: Callable[[Rows], torch.Tensor],
    epochs: Iterable[Sequence[Rows]],
    optimiser: torch.optim.Optimizer,
    schedule: Schedule,
    *,
    total: int,
    step: int = 0,
    seconds: float | None = None,
    group: ProcessGroup = _ALONE,
    after_step: Callable[[int, float, torch.Tensor], None] = lambda _step, _progress, _loss: None,
    after_epoch: Callable[[float], None] = lambda _loss: None,
) -> None:
    """Train until the epochs end, `total` steps are done or the time is over, whichever comes first.

    `epochs` yields the batches of each epoch; `step` is the number of steps done before. Gradients of the optimiser's
    first group of parameters are clipped, and averaged over the processes of `group`, which end at the same step.
    `after_epoch` is called with the epoch's mean loss.
    """
    tuned: list[nn.Parameter] = optimiser.param_groups[0]["params"]
    begun, progress = monotonic(), step / total
    for batches in epochs:
        network.train()
        losses = torch.zeros((), dtype=torch.float64)
        done = 0
        for batch in batches:
            schedule(step, progress)
            value = loss(batch)
            optimiser.zero_grad(set_to_none=True)
            value.backward()  # type: ignore[no-untyped-call]
            step, done = step + 1, done + 1
            elapsed = (monotonic() - begun) / seconds if seconds else 0.0
            progress = group.average(tuned, max(step / total, elapsed))
            nn.utils.clip_grad_norm_(tuned, _CLIP)
            optimiser.step()
            losses = losses.to(value.device) + value.detach()
            after_step(step, progress, value)
            if progress >= 1:
                break
        after_epoch(float(losses) / max(done, 1))
        if progress >= 1:
            return


def adamw(network: nn.Module, plan: Plan, **options: Any) -> torch.optim.AdamW:  # noqa: ANN401 - the optimiser's own
    """Return an optimiser of what a network tunes."""
    tuned = [parameter for parameter in network.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(tuned, plan.rate, weight_decay=WEIGHT_DECAY, **options)


def one_cycle(optimiser: torch.optim.Optimizer, plan: Plan, total: int) -> Schedule:
    """Return the schedule of Smith and Topin (2018): the rate rises and falls in lines, and momentum against it."""
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, plan.rate, total_steps=total, pct_start=plan.warm_up, anneal_strategy="linear"
    )

    def before(step: int, _progress: float) -> None:
        if step:
            cycle.step()

    return before


def scaled_rates(optimiser: torch.optim.Optimizer, share: Callable[[int, float], float]) -> Schedule:
    """Return a schedule that multiplies each parameter group's `rate` with a share of the step and the progress."""

    def before(step: int, progress: float) -> None:
        now = share(step, progress)
        for parameters in optimiser.param_groups:
            parameters["lr"] = now * parameters["rate"]

    return before


def fit_one_cycle(
    network: nn.Module,
    loss: Callable[[Rows], torch.Tensor],
    epochs: Sequence[Sequence[Rows]],
    plan: Plan,
    after_epoch: Callable[[float], None] = lambda _loss: None,
) -> None:
    """Train all that a network tunes for whole epochs, under one cycle of the learning rate."""
    optimiser, total = adamw(network, plan), sum(map(len, epochs))
    fit(network, loss, epochs, optimiser, one_cycle(optimiser, plan, total), total=total, after_epoch=after_epoch)


class Best:
    """The weights of a network when it measured best."""

    def __init__(self) -> None:
        self.value = -float("inf")
        self.state: dict[str, torch.Tensor] = {}

    def offer(self, value: float, network: nn.Module) -> None:
        """Keep the network's weights if it has never measured better."""
        if value > self.value or not self.state:
            self.value = value
            self.state = {name: each.detach().cpu().clone() for name, each in network.state_dict().items()}


def averaged(states: Sequence[State]) -> dict[str, torch.Tensor]:
    """Average the weights of networks that were trained from one start (Wortsman et al. 2022, "model soups")."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}
