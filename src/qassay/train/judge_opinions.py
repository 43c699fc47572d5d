"""Labels with a second opinion: what networks think of answers that they were not trained on.

People's verdicts err, and composed rows are right or wrong by rule, not by reading. A network that has learnt from the
other rows errs elsewhere; the mean of both is a better teacher than either.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.judge_layer import probability
from qassay.train.judge import logits, train
from qassay.train.judge_network import Pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch
    from numpy.typing import NDArray

    from qassay.train.judge import Plan
    from qassay.train.judge_inputs import JudgeInputs

_SHARE = 0.5
"""How much of a label is the networks' opinion."""
_SEEDS_APART = 10


def folds_of(groups: Sequence[str], folds: int) -> NDArray[np.int64]:
    """Give each row a fold by the hash of its group, so that a question's answers are never parted."""
    return np.array([zlib.crc32(group.encode()) % folds for group in groups], np.int64)


def with_second_opinions(
    weights: Mapping[str, torch.Tensor],
    inputs: JudgeInputs,
    fold: NDArray[np.int64],
    plan: Plan,
    device: str,
    *,
    networks: int = 2,
    report: Callable[[str], None] = lambda _: None,
) -> JudgeInputs:
    """Train networks without each fold, let them judge that fold, and take the mean of label and mean judgement.

    `fold` has an entry for each row. A row with several references is judged by the mean of its pairs.
    """
    numbers = np.unique(fold).tolist()
    judged = np.zeros(len(inputs.label))
    for place, number in enumerate(numbers, 1):
        mine = fold[inputs.row] == number
        asked = inputs.pairs_where(mine)
        for turn in range(networks):
            own = replace(plan, seed=plan.seed + _SEEDS_APART * (turn + 1) + place - 1)
            network = train(weights, inputs.pairs_where(~mine), own, device)
            found = logits(network, Pairs.of(asked, device, matching=plan.matching), device)
            np.add.at(judged, asked.row, probability(found.astype(np.float64)) / networks)
        report(f"second opinions: fold {place} of {len(numbers)}")
    opinion = judged / np.maximum(np.bincount(inputs.row, minlength=len(judged)), 1)
    return replace(inputs, label=((1 - _SHARE) * inputs.label + _SHARE * opinion).astype(np.float32))
