"""The tokens of a batch's texts, where they stand, and the view of them that a metric takes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed
from qassay.features.weightings import WEIGHTINGS, TokenisedTexts
from qassay.models.base import NO_WEIGHT
from qassay.text.tokenisers.token_spans import token_spans
from qassay.text.tokenisers.tokens import Tokens

if TYPE_CHECKING:
    from qassay.arrays import Floats, Ints
    from qassay.features.batch import Batch, Pairs
    from qassay.features.weightings import RowWeights

OWN = "own"
"""The tokens that a weighting itself cuts texts into."""


class View(NamedTuple):
    """Tokens as a metric sees them: rows for candidates and references, with or without weights."""

    tokens: Tokens
    candidate: Ints
    """Row of each example's candidate; of no meaning where the candidate is missing."""
    reference: Ints
    """Row of each reference of the flat list."""
    weights: Floats | None
    """One per token, or None when all count alike."""
    text: Ints
    """The text of each row, as a row of the batch's texts."""

    def weights_by_row(self) -> list[Floats]:
        """Return the weights of each row; ones where all tokens count alike."""
        weights = np.ones(len(self.tokens.ids)) if self.weights is None else self.weights
        return [weights[start:end] for start, end in pairwise(self.tokens.starts.tolist())]

    def left(self, pairs: Pairs) -> Ints:
        """Return the candidate's row for each pair."""
        return self.candidate[pairs.example]

    def right(self, pairs: Pairs) -> Ints:
        """Return the reference's row for each pair."""
        return self.reference[pairs.reference]


def text_tokens(batch: Batch, tok: str) -> Tokens:
    """Return the tokens of every text of the batch, in the batch's order of texts."""
    return batch.memo((text_tokens, tok), lambda: Tokens.cut(batch.texts, batch.resources.tokeniser(tok), batch.spaced))


def text_spans(batch: Batch, tok: str) -> list[Ints]:
    """Return the character positions of every text's tokens."""
    return batch.memo(
        (text_spans, tok), lambda: token_spans(batch.texts, text_tokens(batch, tok), batch.resources.tokeniser(tok))
    )


def token_view(batch: Batch, tok: str, weighting: str | None = None) -> View:
    """Return the tokens of candidates and references with the wanted weights."""
    return batch.memo((token_view, tok, weighting), lambda: _make_view(batch, tok, weighting))


def _make_view(batch: Batch, tok: str, weighting: str | None) -> View:
    if weighting is not None and tok == OWN:
        own = WEIGHTINGS[weighting].own_tokens(batch)
        return _weighted(batch, own.tokens, own.rows)
    tokens = text_tokens(batch, tok)
    if weighting is None:
        return View(tokens, batch.candidate, batch.reference, None, np.arange(len(tokens)))
    texts = TokenisedTexts(tok, lambda: tokens, lambda: text_spans(batch, tok))
    found = WEIGHTINGS[weighting].weigh(batch, texts)
    rows = tokens if np.array_equal(found.text, np.arange(len(tokens))) else tokens.take(found.text)
    return _weighted(batch, rows, found)


def _weighted(batch: Batch, tokens: Tokens, rows: RowWeights) -> View:
    """Return a view in which texts whose weights are all 0 count uniformly, with a note."""
    weights, totals = rows.weights, summed(tokens.text_of, rows.weights, len(tokens))
    bare = (totals <= 0) & (tokens.lengths > 0)
    if bare.any():
        batch.note_texts(NO_WEIGHT, bare[rows.candidate], bare[rows.reference])
        weights = np.where(bare[tokens.text_of], 1.0, weights)
    return View(tokens, rows.candidate, rows.reference, weights, rows.text)
