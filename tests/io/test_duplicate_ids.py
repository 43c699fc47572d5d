"""Ids that were seen before are found, in 16 bytes each."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.io import duplicate_ids as identity
from qassay.io.duplicate_ids import SeenIds

keys = st.tuples(st.sampled_from(["", "A", "AB"]), st.sampled_from(["", "B", "BC", "C", "1:A", "巴"]))


def expected(batches):
    seen = set()
    for batch in batches:
        repeated = []
        for position, key in enumerate(batch):
            if key in seen:
                repeated.append(position)
            seen.add(key)
        yield repeated


@settings(max_examples=200)
@given(batches=st.lists(st.lists(keys, max_size=8), max_size=8), settle_at=st.sampled_from([1, 4, 1 << 16]))
def test_it_finds_what_a_set_finds(batches, settle_at):
    """Repetitions within a batch, between batches and after settling are those that a set finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "FEWEST_TO_SETTLE", settle_at)
        seen = SeenIds()
        assert [seen.add(batch) for batch in batches] == list(expected(batches))
    assert len(seen) == len({key for batch in batches for key in batch})


def test_digests_that_share_their_first_half_are_told_apart(monkeypatch):
    """Only the whole digest decides, also where many begin alike."""
    monkeypatch.setattr(identity, "_digests", lambda names: [b"\7" * 8 + bytes(name, "ascii") for _, name in names])
    monkeypatch.setattr(identity, "FEWEST_TO_SETTLE", 3)
    seen = SeenIds()
    first = [("", f"id-{n:05}") for n in range(8)]
    assert seen.add(first) == []
    assert seen.add([("", "id-00005"), ("", "id-00099"), ("", "id-00000")]) == [0, 2]


def test_memory_is_sixteen_bytes_an_id():
    """All digests together take 16 bytes each, and building the set needs little beside them."""
    seen = SeenIds()
    tracemalloc.start()
    batch = 4096
    for start in range(0, 60 * batch, batch):
        seen.add([("system", str(number)) for number in range(start, start + batch)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seen.bytes_held == 16 * len(seen) == 16 * 60 * batch
    assert peak < 8 << 20


def test_half_of_many_ids_are_found_again():
    """Among a hundred thousand ids the right ones are found again, in a random order."""
    rng = np.random.default_rng(5)
    order = rng.permutation(100_000)
    seen = SeenIds()
    known = [("", str(number)) for number in order if number % 2]
    for start in range(0, len(known), 1000):
        assert seen.add(known[start : start + 1000]) == []
    again = rng.permutation(100_000)
    found = seen.add([("", str(number)) for number in again])
    assert found == np.flatnonzero(again % 2).tolist()
