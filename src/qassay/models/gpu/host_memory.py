"""Memory of the processor that arrays from a GPU are copied into, and that later ones use again.

Fresh memory costs more time than a copy into it: the system hands it out, and clears it, page by page.
"""

from __future__ import annotations

import math
import weakref
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

_FEWEST_BYTES = 1 << 16
_KEPT_BYTES = 1 << 29


class HostMemory:
    """Arrays whose memory is used again when nobody holds them or a part of them any more.

    It is handed out in powers of two, so that few sizes occur.
    """

    def __init__(self, kept_bytes: int = _KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._free: defaultdict[int, list[NDArray[np.uint8]]] = defaultdict(list)

    @property
    def free_bytes(self) -> int:
        """The memory that waits to be used again."""
        return sum(size * len(memories) for size, memories in list(self._free.items()))

    def array(self, shape: Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of any content."""
        wanted = math.prod(shape) * np.dtype(dtype).itemsize
        size = max(_FEWEST_BYTES, 1 << max(wanted - 1, 0).bit_length())
        try:
            memory = self._free[size].pop()
        except IndexError:
            memory = np.empty(size, np.uint8)
        # An array over a buffer is the base of all its views, so that it lives as long as they do.
        base = np.frombuffer(memory.data, np.uint8)
        weakref.finalize(base, self._give_back, memory).atexit = False
        return base[:wanted].view(dtype).reshape(shape)

    def _give_back(self, memory: NDArray[np.uint8]) -> None:
        if self.free_bytes + memory.nbytes <= self._kept_bytes:
            self._free[memory.nbytes].append(memory)
