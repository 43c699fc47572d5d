"""Hashes of examples, whatever their order: of their data for signatures, of their texts for the bootstrap."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from qassay.io.example_columns import ExampleColumns
from qassay.records import read_field
from qassay.text.text_hash import hash_texts, tagged
from qassay.text.tokenisers.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Ints
    from qassay.records import Example
    from qassay.text.text_hash import Hashes

_QUESTION, _CANDIDATE, _ID, _FIRST_FIELD, _FIRST_REFERENCE = 1, 2, 3, 4, 1 << 16
"""Tags of what is hashed."""


class ExampleHashes:
    """Hashes of a batch of examples, one per example and computed together."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        columns = examples if isinstance(examples, ExampleColumns) else None
        self._ids = columns.ids if columns else [each.id for each in examples]
        self._questions = columns.questions if columns else [each.question for each in examples]
        self._candidates = columns.candidate_texts if columns else [each.candidate or "" for each in examples]
        self._references: Sequence[Sequence[str]] = (
            columns.references if columns else [[each.text for each in one.references] for one in examples]
        )

    @cached_property
    def _hashes(self) -> tuple[Hashes, Hashes, Hashes, Hashes]:
        """Hashes of candidates, ids, questions and references, these with their opinions; computed together."""
        flat = list(chain.from_iterable(self._references))
        if not isinstance(self._examples, ExampleColumns):
            given = [each for example in self._examples for each in example.references]
            flat = [each.text if each.opinion is None else f"{each.text}\x1f{each.opinion}" for each in given]
        size = len(self._ids)
        found = hash_texts([*self._candidates, *self._ids, *self._questions, *flat])
        return found[:size], found[size : 2 * size], found[2 * size : 3 * size], found[3 * size :]

    @cached_property
    def _compared_with(self) -> Hashes:
        """Hashes of questions and references."""
        _, _, questions, references = self._hashes
        counts = np.fromiter(map(len, self._references), np.int64, len(self._references))
        places = ranges(np.full(len(counts), _FIRST_REFERENCE), counts).astype(np.uint64)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(tagged(references, places), dtype=np.uint64)])
        ends = np.cumsum(counts)
        found: Hashes = tagged(questions, _QUESTION) + sums[ends] - sums[ends - counts]
        return found

    def data(self, reads: frozenset[str]) -> Hashes:
        """Return hashes of what a metric reads of each example besides the candidate."""
        found = self._compared_with
        for tag, name in enumerate(sorted(reads), _FIRST_FIELD):
            values = [read_field(each, name) for each in self._examples]
            texts = [f"{name}\x1f{value!r}" if value else "" for value in values]
            known = np.fromiter(map(bool, texts), bool, len(texts))
            found = found + np.where(known, tagged(hash_texts(texts), tag), np.uint64(0))
        return tagged(found, 0)

    @cached_property
    def answers(self) -> Hashes:
        """Hashes of question, references, candidate and id."""
        candidates, ids, _, _ = self._hashes
        return tagged(self._compared_with + tagged(candidates, _CANDIDATE) + tagged(ids, _ID), 0)

    def contents(self, rows: Ints) -> Hashes:
        """Return hashes of question, candidate and references of some examples, by which they are ordered."""
        parts = [(self._questions[i], self._candidates[i], *self._references[i]) for i in rows.tolist()]
        digests = [blake2b("\x1e".join(each).encode(errors="surrogatepass"), digest_size=8).digest() for each in parts]
        return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)


def systems_of(examples: Sequence[Example]) -> Sequence[str]:
    """Return the system of each example."""
    return examples.systems if isinstance(examples, ExampleColumns) else [each.system for each in examples]
