"""The arithmetic of onnxruntime's CPU kernels (MLAS), operation by operation, in torch.

Inputs of dense layers are rounded to 8 bits, so that a last bit that is off here may be a whole step there. These
functions therefore have the CPU's polynomials, its fused products and its order of additions, and give the same bits.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
from torch.nn import functional

ROUNDING = 12582912.0
"""1.5 * 2^23: adding and taking it away rounds a small number to the nearest integer, of two to the even one."""
LOG2_OF_E = 1.44269504088896341
LN2 = (-6.93145752e-1, -1.42860677e-6)
"""Minus the logarithm of 2, in two parts."""
EXP = (1.37805939e-3, 8.37312452e-3, 4.16695364e-2, 1.66664720e-1, 4.99999851e-1, 1.0, 1.0)
"""Factors of softmax's exponential, as of all polynomials here from the highest power down."""
ERF_EXP = (1.38319808e-3, 8.37550033e-3, 4.16689515e-2, 1.66664466e-1, 4.99999851e-1, 1.0, 1.0)
ERF_SMALL = (-5.99104969e-4, 4.99339588e-3, -2.67667342e-2, 1.12818025e-1, -3.76124859e-1, 1.28379151e-1)
ERF_BIG = (1.72948930e-5, -3.83208680e-4, 3.88393435e-3, -2.42545605e-2, 1.06777847e-1, 6.34846687e-1, 1.28717512e-1)
ERF_SPLIT = 0.921875
ERF_END = 3.925
ROOT_OF_HALF = 0.5**0.5
NORM_LANES = 8
"""Lanes in which normalisations add up squares, with AVX-512 too."""


WIDE, NARROW = 16, 8
"""Numbers that one instruction of the processor takes, with AVX-512 and with AVX2."""
LEAST_EXPONENT = {WIDE: -103.9720840454, NARROW: -88.3762626647949}
"""What the exponents of softmax are raised to."""


@cache
def lanes_here() -> int:
    """Return how many numbers an instruction of this machine's processor takes, as onnxruntime uses it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        # Other systems than Linux have no such file.
        return WIDE if torch.backends.cpu.get_cpu_capability() == "AVX512" else NARROW
    flags = next((line for line in lines if line.startswith("flags")), "")
    return WIDE if "avx512f" in flags.split() else NARROW


def fma(left: torch.Tensor, right: torch.Tensor | float, added: torch.Tensor | float) -> torch.Tensor:
    """Return the sum of a product and a number, rounded once.

    Products of single precision are exact in double precision; that the sum is rounded twice shows once in 2^29 times.
    """
    if isinstance(right, float):
        right = torch.tensor(right, dtype=torch.float32, device=left.device)
    if isinstance(added, float):
        added = torch.tensor(added, dtype=torch.float32, device=left.device)
    return (left.double() * right.double()).add_(added).float()


def divided(values: torch.Tensor, by: float) -> torch.Tensor:
    """Return values divided by a number, rounded once; torch multiplies by its inverse where it is no tensor."""
    return values / torch.full_like(values, by)


def polynomial(factors: tuple[float, ...], values: torch.Tensor) -> torch.Tensor:
    """Return a polynomial by Horner's rule, each step rounded once."""
    found = torch.full_like(values, factors[0])
    for factor in factors[1:]:
        found = fma(found, values, factor)
    return found


def exponential(values: torch.Tensor, factors: tuple[float, ...]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the exponential as a number near 1 and the power of 2 to multiply it with."""
    powers = fma(values, LOG2_OF_E, ROUNDING) - ROUNDING
    rest = fma(powers, LN2[1], fma(powers, LN2[0], values))
    return polynomial(factors, rest), powers


def scaled(values: torch.Tensor, powers: torch.Tensor) -> torch.Tensor:
    """Return numbers times powers of 2, rounded once also where they are subnormal."""
    return torch.ldexp(values.double(), powers.double()).float()


def erf(values: torch.Tensor) -> torch.Tensor:
    """Return the error function."""
    size = values.abs().clamp_(max=ERF_END)
    small = fma(polynomial(ERF_SMALL, size * size), size, size)
    big = -fma(polynomial(ERF_BIG, size), size, size)
    big = 1 - scaled(*exponential(big, ERF_EXP))
    return torch.copysign(torch.where(size > ERF_SPLIT, big, small), values)


def gelu(values: torch.Tensor) -> torch.Tensor:
    """Return x times the share of a normal distribution below x."""
    return (0.5 * values) * (erf(values * ROOT_OF_HALF) + 1)


def layer_norm(rows: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Return rows normalised.

    The mean is summed in double precision. Squares are summed in lanes, each product added in one rounding; so are the
    products with the scale.
    """
    width = rows.shape[1]
    off = rows - divided(rows.sum(1, keepdim=True, dtype=torch.float64), width).float()
    squares = functional.pad(off, (0, -width % NORM_LANES)).double().square_()
    sums = rows.new_zeros((len(rows), NORM_LANES))
    for each in squares.view(len(rows), -1, NORM_LANES).unbind(1):
        sums = (sums + each).float()
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    # Roots in single precision are approximations on some devices.
    inverse = 1 / torch.sqrt((divided(sums, width) + epsilon).double()).float()
    return fma(off * inverse, scale, shift)


def sum_in_lanes(values: torch.Tensor, lanes: int) -> torch.Tensor:
    """Return the sums over the last axis, of as many sums side by side as there are lanes."""
    padded = functional.pad(values, (0, -values.shape[-1] % lanes))
    padded = padded.reshape(*values.shape[:-1], -1, lanes)
    sums = torch.zeros_like(padded[..., 0, :])
    for each in padded.unbind(-2):
        sums = sums + each
    if lanes == WIDE:
        sums = sums[..., 8:] + sums[..., :8]
    sums = sums[..., ::2] + sums[..., 1::2]
    sums = sums[..., ::2] + sums[..., 1::2]
    return sums[..., 0] + sums[..., 1]
