"""Dense layers in 8-bit integers, with the same results as the CPU's: inputs are scaled by each text's own range.

The range of an item is rounded to 256 steps, one of which is 0 (ONNX's DynamicQuantizeLinear). Products of integers are
exact, so that nothing depends on how a device adds them up. What stands here runs on torch's own operations; `launch`
has the same for a GPU, in fewer passes over memory.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import torch
from torch.nn import functional

from qassay.models.gpu.exact_math import divided, layer_norm
from qassay.models.gpu.exact_math import gelu as gelu_of
from qassay.models.gpu.ragged import Ragged

_STEPS = 255
_MIDDLE = 128
"""What is taken from the unsigned integers of inputs, so that they are signed ones."""
_FEWEST_ROWS = 32
"""cuBLAS multiplies integers for more than 16 rows alone."""


class Quantised(NamedTuple):
    """The weights of a dense layer in integers, with a scale for each column."""

    weight: torch.Tensor
    """(in, out): integers as the device multiplies them."""
    scale: torch.Tensor
    bias: torch.Tensor
    sums: torch.Tensor
    """The sum of each column of the weights."""

    @classmethod
    def on(cls, device: torch.device, weight: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> Self:
        """Bring weights onto a device."""
        # A GPU multiplies integers by a matrix whose columns lie in memory one behind the other; elsewhere they are
        # floats, which hold sums of products below 2^24 exactly.
        stored = weight.to(device).t().contiguous().t() if device.type == "cuda" else weight.float().to(device)
        return cls(stored, scale.to(device), bias.to(device), weight.sum(0, dtype=torch.float32).to(device))


class Norm(NamedTuple):
    """The parts of a normalisation."""

    scale: torch.Tensor
    shift: torch.Tensor
    epsilon: float


def linear(rows: Ragged, weights: Quantised, *, gelu: bool = False) -> Ragged:
    """Return the product of rows with weights, and the bias; with `gelu` that function of it."""
    step, zero = steps_and_zeros(rows)
    item = rows.layout.item
    step, zero = step[item, None], zero[item, None]
    inputs = torch.round(rows.values / step).add_(zero).clamp_(0, _STEPS).sub_(_MIDDLE)
    product = multiply(inputs.to(torch.int8) if inputs.is_cuda else inputs, weights).float()
    # Sums that are integers stay exact in single precision.
    product.sub_((zero - _MIDDLE) * weights.sums)
    found = product.mul_(step * weights.scale).add_(weights.bias)
    return Ragged(gelu_of(found) if gelu else found, rows.layout)


def steps_and_zeros(rows: Ragged) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the step between an item's integers, and the integer that is 0, for each item."""
    below, above = ranges_of(rows)
    step = divided(above + below, _STEPS)
    step = torch.where(step == 0, 1.0, step)
    return step, torch.round(below / step).clamp_(0, _STEPS)


def ranges_of(rows: Ragged) -> tuple[torch.Tensor, torch.Tensor]:
    """Return minus the lowest number of each item, and its highest, with 0 among them."""
    nothing = rows.values.new_zeros(len(rows.layout))
    below = nothing.scatter_reduce(0, rows.layout.item, -rows.values.amin(1), "amax")
    return below, nothing.scatter_reduce(0, rows.layout.item, rows.values.amax(1), "amax")


def multiply(inputs: torch.Tensor, weights: Quantised) -> torch.Tensor:
    """Return the exact product of integers: of 8-bit ones on a GPU, of floats elsewhere."""
    if not inputs.is_cuda:
        return inputs.float() @ weights.weight
    small = inputs
    if len(small) < _FEWEST_ROWS:
        small = functional.pad(small, (0, 0, 0, _FEWEST_ROWS - len(small)))
    return torch._int_mm(small, weights.weight)[: len(inputs)]  # noqa: SLF001 - the one way to multiply integers


def add_and_norm(states: Ragged, change: Ragged, norm: Norm) -> Ragged:
    """Return the normalised sum of rows."""
    return Ragged(layer_norm(states.values + change.values, *norm), states.layout)


def linear_and_norm(rows: Ragged, weights: Quantised, states: Ragged, norm: Norm) -> Ragged:
    """Return the normalised sum of states and of the product of rows with weights."""
    return add_and_norm(states, linear(rows, weights), norm)
