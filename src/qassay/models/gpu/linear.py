"""Dense layers in 8-bit integers, with the same results as the CPU's: inputs are scaled by each text's own range.

The range of an item is rounded to 256 steps, one of which is 0 (ONNX's DynamicQuantizeLinear). Products of integers are
exact, so that nothing depends on how a device adds them up.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import torch
from torch.nn import functional

from qassay.models.gpu.exact_math import gelu as gelu_of
from qassay.models.gpu.exact_math import layer_norm
from qassay.models.gpu.ragged import Layout, Ragged

if TYPE_CHECKING:
    from types import ModuleType

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


def fused_kernels(values: torch.Tensor) -> ModuleType | None:
    """Return the kernels for a GPU, where they run; elsewhere None, and torch's own operations do the same."""
    return _checked_kernels(values.device) if values.is_cuda and find_spec("triton") is not None else None


@cache
def _checked_kernels(device: torch.device) -> ModuleType | None:
    from qassay.models.gpu import kernels  # noqa: PLC0415 - needs Triton

    return kernels if agree(kernels, device) else None


def agree(kernels: ModuleType, device: torch.device) -> bool:
    """Whether kernels run on a device and give what torch's own operations give."""
    layout = Layout(np.array([40, 1, 23], np.int64), device)
    spread = torch.linspace(-3, 5, 64 * 384, device=device).view(64, 384)
    rows = Ragged(spread.sin() * spread, layout)
    weight = (torch.arange(384 * 128) * 31 % 127 - 63).to(torch.int8).view(384, 128)
    weights = Quantised.on(device, weight, torch.full((128,), 0.01), torch.linspace(-1, 1, 128))
    norm = (torch.linspace(0.5, 2, 384, device=device), torch.linspace(-1, 1, 384, device=device), 1e-12)
    try:
        found = [_fused(kernels, rows, weights, gelu=gelu).values for gelu in (False, True)]
        found.append(_fused_norm(kernels, rows, rows, *norm).values)
    except Exception:  # noqa: BLE001 - Triton has an error of its own for everything that may be missing
        return False
    wanted = [_plain(rows, weights, gelu=gelu).values for gelu in (False, True)]
    wanted.append(_plain_norm(rows, rows, *norm).values)
    return all(torch.allclose(one, other, rtol=1e-5, atol=1e-4) for one, other in zip(found, wanted, strict=True))


def linear(rows: Ragged, weights: Quantised, *, gelu: bool = False) -> Ragged:
    """Return the product of rows with weights, and the bias; with `gelu` that function of it."""
    kernels = fused_kernels(rows.values)
    return _plain(rows, weights, gelu=gelu) if kernels is None else _fused(kernels, rows, weights, gelu=gelu)


def _plain(rows: Ragged, weights: Quantised, *, gelu: bool) -> Ragged:
    step, zero = ranges_of(rows)
    item = rows.layout.item
    step, zero = step[item, None], zero[item, None]
    inputs = torch.round(rows.values / step).add_(zero).clamp_(0, _STEPS).sub_(_MIDDLE)
    product = multiply(inputs.to(torch.int8) if inputs.is_cuda else inputs, weights).float()
    # Sums that are integers stay exact in single precision.
    product.sub_((zero - _MIDDLE) * weights.sums)
    found = product.mul_(step * weights.scale).add_(weights.bias)
    return Ragged(gelu_of(found) if gelu else found, rows.layout)


def _fused(kernels: ModuleType, rows: Ragged, weights: Quantised, *, gelu: bool) -> Ragged:
    values, layout = rows.values.contiguous(), rows.layout
    ranges = rows.ranges or kernels.ranges_of(values, layout.item, len(layout))
    inputs, steps, zeros = kernels.quantise(values, layout.item, ranges)
    product = multiply(inputs, weights)
    parts = (weights.sums, weights.scale, weights.bias)
    found, ranges = kernels.scale_product(product, layout.item, len(layout), steps, zeros, parts, gelu=gelu)
    return Ragged(found, layout, ranges if gelu else None)


def ranges_of(rows: Ragged) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the step between an item's integers, and the integer that is 0, for each item."""
    values, layout = rows.values, rows.layout
    nothing = values.new_zeros(len(layout))
    low = nothing.scatter_reduce(0, layout.item, values.amin(1), "amin")
    high = nothing.scatter_reduce(0, layout.item, values.amax(1), "amax")
    step = (high - low) / _STEPS
    step = torch.where(step == 0, 1.0, step)
    return step, torch.round(-low / step).clamp_(0, _STEPS)


def multiply(inputs: torch.Tensor, weights: Quantised) -> torch.Tensor:
    """Return the exact product of integers: of 8-bit ones on a GPU, of floats elsewhere."""
    if not inputs.is_cuda:
        return inputs.float() @ weights.weight
    small = inputs
    if len(small) < _FEWEST_ROWS:
        small = functional.pad(small, (0, 0, 0, _FEWEST_ROWS - len(small)))
    return torch._int_mm(small, weights.weight)[: len(inputs)]  # noqa: SLF001 - the one way to multiply integers


def add_and_norm(left: Ragged, right: Ragged, scale: torch.Tensor, shift: torch.Tensor, epsilon: float) -> Ragged:
    """Return the normalised sum of rows."""
    kernels = fused_kernels(left.values)
    if kernels is None:
        return _plain_norm(left, right, scale, shift, epsilon)
    return _fused_norm(kernels, left, right, scale, shift, epsilon)


def _plain_norm(left: Ragged, right: Ragged, scale: torch.Tensor, shift: torch.Tensor, epsilon: float) -> Ragged:
    return Ragged(layer_norm(left.values + right.values, scale, shift, epsilon), left.layout)


def _fused_norm(  # noqa: PLR0917 - the parts of a normalisation
    kernels: ModuleType, left: Ragged, right: Ragged, scale: torch.Tensor, shift: torch.Tensor, epsilon: float
) -> Ragged:
    layout = left.layout
    both = (left.values.contiguous(), right.values.contiguous())
    found, ranges = kernels.add_and_norm(*both, layout.item, len(layout), scale, shift, epsilon)
    return Ragged(found, layout, ranges)
