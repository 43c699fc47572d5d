"""The highest similarity of each token with the tokens of another text, computed where the embeddings are.

Only these numbers come back to the processor, in one copy.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from qassay.models.gpu.device_rows import copied, packed
from qassay.models.gpu.ragged import Layout, to_device
from qassay.models.matching import token_windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.models.base import Vectors
    from qassay.models.runtime import Rows

_FEWEST_TOKENS = 32
"""Texts are padded to a power of two from this one on. It depends on the pair alone, and few shapes occur."""
_NUMBERS_AT_ONCE = 1 << 24
"""Numbers of a batch of pairs: their padded vectors and similarities."""
_TOKENS_AT_ONCE = 1 << 17
"""Tokens of the pairs whose vectors are scaled to length 1 together."""
_HIGHEST = "highest"


class _Table(NamedTuple):
    """Pairs of texts, by columns: where their tokens stand among the vectors, and where their results go."""

    left: Ints
    left_lengths: Ints
    right: Ints
    right_lengths: Ints
    left_results: Ints
    right_results: Ints

    def rows(self, chosen: Ints) -> _Table:
        """Return some of the pairs."""
        return _Table(*(column[chosen] for column in self))


@torch.inference_mode()
def best_on_device(texts: Sequence[Rows], left: Ints, right: Ints, device: torch.device) -> tuple[Vectors, Vectors]:
    """Return the highest similarity of each token, pair after pair: those of the left texts, and of the right ones."""
    lengths = np.array([len(rows) for rows in texts], np.int64)
    counts = np.concatenate([lengths[left], lengths[right]])
    results = np.cumsum(counts) - counts
    total = int(counts.sum())
    # What is computed for padding goes behind the last place.
    found = torch.full((total + 1,), -torch.inf, device=device)
    for chosen in _pairs_at_once(lengths[left] + lengths[right]):
        pairs = np.concatenate([left[chosen], right[chosen]])
        needed, number = np.unique(pairs, return_inverse=True)
        layout = Layout(lengths[needed], device)
        vectors = packed([texts[text] for text in needed.tolist()], layout).values
        vectors /= torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
        starts = (np.cumsum(layout.lengths) - layout.lengths)[number]
        table = _Table(
            starts[: len(chosen)],
            counts[chosen],
            starts[len(chosen) :],
            counts[len(left) + chosen],
            results[chosen],
            results[len(left) + chosen],
        )
        with _full_precision():
            _match(vectors, table, found)
    both = copied(found[:total])
    border = int(lengths[left].sum())
    return both[:border], both[border:]


def _pairs_at_once(tokens: Ints) -> Iterator[Ints]:
    """Yield the numbers of pairs that are matched together; `tokens` are those of each pair."""
    part = np.cumsum(tokens) // _TOKENS_AT_ONCE
    yield from np.split(np.arange(len(tokens)), np.flatnonzero(np.diff(part)) + 1) if len(tokens) else ()


@contextmanager
def _full_precision() -> Iterator[None]:
    """Multiply in single precision, also where somebody has allowed torch less."""
    given = torch.get_float32_matmul_precision()
    if given == _HIGHEST:
        yield
        return
    torch.set_float32_matmul_precision(_HIGHEST)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(given)


def _match(vectors: torch.Tensor, table: _Table, found: torch.Tensor) -> None:
    """Match pairs of like lengths together, and long texts pair by pair."""
    width = vectors.shape[1]
    shapes = np.stack([_padded_lengths(table.left_lengths), _padded_lengths(table.right_lengths)])
    numbers = shapes[0] * shapes[1] + (shapes[0] + shapes[1]) * width
    for pair in np.flatnonzero(numbers > _NUMBERS_AT_ONCE).tolist():
        _match_long(vectors, table, pair, found)
    short = np.flatnonzero(numbers <= _NUMBERS_AT_ONCE)
    order = short[np.lexsort(shapes[:, short])]
    on_device = to_device(np.stack(table.rows(order)), vectors.device)
    ends = np.append(np.flatnonzero(np.diff(shapes[:, order]).any(axis=0)) + 1, len(order)).tolist()
    for first, last in zip([0, *ends], ends, strict=False):
        if first == last:
            continue
        shape = (int(shapes[0, order[first]]), int(shapes[1, order[first]]))
        at_once = max(1, _NUMBERS_AT_ONCE // int(numbers[order[first]]))
        for start in range(first, last, at_once):
            _match_batch(vectors, on_device[:, start : min(start + at_once, last)], shape, found)


def _padded_lengths(lengths: Ints) -> Ints:
    powers = np.exp2(np.ceil(np.log2(np.maximum(lengths, _FEWEST_TOKENS))))
    return np.asarray(powers, np.int64)


def _match_batch(vectors: torch.Tensor, table: torch.Tensor, shape: tuple[int, int], found: torch.Tensor) -> None:
    """Match pairs that are padded to one shape."""
    left, left_lengths, right, right_lengths, *results = table.unsqueeze(2).unbind()
    places = [torch.arange(length, device=vectors.device) for length in shape]
    absent = [places[0] >= left_lengths, places[1] >= right_lengths]
    sides = [
        vectors[(start + place).masked_fill_(missing, 0)]
        for start, place, missing in zip((left, right), places, absent, strict=True)
    ]
    similarity = torch.bmm(sides[0], sides[1].transpose(1, 2))
    similarity.masked_fill_(absent[0].unsqueeze(2) | absent[1].unsqueeze(1), -torch.inf)
    for axis, start, place, missing in zip((2, 1), results, places, absent, strict=True):
        found[(start + place).masked_fill_(missing, len(found) - 1)] = similarity.amax(axis)


def _match_long(vectors: torch.Tensor, table: _Table, pair: int, found: torch.Tensor) -> None:
    """Match one pair, without padding; very long texts in windows."""
    left, left_length, right, right_length, *results = (int(column[pair]) for column in table)
    ours, theirs = vectors[left : left + left_length], vectors[right : right + right_length]
    of_left, of_right = found[results[0] :][:left_length], found[results[1] :][:right_length]
    for start, end, low, high in token_windows(left_length, right_length):
        similarity = ours[start:end] @ theirs[low:high].T
        of_left[start:end] = similarity.amax(1)
        of_right[low:high] = torch.maximum(of_right[low:high], similarity.amax(0))
