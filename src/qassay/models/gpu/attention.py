"""Attention over rows of many items, with the same bits as onnxruntime's on the CPU.

On the CPU, attention runs one text at a time in blocks of 64 queries (flash attention, in which a text of up to some
1,000 pieces is one block of keys). A product is a sum over its terms in their order, each added in one rounding, but
for a query that is alone in its block, whose values are added up four at a time with a rounding for each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from qassay.models.gpu.exact_math import (
    EXP,
    LEAST_EXPONENT,
    NARROW,
    exponential,
    fma,
    lanes_here,
    scaled,
    sum_in_lanes,
)
from qassay.models.gpu.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qassay.models.gpu.ragged import Layout

LEAST_POWER = -126
_NUMBERS_AT_ONCE = 1 << 24
"""Products of queries and keys, padding counted in."""


def query_block(width: int) -> int:
    """Return how many queries the CPU takes at once, for heads of a width."""
    return 2 * width


def sum_block(width: int) -> int:
    """Return how many keys' values the CPU adds up before it adds the sum to that of the keys before them."""
    columns = 128
    while columns > 16 and columns // 2 >= width:  # noqa: PLR2004 - the narrowest block
        columns //= 2
    return 128 * 128 // columns


def score_scale(width: int) -> float:
    """Return what products of queries and keys are multiplied with, for heads of a width."""
    return torch.tensor(width, dtype=torch.float32).sqrt().reciprocal().item()


def attend(query: Ragged, key: Ragged, value: Ragged, heads: int, lanes: int | None = None) -> Ragged:
    """Return what each row of an item attends to in all its keys."""
    lanes = lanes or lanes_here()
    found = torch.empty_like(query.values, memory_format=torch.contiguous_format)
    block = query_block(query.values.shape[1] // heads)
    for items in _batches(query.layout, key.layout, heads):
        queries, rows = _padded(query, items, heads)
        keys, _ = _padded(key, items, heads)
        values, _ = _padded(value, items, heads)
        asking, asked = query.layout.counts[items], key.layout.counts[items]
        places = torch.arange(queries.shape[2], device=found.device)
        inside = torch.arange(keys.shape[2], device=found.device) < asked[:, None]
        weights, sums = _weights(queries, keys, inside[:, None, None], lanes)
        mixed = _mixed(weights, values)
        # The last query of an item may be alone in its block.
        alone = (asking % block == 1)[:, None] & (places == asking[:, None] - 1)
        item, place = alone.nonzero(as_tuple=True)
        mixed[item, :, place] = _mixed_alone(weights[item, :, place], values[item], asked[item])
        mixed = (mixed / sums[..., None]).transpose(1, 2).flatten(2)
        here = places < asking[:, None]
        found[rows[here]] = mixed[here]
    return Ragged(found, query.layout)


def _batches(queries: Layout, keys: Layout, heads: int) -> Iterator[slice]:
    """Yield items, as many at once as take a bounded memory."""
    start = 0
    while start < len(queries):
        stop = start + 1
        longest = (queries.lengths[start], keys.lengths[start])
        while stop < len(queries):
            wider = (max(longest[0], queries.lengths[stop]), max(longest[1], keys.lengths[stop]))
            if (stop + 1 - start) * heads * wider[0] * wider[1] > _NUMBERS_AT_ONCE:
                break
            longest, stop = wider, stop + 1
        yield slice(start, stop)
        start = stop


def _padded(rows: Ragged, items: slice, heads: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (items, heads, longest, width of a head), and the row of each place; the last row stands for padding."""
    counts = rows.layout.counts[items]
    longest = int(rows.layout.lengths[items].max(initial=1))
    places = torch.minimum(torch.arange(longest, device=counts.device), (counts - 1).clamp(min=0)[:, None])
    numbers = (rows.layout.starts[items][:, None] + places).clamp(max=max(rows.layout.rows - 1, 0))
    return rows.values[numbers].view(*numbers.shape, heads, -1).transpose(1, 2), numbers


def _weights(
    queries: torch.Tensor, keys: torch.Tensor, inside: torch.Tensor, lanes: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the weight of each key, and the sums of weights by which they are yet to be divided."""
    width = queries.shape[-1]
    scores = queries.new_zeros((*queries.shape[:-1], keys.shape[2]))
    for query, key in zip(queries.unbind(-1), keys.unbind(-1), strict=True):
        scores = fma(query[..., None], key[..., None, :], scores)
    scores = scores * score_scale(width)
    scores = scores.masked_fill(~inside, -torch.inf)
    highest = scores.amax(-1, keepdim=True)
    least = torch.tensor(LEAST_EXPONENT[lanes], dtype=torch.float32).item()
    near_one, powers = exponential((scores - highest).clamp(min=least), EXP)
    weights = scaled(near_one, powers).masked_fill(~inside, 0)
    if lanes == NARROW:
        # Where the smallest powers of 2 are made from bits, they are 0.
        weights = weights.masked_fill(powers < LEAST_POWER, 0)
    return weights, sum_in_lanes(weights, lanes)


def _mixed(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the sum of values by their weights, for queries that are not alone."""
    total = values.new_zeros((*weights.shape[:-1], values.shape[-1]))
    size = sum_block(values.shape[-1])
    for start in range(0, weights.shape[-1], size):
        block = torch.zeros_like(total)
        for place in range(start, min(start + size, weights.shape[-1])):
            block = fma(weights[..., place, None], values[:, :, None, place], block)
        total = total + block
    return total


def _mixed_alone(weights: torch.Tensor, values: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return the same for queries that are alone: products are rounded, and added up in fours, a two and a one."""
    products = functional.pad(weights[..., None] * values, (0, 0, 0, -weights.shape[-1] % 4))
    total = torch.zeros_like(products[:, :, 0])
    for start in range(0, products.shape[2], 4):
        one, two, three, four = products[:, :, start : start + 4].unbind(2)
        pair = one + two
        ends = (counts == start + 3)[:, None, None]
        total = torch.where(ends, (pair + total) + three, ((pair + three) + four) + total)
    return total
