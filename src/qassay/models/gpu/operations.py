"""What runs the layers of a network: kernels on a GPU that shows the same bits, torch's own operations elsewhere."""

from __future__ import annotations

import logging
from functools import cache, partial
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from qassay.models.gpu import attention, linear
from qassay.models.gpu.linear import Norm, Quantised
from qassay.models.gpu.ragged import Layout, Ragged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

_LOG = logging.getLogger("qassay.gpu")
_checking = Lock()
"""Held while kernels are checked, which changes how many threads torch uses."""
_QUERIES = (40, 1, 23, 65, 2)
_KEYS = (40, 1, 23, 65, 530)
"""Items of the check: queries that are alone in their blocks are among them, and keys in more than one block."""
_SHORT = (17, 1, 32, 9)
_WIDTH, _OUT, _HEADS, _HEAD_WIDTH = 384, 128, 2, 32


class Operations(NamedTuple):
    """The operations that take the time of a network."""

    linear: Callable[..., Ragged]
    add_and_norm: Callable[..., Ragged]
    linear_and_norm: Callable[..., Ragged]
    attend: Callable[..., Ragged]


PLAIN = Operations(linear.linear, linear.add_and_norm, linear.linear_and_norm, attention.attend)


@cache
def operations_on(device: torch.device) -> Operations:
    """Return what runs on a device: kernels, as far as they give the bits that torch's operations give on the CPU."""
    if device.type != "cuda":
        return PLAIN
    if find_spec("triton") is None:
        _LOG.warning("Triton is not installed: the models run on the GPU several times as slowly as with it")
        return PLAIN
    from qassay.models.gpu import launch  # noqa: PLC0415 - needs Triton

    return chosen(launch, device)


def chosen(launch: ModuleType, device: torch.device) -> Operations:
    """Return for each operation the first kernel that is exact, or torch's own operations with a warning."""
    with _checking:
        threads = torch.get_num_threads()
        # The samples are small, and many processes may begin at once.
        torch.set_num_threads(1)
        try:
            return _chosen(launch, Samples(device), Samples(torch.device("cpu")))
        finally:
            torch.set_num_threads(threads)


def _chosen(launch: ModuleType, here: Samples, cpu: Samples) -> Operations:
    attends = [partial(launch.attend, dot=dot) for dot in (True, False)]
    dense = (here.rows, here.weights), (cpu.rows, cpu.weights)
    return Operations(
        _exact("dense layers", PLAIN.linear, [launch.linear], [(*dense, {}), (*dense, {"gelu": True})]),
        _exact("normalisation", PLAIN.add_and_norm, [launch.add_and_norm], [(here.sums, cpu.sums, {})]),
        _exact(
            "dense layers with normalisation",
            PLAIN.linear_and_norm,
            [launch.linear_and_norm],
            [(here.product_sums, cpu.product_sums, {})],
        ),
        _exact(
            "attention",
            PLAIN.attend,
            attends,
            [(here.attention, cpu.attention, {}), (here.short_attention, cpu.short_attention, {})],
        ),
    )


class Samples:
    """Inputs that show whether an operation gives the wanted bits."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._random = torch.Generator().manual_seed(1)
        layout = Layout(np.array(_QUERIES, np.int64), device)
        self.rows = Ragged(self._numbers(layout.rows, _WIDTH), layout)
        states = Ragged(self._numbers(layout.rows, _WIDTH), layout)
        norm = Norm(self._numbers(_WIDTH), self._numbers(_WIDTH), 1e-12)
        self.weights = self._quantised(_WIDTH, _OUT)
        self.sums = (states, self.rows, norm)
        self.product_sums = (self.rows, self._quantised(_WIDTH, _WIDTH), states, norm)
        self.attention = self._attention(_QUERIES, _KEYS)
        self.short_attention = self._attention(_SHORT, _SHORT)

    def _attention(self, asking: Sequence[int], asked: Sequence[int]) -> tuple[Ragged, Ragged, Ragged, int]:
        queries, keys = (Layout(np.array(each, np.int64), self.device) for each in (asking, asked))
        numbers = (Ragged(3 * self._numbers(each.rows, _HEADS * _HEAD_WIDTH), each) for each in (queries, keys, keys))
        query, key, value = numbers
        return query, key, value, _HEADS

    def _numbers(self, *shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=self._random).to(self.device)

    def _quantised(self, width: int, out: int) -> Quantised:
        weight = torch.randint(-127, 128, (width, out), generator=self._random, dtype=torch.int8)
        scale, bias = (torch.rand(out, generator=self._random) for _ in range(2))
        return Quantised.on(self.device, weight, scale / 1000, bias)


def _exact(
    name: str,
    plain: Callable[..., Ragged],
    candidates: Sequence[Callable[..., Ragged]],
    samples: Sequence[tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]],
) -> Callable[..., Ragged]:
    """Return the first candidate that gives the bits of the plain operation on all samples.

    A sample has what the candidate is given, the same for the plain operation on the CPU, and the settings of both.
    """
    problem = "it gives other numbers than the CPU"
    for candidate in candidates:
        try:
            if all(same_bits(candidate(*here, **named), plain(*cpu, **named)) for here, cpu, named in samples):
                if candidate is not candidates[0]:
                    _LOG.warning("a slower kernel is used: %s: %s", name, problem)
                return candidate
        except Exception as error:  # noqa: BLE001 - Triton has an error of its own for everything that may be missing
            problem = f"{type(error).__name__}: {error}"
    _LOG.warning("a kernel is not used, which makes the GPU slower: %s: %s", name, problem)
    return plain


def same_bits(found: Ragged, wanted: Ragged) -> bool:
    """Whether rows are equal to the last bit, and the ranges too that come with the first ones."""
    ranges = torch.stack(linear.ranges_of(wanted)).add(0.0).view(torch.int32)
    return torch.equal(found.values.cpu(), wanted.values.cpu()) and (
        found.ranges is None or torch.equal(found.ranges.cpu(), ranges.cpu())
    )
