"""Judged answers for training and for choosing: no question on both sides, nor across the keyphrase data's."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol, TypeVar

from qassay.training.judged_pairs import WITHOUT_LICENCE, judged_sources
from qassay.training.keyphrase.rows import question_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    import numpy as np

    from qassay.training.judged_pairs import JudgedPair
    from qassay.training.keyphrase.build import KeyphraseData

ONLY_CHOOSING = frozenset({"beetle", "squad_mturk"})
"""Sources that no model is trained on, so that some of what a model is chosen by is wholly new to it."""
_ONE_IN = 5


def split_judged(
    sources: Mapping[str, Iterable[JudgedPair]], data: KeyphraseData, held_out: Collection[str]
) -> tuple[list[JudgedPair], list[JudgedPair]]:
    """Split judged pairs into those to train on and those to choose by.

    A pair follows its question: to the side where the keyphrase data has it, or else by the hash of its text. Questions
    of evaluation sets (`held_out`, as keys) are left out.
    """
    train_keys, dev_keys = ({question_key(row.question) for row in side} for side in (data.train, data.dev))
    sides: tuple[list[JudgedPair], list[JudgedPair]] = ([], [])
    for name, pairs in sources.items():
        for pair in pairs:
            key = pair.group
            if key in held_out:
                continue
            by_hash = key not in train_keys and zlib.crc32(key.encode()) % _ONE_IN == 0
            sides[name in ONLY_CHOOSING or key in dev_keys or by_hash].append(pair)
    return sides


def embedded_judged(
    folder: Path,
    data: KeyphraseData,
    *,
    rng: np.random.Generator,
    held_out: Collection[str] = (),
    licensed_only: bool = False,
) -> list[JudgedPair]:
    """Return the judged pairs that the embedded model is trained on, from the folder of public training sets.

    They are the training side of `split_judged`; what it has left over is the suite that models are chosen by.
    """
    unread = ONLY_CHOOSING | (WITHOUT_LICENCE if licensed_only else frozenset())
    sources = {name: pairs for name, pairs in judged_sources(folder, rng).items() if name not in unread}
    return split_judged(sources, data, held_out)[0]


class _Sourced(Protocol):
    @property
    def source(self) -> str: ...


Row = TypeVar("Row", bound=_Sourced)


def sample(rows: Iterable[Row], most: int, rng: np.random.Generator) -> list[Row]:
    """Draw at most `most` rows of each source, source by source, in their order."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    drawn = []
    for found in by_source.values():
        kept = rng.choice(len(found), min(most, len(found)), replace=False)
        drawn += [found[index] for index in sorted(kept)]
    return drawn
