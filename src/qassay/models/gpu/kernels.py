"""Kernels for what a GPU does between products of integers, each a single pass over memory (Triton).

Without them torch makes a pass for every operation, which takes many times as long. They have the arithmetic of
`exact_math`, bit for bit: products are fused with sums where they are said to be, divisions and roots are exact, and
numbers are added up in the same order. The range of an item is kept as two integers, the bits of minus its lowest and
of its highest number: bits of positive numbers are ordered as the numbers are.
"""

from __future__ import annotations

import triton
import triton.language as tl

from qassay.models.gpu import exact_math

_ROUNDING = tl.constexpr(exact_math.ROUNDING)
_LOG2_OF_E = tl.constexpr(exact_math.LOG2_OF_E)
_LN2_HIGH, _LN2_LOW = map(tl.constexpr, exact_math.LN2)
_X0, _X1, _X2, _X3, _X4, _X5, _X6 = map(tl.constexpr, exact_math.ERF_EXP)
_S0, _S1, _S2, _S3, _S4, _S5 = map(tl.constexpr, exact_math.ERF_SMALL)
_B0, _B1, _B2, _B3, _B4, _B5, _B6 = map(tl.constexpr, exact_math.ERF_BIG)
_SPLIT = tl.constexpr(exact_math.ERF_SPLIT)
_END = tl.constexpr(exact_math.ERF_END)
_ROOT_OF_HALF = tl.constexpr(exact_math.ROOT_OF_HALF)
_LANES = tl.constexpr(exact_math.NORM_LANES)
UNSPECIALISED = {"do_not_specialize": ["count", "items", "heads"]}
"""Numbers of rows and items differ from batch to batch, and are no reason to compile a kernel anew."""


@triton.jit
def bits(values):
    """Return the bits of numbers, negative ones as those of 0."""
    return tl.maximum(values, 0.0).to(tl.int32, bitcast=True)


@triton.jit
def times_power(values, powers):
    """Return numbers times powers of 2, in two steps of which the first is exact."""
    whole = powers.to(tl.int32)
    half = whole >> 1
    first = ((half + 127) << 23).to(tl.float32, bitcast=True)
    second = ((whole - half + 127) << 23).to(tl.float32, bitcast=True)
    return (values * first) * second


@triton.jit
def reduced(values):
    """Return the power of 2 in an exponential, and the exponent that remains."""
    powers = tl.fma(values, _LOG2_OF_E, _ROUNDING) - _ROUNDING
    rest = tl.fma(powers, _LN2_HIGH, values)
    return powers, tl.fma(powers, _LN2_LOW, rest)


@triton.jit
def gelu(values):
    """Return x times the share of a normal distribution below x."""
    given = values * _ROOT_OF_HALF
    size = tl.minimum(tl.abs(given), _END)
    square = size * size
    small = tl.fma(square, _S0, _S1)
    small = tl.fma(small, square, _S2)
    small = tl.fma(small, square, _S3)
    small = tl.fma(small, square, _S4)
    small = tl.fma(small, square, _S5)
    small = tl.fma(small, size, size)
    big = tl.fma(size, _B0, _B1)
    big = tl.fma(big, size, _B2)
    big = tl.fma(big, size, _B3)
    big = tl.fma(big, size, _B4)
    big = tl.fma(big, size, _B5)
    big = tl.fma(big, size, _B6)
    big = -tl.fma(big, size, size)
    powers, rest = reduced(big)
    near_one = tl.fma(rest, _X0, _X1)
    near_one = tl.fma(near_one, rest, _X2)
    near_one = tl.fma(near_one, rest, _X3)
    near_one = tl.fma(near_one, rest, _X4)
    near_one = tl.fma(near_one, rest, _X5)
    near_one = tl.fma(near_one, rest, _X6)
    found = tl.where(size > _SPLIT, 1.0 - times_power(near_one, powers), small)
    found = tl.where(given < 0.0, -found, found)
    return (0.5 * values) * (found + 1.0)


@triton.jit
def step_and_zero(ranges, item, there, items):
    """Return the step between an item's integers, and the integer that is 0."""
    below = tl.load(ranges + item, mask=there, other=0).to(tl.float32, bitcast=True)
    above = tl.load(ranges + items + item, mask=there, other=0).to(tl.float32, bitcast=True)
    step = tl.div_rn(above + below, 255.0)
    step = tl.where(step == 0.0, 1.0, step)
    zero = (tl.div_rn(below, step) + _ROUNDING) - _ROUNDING
    return step, tl.minimum(zero, 255.0)


@triton.jit
def widen(ranges, item, there, items, below, above):
    """Take numbers into the ranges of their items; `below` are minus the lowest ones."""
    tl.atomic_max(ranges + item, bits(below), mask=there)
    tl.atomic_max(ranges + items + item, bits(above), mask=there)


@triton.jit
def dense(whole, zero, step, sums, scale, bias):
    """Return a product of integers as numbers; the integers were 128 less."""
    return (whole.to(tl.float32) - (zero - 128.0) * sums) * (step * scale) + bias


@triton.jit(**UNSPECIALISED)
def range_kernel(rows, row_items, ranges, count, items, stride, width, tall: tl.constexpr, wide: tl.constexpr):
    """Find the range of each item."""
    places = tl.program_id(0).to(tl.int64) * tall + tl.arange(0, tall)
    there = places < count
    item = tl.load(row_items + places, mask=there, other=0)
    below = tl.zeros((tall,), tl.float32)
    above = tl.zeros((tall,), tl.float32)
    for start in range(0, width, wide):
        columns = start + tl.arange(0, wide)
        inside = there[:, None] & (columns < width)[None, :]
        values = tl.load(rows + places[:, None] * stride + columns[None, :], mask=inside, other=0.0)
        below = tl.maximum(below, tl.max(-values, axis=1))
        above = tl.maximum(above, tl.max(values, axis=1))
    widen(ranges, item, there, items, below, above)


@triton.jit(**UNSPECIALISED)
def quantise_kernel(rows, row_items, ranges, out, count, items, stride, width, tall: tl.constexpr, wide: tl.constexpr):
    """Round rows to integers, 128 less than they are without a sign."""
    places = tl.program_id(0).to(tl.int64) * tall + tl.arange(0, tall)
    there = places < count
    item = tl.load(row_items + places, mask=there, other=0)
    step, zero = step_and_zero(ranges, item, there, items)
    for start in range(0, width, wide):
        columns = start + tl.arange(0, wide)
        inside = there[:, None] & (columns < width)[None, :]
        values = tl.load(rows + places[:, None] * stride + columns[None, :], mask=inside, other=0.0)
        whole = ((tl.div_rn(values, step[:, None]) + _ROUNDING) - _ROUNDING) + zero[:, None]
        whole = tl.minimum(tl.maximum(whole, 0.0), 255.0) - 128.0
        tl.store(out + places[:, None] * width + columns[None, :], whole.to(tl.int8), mask=inside)


@triton.jit(**UNSPECIALISED)
def scale_kernel(
    product,
    row_items,
    ranges,
    sums,
    scale,
    bias,
    out,
    out_ranges,
    count,
    items,
    width,
    with_gelu: tl.constexpr,
    tall: tl.constexpr,
    wide: tl.constexpr,
):
    """Turn products of integers into numbers, take Gelu of them, and find the range of that."""
    places = tl.program_id(0).to(tl.int64) * tall + tl.arange(0, tall)
    there = places < count
    item = tl.load(row_items + places, mask=there, other=0)
    step, zero = step_and_zero(ranges, item, there, items)
    below = tl.zeros((tall,), tl.float32)
    above = tl.zeros((tall,), tl.float32)
    for start in range(0, width, wide):
        columns = start + tl.arange(0, wide)
        side = columns < width
        inside = there[:, None] & side[None, :]
        offsets = places[:, None] * width + columns[None, :]
        values = dense(
            tl.load(product + offsets, mask=inside, other=0),
            zero[:, None],
            step[:, None],
            tl.load(sums + columns, mask=side, other=0.0)[None, :],
            tl.load(scale + columns, mask=side, other=0.0)[None, :],
            tl.load(bias + columns, mask=side, other=0.0)[None, :],
        )
        if with_gelu:
            values = gelu(values)
            below = tl.maximum(below, tl.max(tl.where(inside, -values, 0.0), axis=1))
            above = tl.maximum(above, tl.max(tl.where(inside, values, 0.0), axis=1))
        tl.store(out + offsets, values, mask=inside)
    if with_gelu:
        widen(out_ranges, item, there, items, below, above)


@triton.jit(**UNSPECIALISED)
def norm_kernel(
    states,
    change,
    row_items,
    ranges,
    sums,
    factor,
    bias,
    scale,
    shift,
    out,
    out_ranges,
    count,
    items,
    stride,
    change_stride,
    width: tl.constexpr,
    epsilon,
    from_product: tl.constexpr,
    tall: tl.constexpr,
):
    """Normalise the sums of rows, of which the second may be a product of integers; find their range."""
    places = tl.program_id(0).to(tl.int64) * tall + tl.arange(0, tall)
    there = places < count
    item = tl.load(row_items + places, mask=there, other=0)
    lanes = tl.arange(0, _LANES)
    if from_product:
        step, zero = step_and_zero(ranges, item, there, items)
    total = tl.zeros((tall, _LANES), tl.float64)
    for start in range(0, width, _LANES):
        columns = start + lanes
        side = columns < width
        inside = there[:, None] & side[None, :]
        values = tl.load(change + places[:, None] * change_stride + columns[None, :], mask=inside, other=0)
        if from_product:
            values = dense(
                values,
                zero[:, None],
                step[:, None],
                tl.load(sums + columns, mask=side, other=0.0)[None, :],
                tl.load(factor + columns, mask=side, other=0.0)[None, :],
                tl.load(bias + columns, mask=side, other=0.0)[None, :],
            )
        values = tl.load(states + places[:, None] * stride + columns[None, :], mask=inside, other=0.0) + values
        tl.store(out + places[:, None] * width + columns[None, :], values, mask=inside)
        total += tl.where(inside, values, 0.0).to(tl.float64)
    # The sums are read again, maybe by another thread than the one that wrote them.
    tl.debug_barrier()
    mean = (tl.sum(total, axis=1) / width).to(tl.float32)
    squares = tl.zeros((tall, _LANES), tl.float32)
    for start in range(0, width, _LANES):
        columns = start + lanes
        inside = there[:, None] & (columns < width)[None, :]
        values = tl.load(out + places[:, None] * width + columns[None, :], mask=inside, other=0.0)
        off = tl.where(inside, values - mean[:, None], 0.0)
        squares = tl.fma(off, off, squares)
    low, high = tl.split(tl.permute(tl.reshape(squares, (tall, 2, 4)), (0, 2, 1)))
    low, high = tl.split(tl.permute(tl.reshape(low + high, (tall, 2, 2)), (0, 2, 1)))
    low, high = tl.split(low + high)
    inverse = tl.div_rn(1.0, tl.sqrt_rn(tl.div_rn(low + high, width * 1.0) + epsilon))
    below = tl.zeros((tall, _LANES), tl.float32)
    above = tl.zeros((tall, _LANES), tl.float32)
    # What is overwritten now has been read by all threads.
    tl.debug_barrier()
    for start in range(0, width, _LANES):
        columns = start + lanes
        side = columns < width
        inside = there[:, None] & side[None, :]
        offsets = places[:, None] * width + columns[None, :]
        values = (tl.load(out + offsets, mask=inside, other=0.0) - mean[:, None]) * inverse[:, None]
        factors = tl.load(scale + columns, mask=side, other=0.0)[None, :]
        values = tl.fma(values, factors, tl.load(shift + columns, mask=side, other=0.0)[None, :])
        values = tl.where(inside, values, 0.0)
        tl.store(out + offsets, values, mask=inside)
        below = tl.maximum(below, -values)
        above = tl.maximum(above, values)
    widen(out_ranges, item, there, items, tl.max(below, axis=1), tl.max(above, axis=1))
