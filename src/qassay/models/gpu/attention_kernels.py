"""Kernels of attention over rows of many items, without padding (Triton): `attention`, bit for bit.

A program takes some queries of an item for one head, and all keys of the item, 16 at a time: twice for the products
with the queries, first for the highest and then for the exponentials, since the CPU takes them from the highest of all.
"""

from __future__ import annotations

import triton
import triton.language as tl

from qassay.models.gpu import exact_math
from qassay.models.gpu.attention import LEAST_POWER
from qassay.models.gpu.kernels import UNSPECIALISED, bits, reduced, times_power

_E0, _E1, _E2, _E3, _E4, _E5, _E6 = map(tl.constexpr, exact_math.EXP)
_LEAST_WIDE = tl.constexpr(exact_math.LEAST_EXPONENT[exact_math.WIDE])
_LEAST_NARROW = tl.constexpr(exact_math.LEAST_EXPONENT[exact_math.NARROW])
_LEAST_POWER = tl.constexpr(LEAST_POWER)
_WIDE = tl.constexpr(exact_math.WIDE)
_KEYS = tl.constexpr(16)
"""Keys at a time: the lanes of AVX-512, or twice those of AVX2."""


@triton.jit
def _weights(scores, highest, inside, lanes: tl.constexpr):
    """Return the exponentials of scores."""
    least: tl.constexpr = _LEAST_WIDE if lanes == _WIDE else _LEAST_NARROW
    powers, rest = reduced(tl.maximum(scores - highest, least))
    near_one = tl.fma(rest, _E0, _E1)
    near_one = tl.fma(near_one, rest, _E2)
    near_one = tl.fma(near_one, rest, _E3)
    near_one = tl.fma(near_one, rest, _E4)
    near_one = tl.fma(near_one, rest, _E5)
    near_one = tl.fma(near_one, rest, _E6)
    found = times_power(near_one, powers)
    if lanes != _WIDE:
        found = tl.where(powers < _LEAST_POWER, 0.0, found)
    return tl.where(inside, found, 0.0)


@triton.jit
def _added(sums, weights, lanes: tl.constexpr):
    """Return sums in lanes with the weights of 16 keys added; of 8 lanes the upper half stays 0."""
    if lanes == _WIDE:
        sums += weights
    else:
        low, high = tl.split(tl.permute(tl.reshape(weights, (weights.shape[0], 2, 8)), (0, 2, 1)))
        own, _ = tl.split(tl.permute(tl.reshape(sums, (sums.shape[0], 2, 8)), (0, 2, 1)))
        own = (own + low) + high
        both = tl.permute(tl.join(own, tl.zeros_like(own)), (0, 2, 1))
        sums = tl.reshape(both, (sums.shape[0], 16))
    return sums


@triton.jit
def _total(sums):
    """Return the sum over lanes: of the halves, then of neighbours."""
    low, high = tl.split(tl.permute(tl.reshape(sums, (sums.shape[0], 2, 8)), (0, 2, 1)))
    low, high = tl.split(tl.reshape(high + low, (sums.shape[0], 4, 2)))
    low, high = tl.split(tl.reshape(low + high, (sums.shape[0], 2, 2)))
    low, high = tl.split(low + high)
    return low + high


@triton.jit
def _scores(query, key, asked, scale, there, inside, width: tl.constexpr, dot: tl.constexpr):
    """Return products of queries (their first numbers' addresses) with keys, each a sum in the numbers' order."""
    if dot:
        columns = tl.arange(0, width)
        keys = tl.load(key[None, :] + columns[:, None], mask=inside[None, :], other=0.0)
        found = tl.dot(asked, keys, input_precision="ieee")
    else:
        found = tl.zeros((query.shape[0], _KEYS), tl.float32)
        for column in tl.static_range(width):
            left = tl.load(query + column, mask=there, other=0.0)
            right = tl.load(key + column, mask=inside, other=0.0)
            found = tl.fma(left[:, None], right[None, :], found)
    return tl.where(inside[None, :], found * scale, float("-inf"))


@triton.jit
def _mixed(weights, values, found, dot: tl.constexpr):
    """Return sums of values with the products of 16 keys added, in the keys' order."""
    if dot:
        found = tl.dot(weights, values, found, input_precision="ieee")
    else:
        places = tl.arange(0, _KEYS)
        for place in tl.static_range(_KEYS):
            # All but one of the numbers added up are 0.
            weight = tl.sum(tl.where((places == place)[None, :], weights, 0.0), axis=1)
            value = tl.sum(tl.where((places == place)[:, None], values, 0.0), axis=0)
            found = tl.fma(weight[:, None], value[None, :], found)
    return found


@triton.jit(**UNSPECIALISED)
def attention_kernel(
    query,
    key,
    value,
    out,
    query_starts,
    query_counts,
    key_starts,
    key_counts,
    ranges,
    items,
    heads,
    query_stride,
    key_stride,
    value_stride,
    out_stride,
    scale,
    width: tl.constexpr,
    lanes: tl.constexpr,
    queries: tl.constexpr,
    query_block: tl.constexpr,
    sum_block: tl.constexpr,
    dot: tl.constexpr,
    above: tl.constexpr,
):
    """Mix the values of an item's keys, of more than `above`, for some of its queries.

    A query that is alone in its block is left out.
    """
    item = tl.program_id(0) // heads
    count = tl.load(query_counts + item).to(tl.int32)
    known = tl.load(key_counts + item).to(tl.int32)
    first = tl.program_id(1) * queries
    if (first < count) & (known > above):
        offset = tl.program_id(0) % heads * width
        columns = tl.arange(0, width)
        near = tl.arange(0, _KEYS)
        places = first + tl.arange(0, queries)
        there = places < count
        rows = tl.load(query_starts + item) + places
        query_row = query + rows * query_stride + offset
        key_row = key + tl.load(key_starts + item) * key_stride + offset
        value_row = value + tl.load(key_starts + item) * value_stride + offset
        asked = tl.load(query_row[:, None] + columns[None, :], mask=there[:, None], other=0.0)
        highest = tl.full((queries, _KEYS), float("-inf"), tl.float32)
        for start in range(0, known, _KEYS):
            inside = start + near < known
            here = key_row + (start + near).to(tl.int64) * key_stride
            scores = _scores(query_row, here, asked, scale, there, inside, width, dot)
            highest = tl.maximum(highest, scores)
        top = tl.max(highest, axis=1)[:, None]
        sums = tl.zeros((queries, _KEYS), tl.float32)
        total = tl.zeros((queries, width), tl.float32)
        for block in range(0, known, sum_block):
            found = tl.zeros((queries, width), tl.float32)
            for start in range(block, tl.minimum(block + sum_block, known), _KEYS):
                inside = start + near < known
                here = key_row + (start + near).to(tl.int64) * key_stride
                scores = _scores(query_row, here, asked, scale, there, inside, width, dot)
                weights = _weights(scores, top, inside[None, :], lanes)
                sums = _added(sums, weights, lanes)
                there_values = value_row + (start + near).to(tl.int64) * value_stride
                values = tl.load(there_values[:, None] + columns[None, :], mask=inside[:, None], other=0.0)
                found = _mixed(weights, values, found, dot)
            total += found
        mixed = tl.div_rn(total, _total(sums)[:, None])
        together = places < tl.where(count % query_block == 1, count - 1, count)
        mixed = tl.where(together[:, None], mixed, 0.0)
        tl.store(out + rows[:, None] * out_stride + offset + columns[None, :], mixed, mask=together[:, None])
        tl.atomic_max(ranges + item, bits(tl.max(tl.max(-mixed, axis=1), axis=0)))
        tl.atomic_max(ranges + items + item, bits(tl.max(tl.max(mixed, axis=1), axis=0)))


@triton.jit
def _sums(weights, lanes: tl.constexpr):
    """Return the sums of weights in lanes, 16 keys after 16 keys, of at most 64."""
    queries: tl.constexpr = weights.shape[0]
    keys: tl.constexpr = weights.shape[1]
    sums = tl.zeros((queries, _KEYS), tl.float32)
    if keys == _KEYS:
        sums = _added(sums, weights, lanes)
    else:
        parts = tl.permute(tl.reshape(weights, (queries, keys // _KEYS, _KEYS)), (0, 2, 1))
        if keys == 2 * _KEYS:
            first, second = tl.split(parts)
            sums = _added(_added(sums, first, lanes), second, lanes)
        else:
            even, odd = tl.split(tl.reshape(parts, (queries, _KEYS, 2, 2)))
            first, third = tl.split(even)
            second, fourth = tl.split(odd)
            sums = _added(_added(sums, first, lanes), second, lanes)
            sums = _added(_added(sums, third, lanes), fourth, lanes)
    return sums


@triton.jit(**UNSPECIALISED)
def short_attention_kernel(
    query,
    key,
    value,
    out,
    query_starts,
    query_counts,
    key_starts,
    key_counts,
    ranges,
    items,
    heads,
    query_stride,
    key_stride,
    value_stride,
    out_stride,
    scale,
    width: tl.constexpr,
    lanes: tl.constexpr,
    queries: tl.constexpr,
    query_block: tl.constexpr,
    keys: tl.constexpr,
):
    """Do what `attention_kernel` does, with all keys of an item at once; items with more keys are left to that."""
    item = tl.program_id(0) // heads
    count = tl.load(query_counts + item).to(tl.int32)
    known = tl.load(key_counts + item).to(tl.int32)
    first = tl.program_id(1) * queries
    if (first < count) & (known <= keys):
        offset = tl.program_id(0) % heads * width
        columns = tl.arange(0, width)
        near = tl.arange(0, keys)
        inside = near < known
        places = first + tl.arange(0, queries)
        rows = tl.load(query_starts + item) + places
        key_rows = tl.load(key_starts + item) + near
        asked = tl.load(
            query + rows[:, None] * query_stride + offset + columns[None, :], mask=(places < count)[:, None], other=0.0
        )
        known_keys = tl.load(
            key + key_rows[None, :] * key_stride + offset + columns[:, None], mask=inside[None, :], other=0.0
        )
        scores = tl.dot(asked, known_keys, input_precision="ieee") * scale
        scores = tl.where(inside[None, :], scores, float("-inf"))
        weights = _weights(scores, tl.max(scores, axis=1)[:, None], inside[None, :], lanes)
        values = tl.load(
            value + key_rows[:, None] * value_stride + offset + columns[None, :], mask=inside[:, None], other=0.0
        )
        mixed = tl.dot(weights, values, input_precision="ieee")
        mixed = tl.div_rn(mixed, _total(_sums(weights, lanes))[:, None])
        together = places < tl.where(count % query_block == 1, count - 1, count)
        mixed = tl.where(together[:, None], mixed, 0.0)
        tl.store(out + rows[:, None] * out_stride + offset + columns[None, :], mixed, mask=together[:, None])
        tl.atomic_max(ranges + item, bits(tl.max(tl.max(-mixed, axis=1), axis=0)))
        tl.atomic_max(ranges + items + item, bits(tl.max(tl.max(mixed, axis=1), axis=0)))


@triton.jit
def _scores_of_one(query, key, scale, inside, keys: tl.constexpr, width: tl.constexpr):
    """Return the products of one query with keys."""
    found = tl.zeros((keys,), tl.float32)
    for column in tl.static_range(width):
        right = tl.load(key + column, mask=inside, other=0.0)
        found = tl.fma(right, tl.load(query + column), found)
    return tl.where(inside, found * scale, float("-inf"))


@triton.jit(**UNSPECIALISED)
def lone_query_kernel(
    query,
    key,
    value,
    out,
    query_starts,
    query_counts,
    key_starts,
    key_counts,
    ranges,
    items,
    heads,
    query_stride,
    key_stride,
    value_stride,
    out_stride,
    scale,
    width: tl.constexpr,
    lanes: tl.constexpr,
    query_block: tl.constexpr,
):
    """Mix the values of an item's keys for its last query, where that is alone in its block."""
    item = tl.program_id(0) // heads
    count = tl.load(query_counts + item).to(tl.int32)
    if count % query_block == 1:
        offset = tl.program_id(0) % heads * width
        known = tl.load(key_counts + item).to(tl.int32)
        columns = tl.arange(0, width)
        near = tl.arange(0, _KEYS)
        four = tl.arange(0, 4)
        row = tl.load(query_starts + item) + count - 1
        query_row = query + row * query_stride + offset
        key_row = key + tl.load(key_starts + item) * key_stride + offset
        value_row = value + tl.load(key_starts + item) * value_stride + offset
        highest = tl.full((_KEYS,), float("-inf"), tl.float32)
        for start in range(0, known, _KEYS):
            here = start + near
            scores = _scores_of_one(
                query_row, key_row + here.to(tl.int64) * key_stride, scale, here < known, _KEYS, width
            )
            highest = tl.maximum(highest, scores)
        top = tl.max(highest, axis=0)
        sums = tl.zeros((1, _KEYS), tl.float32)
        for start in range(0, known, _KEYS):
            here = start + near
            scores = _scores_of_one(
                query_row, key_row + here.to(tl.int64) * key_stride, scale, here < known, _KEYS, width
            )
            sums = _added(sums, _weights(scores, top, here < known, lanes)[None, :], lanes)
        total = tl.zeros((width,), tl.float32)
        for start in range(0, known, 4):
            here = start + four
            inside = here < known
            scores = _scores_of_one(query_row, key_row + here.to(tl.int64) * key_stride, scale, inside, 4, width)
            weights = _weights(scores, top, inside, lanes)
            address = value_row + here.to(tl.int64)[None, :] * value_stride + columns[:, None]
            products = tl.load(address, mask=inside[None, :], other=0.0) * weights[None, :]
            even, odd = tl.split(tl.reshape(products, (width, 2, 2)))
            one, three = tl.split(even)
            two, last = tl.split(odd)
            pair = one + two
            whole = ((pair + three) + last) + total
            # Three keys at the end are a pair and a single one.
            total = tl.where(start + 3 == known, (pair + total) + three, whole)
        mixed = tl.div_rn(total[None, :], _total(sums)[:, None])
        tl.store(out + row * out_stride + offset + columns[None, :], mixed)
        tl.atomic_max(ranges + item, bits(tl.max(tl.max(-mixed, axis=1), axis=0)))
        tl.atomic_max(ranges + items + item, bits(tl.max(tl.max(mixed, axis=1), axis=0)))
