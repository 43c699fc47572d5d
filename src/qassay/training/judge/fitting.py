"""Training the embedded judge and LERC: tuned layers that read reference, question, candidate and context together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.training.judge.network import JudgeNetwork, Pairs
from qassay.training.ragged import batches_by_length

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from qassay.training.judge.inputs import JudgeInputs

State = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    trunk_depth: int = 2
    epochs: int = 3
    rate: float = 4e-4
    tokens: int = 24_576
    """Pieces in a batch, padding included."""
    matching: bool = True
    context: float = 0.15
    """The chance that a row with a context is read with it, so that the judge can serve as LERC's reader too."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The share of each source's rows that an epoch draws, where it is not all of them."""
    seed: int = 0


def train(
    weights: Mapping[str, torch.Tensor],
    inputs: JudgeInputs,
    plan: Plan,
    device: str,
    *,
    start: State | None = None,
    report: Callable[[int, JudgeNetwork], None] | None = None,
) -> JudgeNetwork:
    """Train on pairs with labels from 0 to 1: cross-entropy, AdamW, linear warm-up and decay.

    `report` is called after every epoch. All seeds start from the same weights, so that networks can be averaged; with
    `start` from tuned weights that are there already.
    """
    torch.manual_seed(0)
    pairs = Pairs.of(inputs, device, matching=plan.matching)
    network = JudgeNetwork(weights, plan.trunk_depth).to(device)
    if start:
        network.restore({name: value.to(device) for name, value in start.items()})
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    label = torch.from_numpy(inputs.label[inputs.row]).to(device)
    lengths = pairs.lengths(context=plan.context > 0)
    epochs = [_epoch(inputs, plan, lengths, rng) for _ in range(plan.epochs)]
    tuned = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(tuned, plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, plan.rate, total_steps=sum(map(len, epochs)), pct_start=0.06, anneal_strategy="linear"
    )
    for number, batches in enumerate(epochs):
        network.train()
        network.trunk.eval()
        for batch in batches:
            chosen = torch.from_numpy(batch).to(device)
            shown = torch.rand(len(batch), device=device) < plan.context if plan.context else None
            with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
                logits = network(*pairs.side_by_side(chosen, context=shown))
            loss = functional.binary_cross_entropy_with_logits(logits.float(), label[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(tuned, 1.0)
            optimiser.step()
            schedule.step()
        if report:
            report(number, network.eval())
    return network.eval()


def _epoch(
    inputs: JudgeInputs, plan: Plan, lengths: NDArray[np.int64], rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    share = np.array([plan.shares.get(str(name), 1.0) for name in inputs.sources])
    drawn = np.flatnonzero(rng.random(len(inputs.row)) < share[inputs.source[inputs.row]])
    return [drawn[batch] for batch in batches_by_length(lengths[drawn], plan.tokens, rng)]


@torch.no_grad()
def logits(
    network: JudgeNetwork, pairs: Pairs, device: str, *, context: bool = False, tokens: int = 1 << 16
) -> NDArray[np.float32]:
    """Return the logit of every pair."""
    lengths = pairs.lengths(context=context)
    found = np.zeros(len(lengths), np.float32)
    for batch in batches_by_length(lengths, tokens):
        chosen = torch.from_numpy(batch).to(device)
        shown = torch.ones(len(batch), dtype=torch.bool, device=device) if context else None
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            found[batch] = network(*pairs.side_by_side(chosen, context=shown)).float().cpu().numpy()
    return found


@dataclass(frozen=True, slots=True)
class Quality:
    """How well scores fit labels, for one source."""

    n: int
    pearson: float
    auc: float
    accuracy: float
    loss: float


def quality(found: NDArray[np.float32], inputs: JudgeInputs) -> dict[str, Quality]:
    """Measure logits of pairs by source: the best reference counts, labels of at least .5 are right."""
    best = np.full(len(inputs.label), -np.inf)
    np.maximum.at(best, inputs.row, found)
    measured = {}
    for number, name in enumerate(inputs.sources):
        rows = inputs.source == number
        logit, label = best[rows], inputs.label[rows].astype(np.float64)
        score = 1 / (1 + np.exp(-logit))
        right = label >= 0.5  # noqa: PLR2004 - the middle of the scale
        measured[str(name)] = Quality(
            int(rows.sum()),
            _correlation(score, label),
            _area(logit, right),
            float(((logit >= 0) == right).mean()),
            float((np.logaddexp(0, logit) - label * logit).mean()),
        )
    return measured


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    if x.std() == 0 or y.std() == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _area(score: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    positives, negatives = int(right.sum()), int((~right).sum())
    if not positives or not negatives:
        return float("nan")
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    return float((rank[place][right].sum() - positives * (positives + 1) / 2) / (positives * negatives))
