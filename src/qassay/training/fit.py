"""One network of several that were trained from the same start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def averaged(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Average the weights of networks that were trained from one start (Wortsman et al. 2022, "model soups")."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}
