"""The operations of `linear` and `attention` on a GPU, each in as few passes over memory as there can be.

Block sizes do not change a bit of the results.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton

from qassay.models.gpu import attention_kernels, kernels
from qassay.models.gpu.attention import query_block, score_scale, sum_block
from qassay.models.gpu.exact_math import lanes_here
from qassay.models.gpu.linear import Norm, Quantised, multiply
from qassay.models.gpu.ragged import Layout, Ragged

_UNFUSED = {"enable_fp_fusion": False}
"""No product is fused with a sum, but where a kernel says so."""


class Block(NamedTuple):
    """What one program of a kernel does at a time."""

    tall: int
    """Rows."""
    wide: int
    """Columns."""
    warps: int


RANGE = Block(16, 128, 4)
QUANTISE = Block(8, 128, 4)
SCALE = Block(16, 128, 8)
NORM = Block(16, 8, 1)
ATTENTION = Block(16, 64, 1)
"""Queries, and the most keys of items whose keys are all taken at once."""
LONG_ATTENTION = Block(16, 16, 1)
"""Queries of items with more keys, which are taken 16 at a time."""
_FEWEST_KEYS = 32


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
    long_block: Block = LONG_ATTENTION,
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
    once = block.wide if dot else 0
    programs = len(asking) * heads
    if asking.longest > 1 and asked.shortest <= once:
        attention_kernels.short_attention_kernel[programs, triton.cdiv(asking.longest, block.tall)](
            *given,
            **settings,
            queries=block.tall,
            keys=_FEWEST_KEYS if asked.longest <= _FEWEST_KEYS else once,
            num_warps=block.warps,
        )
    if asking.longest > 1 and asked.longest > once:
        attention_kernels.attention_kernel[programs, triton.cdiv(asking.longest, long_block.tall)](
            *given,
            **settings,
            queries=long_block.tall,
            sum_block=sum_block(width),
            dot=dot,
            above=once,
            num_warps=long_block.warps,
        )
    if (asking.lengths % query_block(width) == 1).any():
        attention_kernels.lone_query_kernel[(programs,)](*given, **settings, num_warps=1)
    return Ragged(out, asking, ranges)


def _in_rows(values: torch.Tensor) -> torch.Tensor:
    """Return values whose rows lie in memory as they are."""
    return values if values.stride(1) == 1 else values.contiguous()


def _programs(layout: Layout, block: Block) -> tuple[int]:
    return (triton.cdiv(layout.rows, block.tall),)
