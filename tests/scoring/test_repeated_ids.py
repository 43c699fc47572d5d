"""Ids that several shards have, found partition by partition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.io.locations import Location
from qassay.io.scores.scores_folder import ScoresFolder
from qassay.scoring.repeated_ids import (
    DigestCollector,
    find_repeated,
    fingerprint,
    joined_fingerprints,
    partitions_for,
    rows_repeated,
)


def written(folder, shards):
    """Write the digests of shards of names."""
    for shard, names in enumerate(shards):
        found = DigestCollector()
        found.add([("S", name) for name in names], range(len(names)))
        folder.file("ids", shard).write(found.encoded())


@pytest.mark.parametrize("partitions", [1, 8])
@given(shards=st.lists(st.lists(st.integers(0, 30).map(str), unique=True, max_size=20), min_size=1, max_size=4))
def test_all_but_the_first_are_repeated(partitions, shards, tmp_path_factory):
    """Whatever the number of partitions, as a set in one process would find them."""
    folder = ScoresFolder(Location(str(tmp_path_factory.mktemp("scores"))))
    written(folder, shards)
    found = joined_fingerprints(
        find_repeated(folder, range(len(shards)), each, partitions) for each in range(partitions)
    )
    seen = Counter()
    for shard, names in enumerate(shards):
        expected = [row for row, name in enumerate(names) if seen[name]]
        assert rows_repeated(folder, shard, partitions).tolist() == expected
        assert found.get(shard) == (fingerprint(np.array(expected, np.uint64)) if expected else None)
        seen.update(names)


def test_system_and_id_are_kept_apart(tmp_path):
    """Equal only where both are."""
    folder = ScoresFolder(Location(str(tmp_path)))
    for shard, key in enumerate([("a", "bc"), ("ab", "c")]):
        found = DigestCollector()
        found.add([key], [0])
        folder.file("ids", shard).write(found.encoded())
    assert find_repeated(folder, [0, 1], 0, 1) == {}


@pytest.mark.parametrize(("examples", "partitions"), [(0, 1), (1, 1), (5_000_000, 4), (10**12, 256)])
def test_partitions_grow_with_the_run(examples, partitions):
    """So that a partition fits in memory."""
    assert partitions_for(examples) == partitions
