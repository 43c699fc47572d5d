"""A batch of examples: their texts, each stored once, their pairs, and a memo of what was computed on them."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from qassay.features.frequencies import in_spaced_language
from qassay.features.resources import Resources
from qassay.models.base import ModelNotes, texts_by_language_note
from qassay.text.normalise import compose
from qassay.text.tokens import ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from qassay.arrays import Bools, Ints
    from qassay.records import Example

_Feature = TypeVar("_Feature")


class Pairs(NamedTuple):
    """Every candidate with each of its references, sorted by example; missing candidates have none."""

    example: Ints
    reference: Ints
    """Position in the batch's flat list of references."""


class NotingModel(Protocol):
    """A model that notes which texts it could not read in full."""

    notes: ModelNotes
    english: bool


class Origin(NamedTuple):
    """What a batch that is part of another one has from it."""

    examples: Sequence[Example]
    """The examples as they were given, by which the language of their texts is known."""
    memo: dict[Hashable, object]
    """What was computed on texts, for all parts."""


class Batch:
    """Examples that are scored together. Equal texts are stored once, and each feature is computed once."""

    def __init__(
        self, examples: Sequence[Example], resources: Resources | None = None, origin: Origin | None = None
    ) -> None:
        self.examples = examples
        self.resources = resources or Resources()
        self._origin = origin or Origin(examples, {})
        self._noted: dict[str, set[tuple[str, int]]] = {}
        self.spaced: set[int] = set()
        """The rows of texts in a language written with spaces that also hold characters of unspaced scripts."""
        self._index: dict[str | tuple[str, bool], int] = {}
        self._memo: dict[Hashable, object] = {}
        owners = self._origin.examples
        self.candidate = self._intern_all([example.candidate or "" for example in examples], owners)
        self.reference = self._intern_all(
            [each.text for example in examples for each in example.references],
            [owner for owner, example in zip(owners, examples, strict=True) for _ in example.references],
        )
        self._reference_counts = np.array([len(example.references) for example in examples], np.int64)

    def __len__(self) -> int:
        return len(self.examples)

    def memo(self, key: Hashable, compute: Callable[[], _Feature]) -> _Feature:
        """Return what was computed under this key, or compute and store it now."""
        if key not in self._memo:
            self._memo[key] = compute()
        return cast("_Feature", self._memo[key])

    def shared_memo(self, key: Hashable, compute: Callable[[], _Feature]) -> _Feature:
        """Return what was computed under this key for this batch, the one it is part of, or any part of it.

        For what depends on texts alone, not on their rows.
        """
        if key not in self._origin.memo:
            self._origin.memo[key] = compute()
        return cast("_Feature", self._origin.memo[key])

    def part(self, examples: Sequence[Example], rows: Sequence[int]) -> Batch:
        """Return a batch of examples that were made from some of these, with fewer references or other texts.

        `rows` are those that they were made from, whose language they are in.
        """
        owners = self._origin.examples
        return Batch(examples, self.resources, Origin([owners[i] for i in rows], self._origin.memo))

    def _intern_all(self, texts: Sequence[str], owners: Sequence[Example]) -> Ints:
        index = self._index
        return np.array(
            [
                index.setdefault(text, len(index)) if text.isascii() else self._intern(text, owner)
                for text, owner in zip(texts, owners, strict=True)
            ],
            np.int64,
        )

    def _intern(self, text: str, example: Example) -> int:
        # The same text may be English that quotes Chinese here and plain Chinese there, and is cut accordingly.
        spaced = in_spaced_language(example)
        row = self._index.setdefault((compose(text), spaced), len(self._index))
        if spaced:
            self.spaced.add(row)
        return row

    @cached_property
    def texts(self) -> list[str]:
        """The texts, in composed form, that the candidates' and references' rows point to."""
        return [key if isinstance(key, str) else key[0] for key in self._index]

    @cached_property
    def missing(self) -> Bools:
        """Which examples have no candidate."""
        return np.array([example.candidate is None for example in self.examples], bool)

    @cached_property
    def pairs(self) -> Pairs:
        """All candidate-reference pairs."""
        counts = np.where(self.missing, 0, self._reference_counts)
        firsts = np.cumsum(self._reference_counts) - self._reference_counts
        example = np.repeat(np.arange(len(self)), counts)
        return Pairs(example, ranges(firsts, counts))

    def note(self, message: str, examples: Iterable[int]) -> None:
        """Add a note on some examples, once per example."""
        self._noted.setdefault(message, set()).update(("example", i) for i in examples)

    def note_texts(self, message: str, candidates: Bools, references: Bools, questions: Iterable[int] = ()) -> None:
        """Add a note on some candidates, references and questions, once per text."""
        noted = self._noted.setdefault(message, set())
        noted.update(("candidate", i) for i in np.flatnonzero(candidates & ~self.missing).tolist())
        noted.update(("reference", i) for i in np.flatnonzero(references).tolist())
        noted.update(("question", i) for i in questions)

    def adopt_notes(self, part: Batch, rows: Sequence[int], references: Sequence[int] | None = None) -> None:
        """Add the notes of a batch that has some of the examples; `rows` are their rows here.

        `references` are the positions of the part's references in the flat list here; by default it has all of them.
        """
        firsts = np.cumsum(self._reference_counts) - self._reference_counts
        chosen = ranges(firsts[list(rows)], self._reference_counts[list(rows)]).tolist()
        flat = chosen if references is None else references
        for message, noted in part._noted.items():
            places = {(kind, flat[i] if kind == "reference" else rows[i]) for kind, i in noted}
            self._noted.setdefault(message, set()).update(places)

    @property
    def notes(self) -> Counter[str]:
        """How many texts or examples each note applies to; equal ones count separately, so that batches add up."""
        return Counter({message: len(noted) for message, noted in self._noted.items() if noted})

    def take_notes(self, model: NotingModel) -> None:
        """Add what a model noted on the texts."""
        found = model.notes.take()
        for message, texts in (*found.items(), *(self._languages.items() if model.english else ())):
            rows = np.array([text in texts for text in self.texts], bool)
            questions = [i for i, example in enumerate(self.examples) if example.question in texts]
            self.note_texts(message, rows[self.candidate], rows[self.reference], questions)

    @cached_property
    def _languages(self) -> dict[str, set[str]]:
        return texts_by_language_note(self.texts)
