"""Answers as columns: one list per field, checked at once; an `Example` is made when one is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from operator import is_, itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

import numpy as np

from qassay.records import Example, Reference
from qassay.text.utf8 import beyond_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from qassay.arrays import Bools, Ints

_TEXT, _MAYBE_TEXT, _LIST, _DICT = {str}, {str, NoneType}, {list}, {dict}
COLUMNS = frozenset({"id", "question", "references", "candidate", "system"})
"""The fields of rows that become columns; rows with others become examples one by one."""
_NOTHING: dict[str, Any] = {}


class ExampleColumns(Sequence[Example]):
    """Answers with texts alone: ids, questions, references, candidates and systems, each a list."""

    def __init__(
        self,
        ids: Sequence[str],
        questions: Sequence[str],
        references: Sequence[Sequence[str]],
        candidates: Sequence[str | None],
        systems: Sequence[str],
    ) -> None:
        self.ids = ids
        self.questions = questions
        self.references = references
        self.candidates = candidates
        self.systems = systems
        self._made: dict[int, Example] = {}

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def missing(self) -> Bools:
        """Which examples have no candidate."""
        return np.fromiter(map(is_, self.candidates, repeat(None)), bool, len(self))

    @cached_property
    def candidate_texts(self) -> Sequence[str]:
        """The candidates, with an empty text for each that is missing."""
        if self.missing.any():
            return [each or "" for each in self.candidates]
        return cast("Sequence[str]", self.candidates)

    def with_candidates(self, candidates: Sequence[str | None]) -> ExampleColumns:
        """Return the same answers with other candidates."""
        return ExampleColumns(self.ids, self.questions, self.references, candidates, self.systems)

    def take(self, rows: Sequence[int]) -> ExampleColumns:
        """Return some of the answers."""
        return ExampleColumns(*([each[i] for i in rows] for each in self.__getstate__()))

    @overload
    def __getitem__(self, place: int) -> Example: ...
    @overload
    def __getitem__(self, place: slice) -> ExampleColumns: ...
    def __getitem__(self, place: int | slice) -> Example | ExampleColumns:
        if isinstance(place, slice):
            lists = (self.ids, self.questions, self.references, self.candidates, self.systems)
            return ExampleColumns(*(each[place] for each in lists))  # type: ignore[arg-type]  # in the same order
        i = range(len(self))[place]
        if i not in self._made:
            references = tuple([Reference(text) for text in self.references[i]])
            self._made[i] = Example(
                self.ids[i], self.questions[i], references, self.candidates[i], self.systems[i], extra=_NOTHING
            )
        return self._made[i]

    def __iter__(self) -> Iterator[Example]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare as a tuple of examples."""
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Example.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # like any list

    def __getstate__(self) -> tuple[Sequence[Any], ...]:
        return (self.ids, self.questions, self.references, self.candidates, self.systems)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # nothing but the columns


class ColumnChunk(NamedTuple):
    """Answers of one input as columns, from consecutive lines."""

    columns: ExampleColumns
    name: str
    """The input."""
    first: int
    """The line of the first answer."""

    def located(self) -> list[tuple[Example, str, int]]:
        """Return each example with its input and line."""
        return [(example, self.name, line) for line, example in enumerate(self.columns, self.first)]


def rebatched(chunks: Iterable[Sequence[Example]], size: int) -> Iterator[Sequence[Example]]:
    """Cut and join chunks to `size` examples each; columns stay columns where they meet columns."""
    waiting: list[Sequence[Example]] = []
    held = 0
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            waiting.append(chunk[start : start + size - held])
            start += len(waiting[-1])
            held += len(waiting[-1])
            if held == size:
                yield _joined(waiting)
                waiting, held = [], 0
    if waiting:
        yield _joined(waiting)


def parts_by_length(examples: Sequence[Example], characters: int) -> list[Sequence[Example]]:
    """Cut examples into parts whose candidates and references have at most so many characters, or one example each."""
    lengths = _lengths(examples)
    if int(lengths.sum()) <= characters:
        return [examples]
    ends = np.cumsum(lengths)
    parts, start = [], 0
    while start < len(examples):
        before = ends[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + characters, side="right")))
        parts.append(examples[start:end])
        start = end
    return parts


def _lengths(examples: Sequence[Example]) -> Ints:
    """Return how many characters each example's candidate and references have together."""
    if isinstance(examples, ExampleColumns):
        references = np.fromiter((sum(map(len, each)) for each in examples.references), np.int64, len(examples))
        return references + np.fromiter(map(len, examples.candidate_texts), np.int64, len(examples))
    found = (len(each.candidate or "") + sum(len(one.text) for one in each.references) for each in examples)
    return np.fromiter(found, np.int64, len(examples))


def _joined(parts: Sequence[Sequence[Example]]) -> Sequence[Example]:
    if len(parts) == 1:
        return parts[0]
    columns = [each for each in parts if isinstance(each, ExampleColumns)]
    if len(columns) < len(parts):
        return tuple(chain.from_iterable(parts))
    fields = zip(*(each.__getstate__() for each in columns), strict=True)
    return ExampleColumns(*(list(chain.from_iterable(each)) for each in fields))


def plain_columns(rows: Sequence[object], stem: str, system: str, first: int = 1) -> ExampleColumns | None:
    """Return dictionaries as columns; None where some row needs a closer look, to convert or to refuse it.

    All rows pass that have the same fields, with texts, lists of texts and distinct ids where they belong. A row
    without an id is called `STEM:NUMBER`, counted from `first`.
    """
    if set(map(type, rows)) != _DICT:
        return None
    plain: Sequence[dict[str, Any]] = rows  # type: ignore[assignment]  # checked above
    names = plain[0]
    if not COLUMNS.issuperset(names) or set(map(len, plain)) != {len(names)}:
        return None
    try:
        given = {name: list(map(itemgetter(name), plain)) for name in names}
    except KeyError:
        return None
    return checked_columns(given, len(plain), stem, system, first)


def checked_columns(
    given: Mapping[str, Sequence[Any]], size: int, stem: str, system: str, first: int = 1
) -> ExampleColumns | None:
    """Return columns of an input, with ids and systems for those that have none; None as `plain_columns` does."""
    references, candidates = given.get("references"), given.get("candidate")
    if not size or references is None or candidates is None or not COLUMNS.issuperset(given):
        return None
    ids = given.get("id") or [f"{stem}:{number}" for number in range(first, first + size)]
    questions, systems = given.get("question") or [""] * size, given.get("system") or [system] * size
    named = [column for name in ("id", "question", "system") if (column := given.get(name))]
    texts: list[Any] = (
        list(chain.from_iterable(references)) if set(map(type, references)) == _LIST and all(references) else [None]
    )
    good = (
        set(map(type, texts)) == _TEXT
        and _MAYBE_TEXT.issuperset(map(type, candidates))
        and all(set(map(type, column)) == _TEXT for column in named)
        and all(ids)
        and _distinct(ids, systems)
        and all(map(_encodable, (texts, list(filter(None, candidates)), *named, (system,))))
    )
    return ExampleColumns(ids, questions, references, candidates, systems) if good else None


def _distinct(ids: Sequence[str], systems: Sequence[str]) -> bool:
    if len(set(ids)) == len(ids):
        return True
    return len(set(zip(systems, ids, strict=True))) == len(ids)


def _encodable(texts: Sequence[str]) -> bool:
    """Whether no text holds half of a surrogate pair."""
    try:
        for i in beyond_ascii(texts):
            texts[i].encode()
    except UnicodeEncodeError:
        return False
    return True
