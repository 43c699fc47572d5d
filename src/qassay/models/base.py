"""What metrics need from models: token embeddings and token weights, with the tokens' spans in the text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from qassay.errors import ModelError
from qassay.home import below_home
from qassay.text.language_id import OTHER_LANGUAGE, is_other_european
from qassay.text.traits import find_traits, has_trait

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.models.runtime import Rows

Vectors = NDArray[np.float32]
Device = Literal["auto", "cpu", "cuda"]

EMBEDDED = "mini"
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_LONGEST_REMEMBERED = 10_000
"""Characters of a text up to which it is remembered whether it is foreign."""
_MOSTLY = 0.5
_LAST_LATIN = "\u024f"

WINDOWED = "texts longer than the model reads at once, taken in overlapping windows"
CUT_QUESTION = "questions longer than the model reads at once, cut"
FOREIGN = "texts not in Latin script, which the embedded English model hardly reads; another model may"
UNENGLISH = "texts that seem not to be English, which the embedded English model hardly reads; another model may"
NO_WEIGHT = "texts without any weight, counted uniformly"


class ModelNotes:
    """Notes on texts that a model could not read in full: the texts, by note."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def add(self, message: str, texts: Iterable[str]) -> None:
        """Add a note on some texts."""
        if found := set(texts):
            self._found.setdefault(message, set()).update(found)

    def take(self) -> dict[str, set[str]]:
        """Return the notes since the last call."""
        found, self._found = self._found, {}
        return found


class TokenEmbeddings(NamedTuple):
    """A text as a model sees it, with its special tokens (`special`)."""

    ids: Ints
    spans: Ints
    """(tokens, 2): start and end of each token in the text, in characters; (0, 0) for a special token."""
    states: Rows
    """The embeddings where the model has them: (tokens, width), not normalised."""
    special: Bools

    @property
    def vectors(self) -> Vectors:
        """The embeddings in the processor's memory; from another device they are copied."""
        return np.asarray(self.states)


class TokenWeights(NamedTuple):
    """The weights of an answer's tokens: one per word piece, without special tokens."""

    spans: Ints
    """(tokens, 2), in characters of the answer."""
    weights: Floats


class Encoder(Protocol):
    """Texts to token embeddings."""

    ref: str
    layers: int
    default_layer: int
    notes: ModelNotes
    english: bool
    """Whether it reads English only."""

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer, which enters signatures."""

    def pieces(self, text: str) -> list[str]:
        """Cut a text into word pieces, without special tokens."""

    def encode(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        """Return each text's embeddings at a layer, from 1."""

    def match(self, texts: Sequence[TokenEmbeddings], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest cosine similarity with a token of the other text of its pair.

        `left` and `right` name the texts of each pair. The tokens of the left texts come first, pair after pair, then
        those of the right ones.
        """


class Weigher(Protocol):
    """(question, answer) pairs to token weights of the answer (KPQA; without a question: KP)."""

    ref: str
    notes: ModelNotes
    english: bool
    """Whether it reads English only."""

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer, which enters signatures."""

    def weigh(self, pairs: Sequence[tuple[str | None, str]]) -> list[TokenWeights]:
        """Weigh the tokens of each answer for its question; for no question where that is `None`."""


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model as the user names it: the embedded one, a folder, or a name on the Hugging Face Hub."""

    kind: Literal["embedded", "folder", "hub"]
    name: str

    @property
    def folder(self) -> Path:
        """The folder of a local model."""
        return EMBEDDED_FOLDER if self.kind == "embedded" else below_home(self.name)


EMBEDDED_FOLDER = Path(__file__).parent / "mini"


def parse_ref(text: str) -> ModelRef:
    """Return what a model name means: `mini`, an existing folder or anything that looks like a path, or a Hub name."""
    if text == EMBEDDED:
        return ModelRef("embedded", text)
    if text and _is_folder(text):
        return ModelRef("folder", text)
    if text.startswith((".", "/", "~", "\\")) or text.count("/") > 1:
        raise ModelError(f'there is no model folder "{text}"')
    if not _HUB_NAME.fullmatch(text):
        raise ModelError(
            f'"{text}" is no model: give {EMBEDDED}, a folder, or a Hugging Face name such as roberta-large'
        )
    return ModelRef("hub", text)


def _is_folder(text: str) -> bool:
    try:
        return below_home(text).is_dir()
    except (OSError, ValueError):
        # No path at all: too long for one, or with a NUL byte in it.
        return False


def is_foreign(text: str) -> bool:
    """Whether most letters of a text are not Latin."""
    if text.isascii():
        return False
    return _is_mostly_foreign(text) if len(text) > _LONGEST_REMEMBERED else _is_foreign(text)


@lru_cache(maxsize=1 << 10)
def _is_foreign(text: str) -> bool:
    """Look once for all that ask about a text of a batch."""
    return _is_mostly_foreign(text)


def _is_mostly_foreign(text: str) -> bool:
    letters = [character for character in unicodedata.normalize("NFKC", text) if character.isalpha()]
    return sum(letter > _LAST_LATIN for letter in letters) > _MOSTLY * len(letters)


def texts_by_language_note(texts: Iterable[str], traits: Ints | None = None) -> dict[str, set[str]]:
    """Return the texts that an English model can hardly read, by reason; `traits` are theirs, where they are known."""
    found: dict[str, set[str]] = {}
    given = list(texts)
    doubtful = has_trait(find_traits(given) if traits is None else traits, OTHER_LANGUAGE)
    for text in (given[i] for i in np.flatnonzero(doubtful).tolist()):
        if is_foreign(text):
            found.setdefault(FOREIGN, set()).add(text)
        elif is_other_european(text):
            found.setdefault(UNENGLISH, set()).add(text)
    return found


def language_notes(texts: Iterable[str]) -> Counter[str]:
    """Count the texts that an English model can hardly read, by reason."""
    return Counter({note: len(found) for note, found in texts_by_language_note(texts).items()})


class Window(NamedTuple):
    """A range of tokens that are read at once, and the part of it whose results are used."""

    start: int
    end: int
    kept_from: int
    kept_to: int


@lru_cache(maxsize=1 << 10)
def windows(count: int, room: int) -> tuple[Window, ...]:
    """Cover `count` tokens with overlapping windows of at most `room`; each token is kept where it stands deepest.

    Neighbours overlap by at least a quarter, so that no token is read without context on both sides.
    """
    if count <= room:
        return (Window(0, count, 0, count),)
    number = 1 + -(-(count - room) // (room - room // 4))
    starts = [round(index * (count - room) / (number - 1)) for index in range(number)]
    cuts = [0, *((left + room + right) // 2 for left, right in pairwise(starts)), count]
    return tuple(Window(start, start + room, *kept) for start, kept in zip(starts, pairwise(cuts), strict=True))
