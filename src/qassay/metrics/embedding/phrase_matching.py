"""Greedy matching of the tokens of two phrases, each encoded inside the text that it comes from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from qassay.metrics.embedding.matching import match, unit
from qassay.metrics.phrases import place_candidate, place_reference
from qassay.models.base import language_notes

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.models.base import TokenEmbeddings
    from qassay.text.sentences import Span


def match_phrases(batch: Batch, pairs: Pairs, model: str, layer: int, power: float) -> tuple[Floats, Floats]:
    """Return precision and recall of each pair's phrases; 0 where a phrase has no tokens, 1 where both are the same."""
    examples = [batch.examples[i] for i in pairs.example.tolist()]
    firsts = np.cumsum([0, *(len(each.references) for each in batch.examples)])[:-1]
    numbers = (pairs.reference - firsts[pairs.example]).tolist()
    placed = [
        (place_candidate(each, batch.notes), place_reference(each, number, batch.notes))
        for each, number in zip(examples, numbers, strict=True)
    ]
    texts = list(dict.fromkeys(each.text for pair in placed for each in pair))
    encoder = batch.resources.encoder(model)
    before = Counter(encoder.notes)
    encoded = dict(zip(texts, encoder.encode(texts, layer), strict=True))
    batch.notes |= (Counter(encoder.notes) - before) | (language_notes(texts) if encoder.english else Counter())
    units = {text: unit(made) for text, made in encoded.items()}
    found = np.zeros((2, len(placed)))
    for i, (ours, theirs) in enumerate(placed):
        left, right = within(encoded[ours.text], ours.span), within(encoded[theirs.text], theirs.span)
        if ours == theirs:
            found[:, i] = 1.0
        elif left.any() and right.any():
            a, b = units[ours.text][left], units[theirs.text][right]
            found[:, i] = match(a, b, np.ones(len(a)), np.ones(len(b)), power)
    return found[0], found[1]


def within(encoded: TokenEmbeddings, span: Span) -> Bools:
    """Return which tokens of a text touch a span of its characters."""
    touched = ~encoded.special & (encoded.spans[:, 0] < span[1]) & (encoded.spans[:, 1] > span[0])
    return np.asarray(touched, bool)
