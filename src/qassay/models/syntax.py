"""A chunker's output: words with parts of speech, chunks, entities and kinds of answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

Span = tuple[int, int]

PARTS = (
    *("NN", "IN", "NNP", "DT", "NNS", "JJ", ",", ".", "CD", "VBD", "RB", "VB", "CC", "TO", "VBN"),
    *("VBZ", "PRP", "VBG", "VBP", "MD", "PRP$", "POS", "$", "``", "''", ":", "WDT", "JJR", "WP", "WRB"),
    *("NNPS", "JJS", "RBR", ")", "(", "EX", "RBS", "RP", "PDT", "FW", "#", "WP$", "UH", "SYM", "LS"),
)
"""Parts of speech of the Penn Treebank."""
PHRASES = ("NP", "VP", "PP", "ADVP", "SBAR", "ADJP", "PRT", "CONJP")
CHUNKS = ("O", *(f"{place}-{phrase}" for phrase in PHRASES for place in "BI"))
"""Chunks as in CoNLL-2000; its few interjections, list marks and unlike coordinations count as `O`."""
NAMED = ("person", "organisation", "place", "time", "money", "percent", "number", "ordinal", "nationality", "name")
"""Entities that are names or figures."""
DESCRIBED = ("people", "group", "site", "product")
"""Common nouns for persons, organisations, places and things made."""
ENTITIES = ("O", *(f"{place}-{entity}" for entity in NAMED + DESCRIBED for place in "BI"))
PERSON, PLACE, TIME, COUNT, AMOUNT, DURATION = "person", "place", "time", "count", "amount", "duration"
MANNER, REASON, THING = "manner", "reason", "thing"
KINDS = (PERSON, PLACE, TIME, COUNT, AMOUNT, DURATION, MANNER, REASON, THING)
"""What a question may ask for."""
BOUNDS = tuple(accumulate((len(labels) for labels in (PARTS, CHUNKS, ENTITIES, KINDS)), initial=0))
"""Where each list of labels begins and ends in what a chunker's network puts out for a word piece."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or mark of a sentence, with its character span there."""

    text: str
    start: int
    end: int
    part: str
    chunk: str
    entity: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    """How well the word fits an answer of each kind (logarithms of probabilities)."""

    @property
    def phrase(self) -> str:
        """The kind of chunk the word is in, or `O`."""
        return self.chunk.rpartition("-")[2]

    @property
    def named(self) -> str:
        """The kind of entity the word is in, or `O`."""
        return self.entity.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence cut into words."""

    text: str
    words: tuple[Word, ...]


class Chunker(Protocol):
    """Splits sentences into tagged words."""

    @property
    def fingerprint(self) -> str:
        """What identifies the model."""

    def tag(self, sentences: Sequence[str]) -> list[TaggedSentence]:
        """Return every sentence's words, in order."""

    def knows(self, word: str) -> bool:
        """Whether a word is in the model's vocabulary."""
