"""What a judge's network is trained to put out: the logit of a verdict, or a rating."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn import functional

from qassay.models.onnx.judge import LOGIT, RATING

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.models.onnx.judge import JudgeOutput

_POINTS = 4.0
"""From the lowest to the highest rating, 1 to 5."""


class Objective(NamedTuple):
    """How a network's outputs are held against labels from 0 to 1, and what they stand for."""

    output: JudgeOutput
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    scores: Callable[[torch.Tensor], torch.Tensor]
    """From outputs to scores from 0 to 1."""


def squared_error(ratings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean squared error in points of a scale from 1 to 5 (Chen et al. 2020)."""
    return _POINTS**2 * functional.mse_loss(ratings, labels)


VERDICTS = Objective(LOGIT, functional.binary_cross_entropy_with_logits, torch.sigmoid)
RATINGS = Objective(RATING, squared_error, lambda ratings: ratings.clamp(0, 1))
