"""Answers of different shards with the same id, found by a shuffle of digests through the folder of scores.

Each shard writes the digests of its `(system, id)` pairs in ascending order, with an index. The range of digests is cut
into partitions; whoever checks one reads that range of every shard, so that no process holds all ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence  # noqa: TC003 - as annotations
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from qassay.io.locations import reachable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.io.locations import Location
    from qassay.io.scores.scores_folder import ScoresFolder

DIGEST = np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<u8")])
PLACE = np.dtype([("shard", "<u8"), ("row", "<u8")])
BUCKETS = 256
"""The index says where each of so many equal ranges of digests begins."""
_INDEX = np.dtype("<u8")
_PER_PARTITION = 1 << 21
"""Answers per partition, about: 72 MB while they are sorted."""
_MIX = np.uint64(0x9E3779B97F4A7C15)


class DigestCollector:
    """The digests of a shard's answers, by the number of the row in the input."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._rows: list[NDArray[np.uint64]] = []

    def add(self, keys: Sequence[tuple[str, str]], rows: Sequence[int]) -> None:
        """Add the `(system, id)` pairs of some rows."""
        self._digests.append(b"".join(_digest(system, name) for system, name in keys))
        self._rows.append(np.array(rows, np.uint64))

    def encoded(self) -> bytes:
        """Return the index and the digests, in ascending order."""
        words = np.frombuffer(b"".join(self._digests), "<u8").reshape(-1, 2)
        order = np.lexsort((words[:, 1], words[:, 0]))
        found = np.empty(len(words), DIGEST)
        found["high"], found["low"] = words[order, 0], words[order, 1]
        found["row"] = np.concatenate([*self._rows, np.zeros(0, np.uint64)])[order]
        starts = np.arange(BUCKETS, dtype=np.uint64) << np.uint64(64 - 8)
        index = np.append(np.searchsorted(found["high"], starts), len(found)).astype(_INDEX)
        return index.tobytes() + found.tobytes()


def partitions_for(examples: int) -> int:
    """Return into how many partitions the digests of so many answers are cut: a power of two, at most `BUCKETS`."""
    wanted = max(1, -(-examples // _PER_PARTITION))
    return min(BUCKETS, 1 << (wanted - 1).bit_length())


def find_repeated(folder: ScoresFolder, shards: Sequence[int], partition: int, partitions: int) -> dict[int, str]:
    """Write which answers of a partition repeat an id of an earlier shard; return a fingerprint per shard that has any.

    Fingerprints of partitions add up with `joined_fingerprints`.
    """
    parts = [(shard, _range_of(folder.file("ids", shard), partition, partitions)) for shard in shards]
    found = np.concatenate([part for _, part in parts])
    shard_of = np.repeat(np.array([shard for shard, _ in parts], np.uint64), [len(part) for _, part in parts])
    # Stable, and the shards are in order: of equal digests the first stays first.
    order = np.lexsort((found["low"], found["high"]))
    found, shard_of = found[order], shard_of[order]
    again = np.zeros(len(found), np.bool_)
    again[1:] = (found["high"][1:] == found["high"][:-1]) & (found["low"][1:] == found["low"][:-1])
    places = np.empty(int(again.sum()), PLACE)
    places["shard"], places["row"] = shard_of[again], found["row"][again]
    places.sort(order=["shard", "row"])
    folder.write("repeated", partition, places.tobytes())
    return {
        shard: fingerprint(places["row"][places["shard"] == shard]) for shard in np.unique(places["shard"]).tolist()
    }


def rows_repeated(folder: ScoresFolder, shard: int, partitions: int) -> NDArray[np.uint64]:
    """Return the rows of a shard that repeat an id of an earlier one, ascending."""
    files = (folder.file("repeated", partition).read() for partition in range(partitions))
    places = [np.frombuffer(content, PLACE) for content in files]
    return np.sort(np.concatenate([each["row"][each["shard"] == shard] for each in places]))


def fingerprint(rows: NDArray[np.uint64]) -> str:
    """Return what identifies a set of rows."""
    mixed = (rows.astype(np.uint64) + np.uint64(1)) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
    return f"{len(rows)}:{int(mixed.sum(dtype=np.uint64)):x}"


def joined_fingerprints(found: Iterable[Mapping[int, str]]) -> dict[int, str]:
    """Return the fingerprint of each shard's rows in all partitions together."""
    joined: dict[int, tuple[int, int]] = {}
    for partition in found:
        for shard, text in partition.items():
            count, _, mixed = text.partition(":")
            before = joined.get(shard, (0, 0))
            joined[shard] = before[0] + int(count), (before[1] + int(mixed, 16)) % (1 << 64)
    return {shard: f"{count}:{mixed:x}" for shard, (count, mixed) in joined.items()}


def _range_of(place: Location, partition: int, partitions: int) -> NDArray[np.void]:
    """Return the digests of a shard that belong to a partition."""
    each = BUCKETS // partitions
    index_bytes = (BUCKETS + 1) * _INDEX.itemsize
    with reachable(place.url), place.open() as file:
        index = np.frombuffer(file.read(index_bytes), _INDEX)
        first, last = int(index[partition * each]), int(index[(partition + 1) * each])
        file.seek(index_bytes + first * DIGEST.itemsize)
        return np.frombuffer(file.read((last - first) * DIGEST.itemsize), DIGEST)


def _digest(system: str, name: str) -> bytes:
    # The length keeps ("a", "bc") and ("ab", "c") apart.
    return blake2b(f"{len(system)}:{system}{name}".encode(errors="surrogatepass"), digest_size=16).digest()
