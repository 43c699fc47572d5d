"""Greedy matching of the tokens of two phrases, each encoded inside the text that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.metrics.embedding.matching import match
from qassay.metrics.phrase_in_context import NOT_IN_CONTEXT, PhraseInText, place_candidate, place_reference
from qassay.models.base import texts_by_language_note
from qassay.models.matching import unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.models.base import Encoder, TokenEmbeddings
    from qassay.text.sentences import Span


def match_phrases(batch: Batch, pairs: Pairs, model: str, layer: int, power: float) -> tuple[Floats, Floats]:
    """Return precision and recall of each pair's phrases; 0 where a phrase has no tokens, 1 where both are the same."""
    placed = _placed(batch, pairs)
    texts = list(dict.fromkeys(each.text for pair in placed for each in pair))
    encoder = batch.resources.encoder(model)
    encoded = dict(zip(texts, encoder.encode(texts, layer), strict=True))
    _take_notes(batch, pairs, placed, encoder)
    units = {text: unit(made.vectors) for text, made in encoded.items()}
    found = np.zeros((2, len(placed)))
    for i, (ours, theirs) in enumerate(placed):
        left, right = within(encoded[ours.text], ours.span), within(encoded[theirs.text], theirs.span)
        if ours[:2] == theirs[:2]:
            found[:, i] = 1.0
        elif left.any() and right.any():
            a, b = units[ours.text][left], units[theirs.text][right]
            found[:, i] = match(a, b, np.ones(len(a)), np.ones(len(b)), power)
    return found[0], found[1]


def _placed(batch: Batch, pairs: Pairs) -> list[tuple[PhraseInText, PhraseInText]]:
    """Return candidate and reference of each pair inside the texts that they come from."""
    firsts = np.cumsum([0, *(len(each.references) for each in batch.examples)])[:-1]
    numbers = (pairs.reference - firsts[pairs.example]).tolist()
    examples = [batch.examples[i] for i in pairs.example.tolist()]
    return [(place_candidate(each), place_reference(each, k)) for each, k in zip(examples, numbers, strict=True)]


def _take_notes(
    batch: Batch, pairs: Pairs, placed: Sequence[tuple[PhraseInText, PhraseInText]], encoder: Encoder
) -> None:
    """Add the notes on the encoded texts to the candidates and references that are in them."""

    def note(message: str, concerns: Callable[[PhraseInText], bool]) -> None:
        candidates, references = np.zeros(len(batch), bool), np.zeros(len(batch.reference), bool)
        for (ours, theirs), i, k in zip(placed, pairs.example.tolist(), pairs.reference.tolist(), strict=True):
            candidates[i] |= concerns(ours)
            references[k] |= concerns(theirs)
        batch.note_texts(message, candidates, references)

    note(NOT_IN_CONTEXT, lambda each: each.lost)
    texts = {each.text for pair in placed for each in pair}
    languages = texts_by_language_note(texts) if encoder.english else {}
    for message, concerned in (*encoder.notes.take().items(), *languages.items()):
        note(message, lambda each, concerned=concerned: each.text in concerned)  # type: ignore[misc]


def within(encoded: TokenEmbeddings, span: Span) -> Bools:
    """Return which tokens of a text touch a span of its characters."""
    touched = ~encoded.special & (encoded.spans[:, 0] < span[1]) & (encoded.spans[:, 1] > span[0])
    return np.asarray(touched, bool)
