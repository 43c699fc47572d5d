"""A batch of examples: their texts, each stored once, their pairs, and a memo of what was computed on them."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from qassay.features.frequencies import in_spaced_language
from qassay.features.resources import Resources
from qassay.features.text_traits import text_traits
from qassay.io.example_columns import ExampleColumns
from qassay.models.base import ModelNotes, texts_by_language_note
from qassay.text.language import spaced
from qassay.text.normalise import compose
from qassay.text.tokenisers.tokens import ranges
from qassay.text.utf8 import beyond_ascii

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


class PlacedNote(NamedTuple):
    """A note on one text of an example, or on the example."""

    message: str
    kind: str
    """`example`, `candidate`, `reference` or `question`."""
    reference: int
    """Which of the example's references; 0 for the other kinds."""


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
        self._spaced_owners: dict[int, bool] = {}
        self._memo: dict[Hashable, object] = {}
        columns = examples if isinstance(examples, ExampleColumns) else None
        texts: Sequence[Sequence[str]] = (
            columns.references if columns else [[each.text for each in example.references] for example in examples]
        )
        self._reference_counts = np.fromiter(map(len, texts), np.int64, len(examples))
        keys: list[str | tuple[str, bool]] = [*self.candidates, *chain.from_iterable(texts)]
        owners = np.concatenate([np.arange(len(examples)), np.repeat(np.arange(len(examples)), self._reference_counts)])
        beyond = beyond_ascii(cast("list[str]", keys))
        for i in beyond:
            keys[i] = self._key(cast("str", keys[i]), int(owners[i]))
        index: dict[str | tuple[str, bool], int] = {}
        first = np.fromiter(map(index.setdefault, keys, range(len(keys))), np.int64, len(keys))
        distinct = list(index)
        rows = (np.cumsum(first == np.arange(len(keys))) - 1)[first]
        self.candidate, self.reference = rows[: len(examples)], rows[len(examples) :]
        self.texts: list[str] = cast("list[str]", distinct)
        """The texts, in composed form, that the candidates' and references' rows point to."""
        self.spaced: set[int] = set()
        """The rows of texts in a language written with spaces that also hold characters of unspaced scripts."""
        for row in {int(rows[i]) for i in beyond}:
            distinct[row], with_spaces = cast("tuple[str, bool]", distinct[row])
            if with_spaces:
                self.spaced.add(row)

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

    def _key(self, text: str, owner: int) -> tuple[str, bool]:
        """Return a text in composed form, and whether it is in a language written with spaces.

        The same text may be English that quotes Chinese here and plain Chinese there, and is cut accordingly.
        """
        return compose(text), self._in_spaced_language(owner)

    def _in_spaced_language(self, owner: int) -> bool:
        """Whether an example, by its question and references, is in a language written with spaces."""
        if owner not in self._spaced_owners:
            owners = self._origin.examples
            if isinstance(owners, ExampleColumns):
                self._spaced_owners[owner] = spaced([owners.questions[owner], *owners.references[owner]])
            else:
                self._spaced_owners[owner] = in_spaced_language(owners[owner])
        return self._spaced_owners[owner]

    @cached_property
    def questions(self) -> Sequence[str]:
        """The question of each example; empty for none."""
        if isinstance(self.examples, ExampleColumns):
            return self.examples.questions
        return [example.question for example in self.examples]

    @cached_property
    def candidates(self) -> Sequence[str]:
        """The candidate of each example as it is written; empty where it is missing."""
        if isinstance(self.examples, ExampleColumns):
            return self.examples.candidate_texts
        return [example.candidate or "" for example in self.examples]

    @property
    def reference_counts(self) -> Ints:
        """How many references each example has."""
        return self._reference_counts

    @cached_property
    def missing(self) -> Bools:
        """Which examples have no candidate."""
        if isinstance(self.examples, ExampleColumns):
            return self.examples.missing
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

    def notes_by_example(self) -> list[list[PlacedNote]]:
        """Return the notes on each example and its texts."""
        lasts = np.cumsum(self._reference_counts)
        found: list[list[PlacedNote]] = [[] for _ in self.examples]
        for message, noted in self._noted.items():
            for kind, i in sorted(noted):
                example = int(np.searchsorted(lasts, i, side="right")) if kind == "reference" else i
                first = int(lasts[example] - self._reference_counts[example]) if kind == "reference" else i
                found[example].append(PlacedNote(message, kind, i - first))
        return found

    def add_notes(self, example: int, notes: Iterable[PlacedNote]) -> None:
        """Add notes on an example and its texts, as `notes_by_example` returned them."""
        first = int(self._reference_counts[:example].sum())
        for message, kind, reference in notes:
            place = (kind, first + reference if kind == "reference" else example)
            self._noted.setdefault(message, set()).add(place)

    @property
    def notes(self) -> Counter[str]:
        """How many texts or examples each note applies to; equal ones count separately, so that batches add up."""
        return Counter({message: len(noted) for message, noted in self._noted.items() if noted})

    def take_notes(self, model: NotingModel) -> None:
        """Add what a model noted on the texts."""
        found = model.notes.take()
        for message, texts in (*found.items(), *(self._languages.items() if model.english else ())):
            rows = np.array([text in texts for text in self.texts], bool)
            questions = [i for i, question in enumerate(self.questions) if question in texts]
            self.note_texts(message, rows[self.candidate], rows[self.reference], questions)

    @cached_property
    def _languages(self) -> dict[str, set[str]]:
        return texts_by_language_note(self.texts, text_traits(self))
