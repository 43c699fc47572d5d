"""The operations of `linear` and `attention` on a GPU, each in as few passes over memory as there can be.

Block sizes do not change a bit of the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
import triton

from qassay.models.gpu import attention_kernels, kernels
from qassay.models.gpu.attention import query_block, score_scale, sum_block
from qassay.models.gpu.exact_math import lanes_here
from qassay.models.gpu.linear import Norm, Quantised, multiply
from qassay.models.gpu.ragged import Layout, Ragged

if TYPE_CHECKING:
    from qassay.arrays import Ints

_UNFUSED = {"enable_fp_fusion": False}
"""No product is fused with a sum, but where a kernel says so."""


class Block(NamedTuple):
    """What one program of a kernel does at a time."""

    tall: int
    """Rows."""
    wide: int
    """Columns."""
    warps: int


RANGE = Block(8, 128, 4)
QUANTISE = Block(8, 128, 4)
SCALE = Block(8, 128, 4)
NORM = Block(16, 8, 1)
ATTENTION = Block(16, 16, 1)
"""Queries, and keys at a time."""


def linear(rows: Ragged, weights: Quantised, *, gelu: bool = False) -> Ragged:
    """Return the product of rows with weights, and the bias; with `gelu` that function of it."""
    integers, ranges = quantise(rows)
    return scale_product(multiply(integers, weights), rows.layout, ranges, weights, gelu=gelu)


def add_and_norm(states: Ragged, change: Ragged, norm: Norm) -> Ragged:
    """Return the normalised sum of rows."""
    return normalise(states, change.values, norm)


def linear_and_norm(rows: Ragged, weights: Quantised, states: Ragged, norm: Norm) -> Ragged:
    """Return the normalised sum of states and of the product of rows with weights."""
    integers, ranges = quantise(rows)
    return normalise(states, multiply(integers, weights), norm, (ranges, weights))


def ranges_of(rows: Ragged, block: Block = RANGE) -> torch.Tensor:
    """Return the range of each item, as `Ragged` has it."""
    values, layout = _in_rows(rows.values), rows.layout
    found = layout.new_ranges()
    if layout.rows:
        kernels.range_kernel[_programs(layout, block)](
            values,
            layout.item,
            found,
            layout.rows,
            len(layout),
            values.stride(0),
            values.shape[1],
            tall=block.tall,
            wide=block.wide,
            num_warps=block.warps,
            **_UNFUSED,
        )
    return found


def quantise(rows: Ragged, block: Block = QUANTISE) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows as 8-bit integers, and the ranges of their items."""
    values, layout = _in_rows(rows.values), rows.layout
    ranges = ranges_of(rows) if rows.ranges is None else rows.ranges
    out = torch.empty(values.shape, dtype=torch.int8, device=values.device)
    if layout.rows:
        kernels.quantise_kernel[_programs(layout, block)](
            values,
            layout.item,
            ranges,
            out,
            layout.rows,
            len(layout),
            values.stride(0),
            values.shape[1],
            tall=block.tall,
            wide=block.wide,
            num_warps=block.warps,
            **_UNFUSED,
        )
    return out, ranges


def scale_product(
    product: torch.Tensor, layout: Layout, ranges: torch.Tensor, weights: Quantised, *, gelu: bool, block: Block = SCALE
) -> Ragged:
    """Return products of integers as numbers, with `gelu` that function of them, and then their ranges too."""
    out = torch.empty(product.shape, dtype=torch.float32, device=product.device)
    found = layout.new_ranges() if gelu else ranges
    if layout.rows:
        kernels.scale_kernel[_programs(layout, block)](
            product,
            layout.item,
            ranges,
            weights.sums,
            weights.scale,
            weights.bias,
            out,
            found,
            layout.rows,
            len(layout),
            product.shape[1],
            with_gelu=gelu,
            tall=block.tall,
            wide=block.wide,
            num_warps=block.warps,
            **_UNFUSED,
        )
    return Ragged(out, layout, found if gelu else None)


def normalise(
    states: Ragged,
    change: torch.Tensor,
    norm: Norm,
    product: tuple[torch.Tensor, Quantised] | None = None,
    block: Block = NORM,
) -> Ragged:
    """Return the normalised sum of rows, whose `change` may be a product of integers: with the inputs' ranges."""
    values, change, layout = _in_rows(states.values), _in_rows(change), states.layout
    out = torch.empty(values.shape, dtype=torch.float32, device=values.device)
    found = layout.new_ranges()
    # Without a product, these stand for what is not read.
    ranges, sums, factor, bias = (
        (found, norm.scale, norm.scale, norm.scale)
        if product is None
        else (product[0], product[1].sums, product[1].scale, product[1].bias)
    )
    if layout.rows:
        kernels.norm_kernel[_programs(layout, block)](
            values,
            change,
            layout.item,
            ranges,
            sums,
            factor,
            bias,
            norm.scale,
            norm.shift,
            out,
            found,
            layout.rows,
            len(layout),
            values.stride(0),
            change.stride(0),
            width=values.shape[1],
            epsilon=norm.epsilon,
            from_product=product is not None,
            tall=block.tall,
            num_warps=block.warps,
            **_UNFUSED,
        )
    return Ragged(out, layout, found)


def attend(
    query: Ragged,
    key: Ragged,
    value: Ragged,
    heads: int,
    lanes: int | None = None,
    *,
    dot: bool = True,
    block: Block = ATTENTION,
) -> Ragged:
    """Return what each row of an item attends to in all its keys.

    With `dot` Triton multiplies matrices; otherwise the kernel does, number by number.
    """
    queries, keys, values = (_in_rows(each.values) for each in (query, key, value))
    out = torch.empty(queries.shape, dtype=torch.float32, device=queries.device)
    asking, asked = query.layout, key.layout
    ranges = asking.new_ranges()
    width = queries.shape[1] // heads
    given = (
        queries,
        keys,
        values,
        out,
        asking.starts,
        asking.counts,
        asked.starts,
        asked.counts,
        ranges,
        len(asking),
        heads,
        queries.stride(0),
        keys.stride(0),
        values.stride(0),
        out.stride(0),
        score_scale(width),
    )
    settings = {"width": width, "lanes": lanes or lanes_here(), "query_block": query_block(width), **_UNFUSED}
    together, alone = _kinds(asking.lengths, query_block(width))
    if together:
        attention_kernels.attention_kernel[len(asking) * heads, triton.cdiv(asking.longest, block.tall)](
            *given, **settings, queries=block.tall, sum_block=sum_block(width), dot=dot, num_warps=block.warps
        )
    if alone:
        attention_kernels.lone_query_kernel[(len(asking) * heads,)](*given, **settings, num_warps=1)
    return Ragged(out, asking, ranges)


def _kinds(lengths: Ints, block: int) -> tuple[bool, bool]:
    """Whether there are queries that share a block with others, and some that are alone in theirs."""
    return bool((lengths > 1).any()), bool((lengths % block == 1).any())


def _in_rows(values: torch.Tensor) -> torch.Tensor:
    """Return values whose rows lie in memory as they are."""
    return values if values.stride(1) == 1 else values.contiguous()


def _programs(layout: Layout, block: Block) -> tuple[int]:
    return (triton.cdiv(layout.rows, block.tall),)
