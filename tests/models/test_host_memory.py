"""Memory that arrays from a GPU are copied into: used again, never while somebody holds it."""

import gc

import numpy as np

from qassay.models.gpu.host_memory import HostMemory

ROWS = (1000, 384)


def _address(array):
    return array.__array_interface__["data"][0]


def test_memory_is_used_again():
    """The next array of about the size stands where the last one stood."""
    memory = HostMemory()
    first = memory.array(ROWS, np.float32)
    place = _address(first)
    assert first.shape == ROWS
    assert first.dtype == np.float32
    del first
    gc.collect()
    assert memory.free_bytes >= 4 * 1000 * 384
    second = memory.array((900, 384), np.float32)
    assert _address(second) == place
    assert memory.free_bytes == 0


def test_memory_in_use_is_not_handed_out():
    """A part of an array keeps all of it, also as another type and in another shape."""
    memory = HostMemory()
    first = memory.array(ROWS, np.float32)
    first[:] = 7.0
    kept = [first[10:12], first[:, 0].reshape(10, 100), first.view(np.int32)[5]]
    del first
    gc.collect()
    assert memory.free_bytes == 0
    memory.array(ROWS, np.float32)[:] = 1.0
    assert (kept[0] == 7).all()
    assert (kept[1] == 7).all()
    kept.clear()
    gc.collect()
    assert memory.free_bytes > 0


def test_little_memory_is_kept():
    """What is beyond the bound goes back to the system."""
    memory = HostMemory(kept_bytes=1 << 21)
    several = [memory.array((1 << 20,), np.uint8) for _ in range(5)]
    several.clear()
    gc.collect()
    assert memory.free_bytes == 1 << 21


def test_arrays_without_elements():
    """They have their shape, and hold nothing."""
    found = HostMemory().array((0, 384), np.float32)
    assert found.shape == (0, 384)
