"""What a document offers to those who change its sentences: its names, figures, phrases and pronouns."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qassay.training.consistency.drafts import NOUNS, names, noun_phrases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from qassay.training.consistency.drafts import Draft, DraftToken

SWAPPED = ("person", "organisation", "place", "nationality", "name")
"""Kinds of names that are exchanged as wholes."""
_HE, _SHE = frozenset({"he", "him", "his", "himself"}), frozenset({"she", "her", "hers", "herself"})
_LONGEST_PHRASE = 5
_ABROAD = 0.2
"""How often a name comes from another document."""


def drawn(options: Sequence[Draft], rng: np.random.Generator) -> Draft:
    """Draw one of some drafts."""
    return options[int(rng.integers(len(options)))]


def word_set(draft: Sequence[DraftToken]) -> set[str]:
    """Return the words of a draft, in small letters."""
    return {token.plain for token in draft if token.text[:1].isalnum()}


class World:
    """Names of all documents by kind."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, Draft]] = defaultdict(dict)
        self._lists: dict[str, list[Draft]] = {}

    def add(self, scene: Scene) -> None:
        """Take in the names of a document."""
        for kind, found in scene.names.items():
            for _, draft in found:
                self._names[kind].setdefault(" ".join(token.plain for token in draft), draft)
        self._lists.clear()

    def draw(self, kind: str, rng: np.random.Generator) -> Draft | None:
        """Draw a name of a kind."""
        if kind not in self._lists:
            self._lists[kind] = list(self._names[kind].values())
        options = self._lists[kind]
        return drawn(options, rng) if options else None


@dataclass(frozen=True)
class Scene:
    """The sentences of a document and what they hold."""

    drafts: Sequence[Draft]
    world: World
    names: Mapping[str, list[tuple[int, Draft]]] = field(default_factory=lambda: defaultdict(list))
    """By kind: the number of the sentence, and the name."""
    phrases: Mapping[str, list[tuple[int, Draft]]] = field(default_factory=lambda: defaultdict(list))
    """Short noun phrases without names, by their head's part of speech."""
    words: Mapping[str, list[tuple[int, DraftToken]]] = field(default_factory=lambda: defaultdict(list))
    """Words by part of speech."""

    @classmethod
    def of(cls, drafts: Sequence[Draft], world: World) -> Scene:
        """Look through the sentences of a document."""
        scene = cls(drafts, world)
        for number, draft in enumerate(drafts):
            for run in names(draft):
                if any(token.part in NOUNS or token.part == "JJ" for token in draft[run.first : run.last]):
                    scene.names[run.kind].append((number, draft[run.first : run.last]))
            for run in noun_phrases(draft):
                part = draft[run.first : run.last]
                short = len(part) <= _LONGEST_PHRASE and part[-1].part in {"NN", "NNS"}
                if short and all(token.entity == "O" for token in part):
                    scene.phrases[part[-1].part].append((number, part))
            for token in draft:
                scene.words[token.part].append((number, token))
        return scene

    def rival(self, number: int, name: Draft, kind: str, rng: np.random.Generator) -> Draft | None:
        """Draw another name of the same kind: from another sentence of the document, or from another document."""
        own = word_set(name) | word_set(self.drafts[number])
        near = [each for place, each in self.names.get(kind, ()) if place != number and not own & word_set(each)]
        if near and rng.random() >= _ABROAD:
            return drawn(near, rng)
        far = self.world.draw(kind, rng)
        return far if far and not own & word_set(far) else None

    def gender(self) -> str | None:
        """Return "he" or "she" where all pronouns for one person are of one kind, or None."""
        found = {token.plain for draft in self.drafts for token in draft if token.part in {"PRP", "PRP$"}}
        he, she = bool(found & _HE), bool(found & _SHE)
        return None if he == she else "he" if he else "she"

    def persons(self) -> list[Draft]:
        """Return the persons named, each in the longest form, in the order in which they appear."""
        found: list[Draft] = []
        for _, name in self.names.get("person", ()):
            same = next((i for i, each in enumerate(found) if word_set(each) & word_set(name)), None)
            if same is None:
                found.append(name)
            elif len(name) > len(found[same]):
                found[same] = name
        return found

    def others(self, number: int) -> Iterator[tuple[int, Draft]]:
        """Yield the other sentences."""
        for place, draft in enumerate(self.drafts):
            if place != number:
                yield place, draft
