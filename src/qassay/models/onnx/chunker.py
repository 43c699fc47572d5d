"""The embedded chunker: one pass over a sentence gives parts of speech, chunks, entities and kinds of answer."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.models.folder import TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.runtime import Step
from qassay.models.syntax import BOUNDS, CHUNKS, ENTITIES, KINDS, PARTS, TaggedSentence, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.syntax import Span

DESCRIPTION = "chunker.json"
_WORD = re.compile(
    r"""
    \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|m|bn)?\b     # figures: 137,000  5.30  83rd  1960s
    | (?:[^\W\d_]\.){2,}                            # U.S.
    | (?:Mr|Mrs|Ms|Dr|Prof|Gen|Sen|Rep|St|Jr|Sr|Lt|Col|Gov|No)\.(?=\s)
    | [nN]['\u2019][tT]\b                           # n't, cut off below
    | ['\u2019](?:s|re|ve|ll|d|m|S|RE|VE|LL|D|M)\b  # 's
    | \w+?(?=[nN]['\u2019][tT]\b)                   # do(n't)
    | \w+(?:[-&/]\w+)*                              # words, with hyphens inside
    | ``|''|--+|\.\.\.
    | [^\w\s]
    """,
    re.VERBOSE,
)


class ChunkerHead(msgspec.Struct, frozen=True):
    """The chunker of a model folder: states of `layer`, tagged in a graph."""

    layer: int
    graph: str
    weights: str

    def __post_init__(self) -> None:
        check_file_names(self.graph, self.weights)


class OnnxChunker:
    """The chunker of an ONNX model folder."""

    def __init__(self, encoder: OnnxEncoder) -> None:
        path = encoder.runtime.folder / DESCRIPTION
        self._head = read_description(
            path, ChunkerHead, absent=f"{encoder.ref} has no chunker; train one with `qassay train chunker`"
        )
        self._encoder = encoder

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and chunker, and of the tokenizer."""
        folder = self._encoder.runtime.folder
        return fingerprint(*(folder / name for name in (TOKENIZER, self._encoder.model.weights, self._head.weights)))

    def knows(self, word: str) -> bool:
        """Whether a word is one piece of the model's vocabulary."""
        return word in self._vocabulary

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, loaded when a model runs

        vocabulary: dict[str, int] = Tokenizer.from_file(str(self._encoder.runtime.folder / TOKENIZER)).get_vocab()
        return vocabulary

    def tag(self, sentences: Sequence[str]) -> list[TaggedSentence]:
        """Return every sentence's words; beyond what the model reads at once they are taken for plain nouns."""
        longest = self._encoder.model.longest
        encoded = self._encoder.encode(sentences, self._head.layer)
        step = Step(self._head.graph, self._head.weights, ("scores",))
        made = self._encoder.runtime.run([step], [{"states": each.states[:longest]} for each in encoded], ["scores"])
        found = self._encoder.runtime.fetch([scores for (scores,) in made])
        return [
            decode(sentence, [(int(a), int(b)) for a, b in made.spans[:longest]], row)
            for sentence, made, row in zip(sentences, encoded, found, strict=True)
        ]


def words(sentence: str) -> list[Span]:
    """Cut a sentence into words and marks as the Penn Treebank does: "don't" is two, "$20" is two, "1,000" one."""
    return [match.span() for match in _WORD.finditer(sentence)]


def decode(sentence: str, spans: Sequence[Span], scores: NDArray[np.float32]) -> TaggedSentence:
    """Read a sentence's words off the scores of its word pieces.

    `spans` are the pieces' spans of characters, empty for special pieces. A word takes the labels of its first
    piece; how well it fits each kind of answer is the mean over its pieces.
    """
    parts, chunks, entities, kinds = (scores[:, low:high] for low, high in pairwise(BOUNDS))
    found = []
    piece = 0
    inside_chunk, inside_entity = "O", "O"
    for start, end in words(sentence):
        while piece < len(spans) and spans[piece][1] <= start:
            piece += 1
        last = piece
        while last < len(spans) and spans[last][0] < end and spans[last][0] < spans[last][1]:
            last += 1
        if piece == last:
            # Beyond what the encoder read, or a character that it drops.
            found.append(Word(sentence[start:end], start, end, "NN", "O", "O", dict.fromkeys(KINDS, 0.0)))
            continue
        chunk, inside_chunk = _continued(CHUNKS[chunks[piece].argmax()], inside_chunk)
        entity, inside_entity = _continued(ENTITIES[entities[piece].argmax()], inside_entity)
        fit = _log_softmax(kinds[piece:last].mean(0))
        kind_scores = dict(zip(KINDS, fit.tolist(), strict=True))
        part = PARTS[parts[piece].argmax()]
        found.append(Word(sentence[start:end], start, end, part, chunk, entity, kind_scores))
    return TaggedSentence(sentence, tuple(found))


def _continued(label: str, inside: str) -> tuple[str, str]:
    """Return a label, changed to begin a chunk where it continues none, and the chunk that is now open."""
    mark, _, name = label.rpartition("-")
    if mark == "I" and name != inside:
        return f"B-{name}", name
    return label, name


def _log_softmax(values: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = values.astype(np.float64) - values.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
