"""Kernels for what a GPU does between products of integers, each a single pass over memory (Triton).

Without them torch makes a pass for every operation, which takes several times as long. They round as the plain
operations do: divisions are exact, and no product is fused with a sum.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

_UNFUSED = {"enable_fp_fusion": False}

if find_spec("triton") is not None:
    import triton
    import triton.language as tl

    # Adding and taking away 1.5 * 2^23 rounds a small number to the nearest integer, of two to the even one.
    _ROUNDING = tl.constexpr(12582912.0)

    @triton.jit
    def _widen_range(low, high, item, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - Triton's own types
        tl.atomic_min(low + item, tl.min(values, axis=0))
        tl.atomic_max(high + item, tl.max(values, axis=0))

    @triton.jit  # type: ignore[untyped-decorator]
    def _range_kernel(rows, items, low, high, width, block: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
        row = tl.program_id(0).to(tl.int64)
        places = tl.arange(0, block)
        values = tl.load(rows + row * width + places, mask=places < width, other=0.0)
        _widen_range(low, high, tl.load(items + row), values)

    @triton.jit  # type: ignore[untyped-decorator]
    def _quantise_kernel(rows, items, low, high, steps, zeros, out, width, block: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
        row = tl.program_id(0).to(tl.int64)
        item = tl.load(items + row)
        least, most = tl.load(low + item), tl.load(high + item)
        step = tl.div_rn(most - least, 255.0)
        step = tl.where(step == 0.0, 1.0, step)
        zero = (tl.div_rn(-least, step) + _ROUNDING) - _ROUNDING
        zero = tl.minimum(tl.maximum(zero, 0.0), 255.0)
        places = tl.arange(0, block)
        values = tl.load(rows + row * width + places, mask=places < width, other=0.0)
        whole = ((tl.div_rn(values, step) + _ROUNDING) - _ROUNDING) + zero
        whole = tl.minimum(tl.maximum(whole, 0.0), 255.0) - 128.0
        tl.store(out + row * width + places, whole.to(tl.int8), mask=places < width)
        tl.store(steps + row, step)
        tl.store(zeros + row, zero - 128.0)

    @triton.jit  # type: ignore[untyped-decorator]
    def _scale_kernel(  # type: ignore[no-untyped-def]  # noqa: ANN202, PLR0917
        product,  # noqa: ANN001
        items,  # noqa: ANN001
        steps,  # noqa: ANN001
        zeros,  # noqa: ANN001
        sums,  # noqa: ANN001
        scale,  # noqa: ANN001
        bias,  # noqa: ANN001
        out,  # noqa: ANN001
        low,  # noqa: ANN001
        high,  # noqa: ANN001
        width,  # noqa: ANN001
        gelu: tl.constexpr,
        block: tl.constexpr,
    ):
        row = tl.program_id(0).to(tl.int64)
        step, zero = tl.load(steps + row), tl.load(zeros + row)
        places = tl.arange(0, block)
        there = places < width
        whole = tl.load(product + row * width + places, mask=there, other=0).to(tl.float32)
        whole = whole - zero * tl.load(sums + places, mask=there, other=0.0)
        values = whole * (step * tl.load(scale + places, mask=there, other=0.0))
        values = values + tl.load(bias + places, mask=there, other=0.0)
        if gelu:
            values = 0.5 * values * (1.0 + tl.erf(values * 0.7071067811865476))
            _widen_range(low, high, tl.load(items + row), tl.where(there, values, 0.0))
        tl.store(out + row * width + places, values, mask=there)

    @triton.jit  # type: ignore[untyped-decorator]
    def _norm_kernel(  # type: ignore[no-untyped-def]  # noqa: ANN202, PLR0917
        left,  # noqa: ANN001
        right,  # noqa: ANN001
        items,  # noqa: ANN001
        scale,  # noqa: ANN001
        shift,  # noqa: ANN001
        out,  # noqa: ANN001
        low,  # noqa: ANN001
        high,  # noqa: ANN001
        width,  # noqa: ANN001
        epsilon,  # noqa: ANN001
        block: tl.constexpr,
    ):
        row = tl.program_id(0).to(tl.int64)
        places = tl.arange(0, block)
        there = places < width
        values = tl.load(left + row * width + places, mask=there, other=0.0)
        values = values + tl.load(right + row * width + places, mask=there, other=0.0)
        mean = tl.div_rn(tl.sum(values, axis=0), width.to(tl.float32))
        off = tl.where(there, values - mean, 0.0)
        deviation = tl.sqrt_rn(tl.div_rn(tl.sum(off * off, axis=0), width.to(tl.float32)) + epsilon)
        found = tl.div_rn(off, deviation) * tl.load(scale + places, mask=there, other=0.0)
        found = found + tl.load(shift + places, mask=there, other=0.0)
        tl.store(out + row * width + places, found, mask=there)
        _widen_range(low, high, tl.load(items + row), tl.where(there, found, 0.0))


Ranges = tuple[torch.Tensor, torch.Tensor]
"""The lowest and highest number of each item, 0 among them."""


def no_ranges(like: torch.Tensor, items: int) -> Ranges:
    """Return ranges that hold 0 alone."""
    return like.new_zeros(items, dtype=torch.float32), like.new_zeros(items, dtype=torch.float32)


def ranges_of(rows: torch.Tensor, items: torch.Tensor, count: int) -> Ranges:
    """Return the range of each item."""
    found = no_ranges(rows, count)
    _launch(_range_kernel, rows, items, *found, rows.shape[1])
    return found


def quantise(
    rows: torch.Tensor, items: torch.Tensor, ranges: Ranges
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return rows as 8-bit integers, and for each row the step between integers and the one that is 0."""
    out = torch.empty_like(rows, dtype=torch.int8)
    steps, zeros = (rows.new_empty(len(rows)) for _ in range(2))
    _launch(_quantise_kernel, rows, items, *ranges, steps, zeros, out, rows.shape[1])
    return out, steps, zeros


def scale_product(  # noqa: PLR0917 - the parts of a dense layer
    product: torch.Tensor,
    items: torch.Tensor,
    count: int,
    steps: torch.Tensor,
    zeros: torch.Tensor,
    weights: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    *,
    gelu: bool,
) -> tuple[torch.Tensor, Ranges]:
    """Return a product of integers as numbers, with `gelu` after that; `weights` has sums, scale and bias.

    The ranges are known with `gelu` alone.
    """
    out = torch.empty_like(product, dtype=torch.float32)
    ranges = no_ranges(out, count)
    _launch(_scale_kernel, product, items, steps, zeros, *weights, out, *ranges, product.shape[1], gelu=gelu)
    return out, ranges


def add_and_norm(  # noqa: PLR0917 - the parts of a normalisation
    left: torch.Tensor,
    right: torch.Tensor,
    items: torch.Tensor,
    count: int,
    scale: torch.Tensor,
    shift: torch.Tensor,
    epsilon: float,
) -> tuple[torch.Tensor, Ranges]:
    """Return the normalised sum of rows, and the range of each item."""
    out = torch.empty_like(left)
    ranges = no_ranges(out, count)
    _launch(_norm_kernel, left, right, items, scale, shift, out, *ranges, left.shape[1], epsilon)
    return out, ranges


def _launch(kernel: Any, rows: torch.Tensor, *given: Any, **settings: Any) -> None:  # noqa: ANN401 - Triton's own types
    """Run a kernel, one program for each row."""
    if len(rows):
        block = triton.next_power_of_2(rows.shape[1])
        options = _UNFUSED if rows.is_cuda else {}
        kernel[(len(rows),)](rows, *given, block=block, **settings, **options)
