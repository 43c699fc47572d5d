"""Answers with the questions they answer, and the weights that a keyphrase model gives their tokens."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.text.spans import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats, Ints
    from qassay.models.base import TokenWeights, Weigher


class Asked(NamedTuple):
    """Distinct (question, text) pairs with their weights; candidates and references point to them."""

    text: Ints
    """The text of each pair, as a row of the batch's texts."""
    candidate: Ints
    """The pair of each example's candidate."""
    reference: Ints
    """The pair of each reference of the flat list."""
    weights: Sequence[TokenWeights]


def ask(
    texts: Sequence[str],
    candidate: tuple[Sequence[str | None], Ints],
    reference: tuple[Sequence[str | None], Ints],
    weigher: Weigher,
) -> Asked:
    """Weigh every distinct pair of question and text once; each side gives its questions and its texts' rows."""
    index: dict[tuple[str | None, int], int] = {}
    rows = [
        np.array([index.setdefault(pair, len(index)) for pair in zip(questions, side.tolist(), strict=True)], np.int64)
        for questions, side in (candidate, reference)
    ]
    pairs = list(index)
    weights = weigher.weigh([(question, texts[text]) for question, text in pairs])
    return Asked(np.array([text for _, text in pairs], np.int64), rows[0], rows[1], weights)


def weights_on(asked: Asked, spans: Sequence[Ints]) -> list[Floats]:
    """Carry each pair's weights to its text's tokens, whose character spans are given for every text."""
    targets = [spans[text] for text in asked.text.tolist()]
    if not targets:
        return []
    # All texts are laid out one behind the other, each in the room of the longest, so that one pass serves them all.
    sides = [found.spans for found in asked.weights], targets
    joined = [np.concatenate(parts) for parts in sides]
    begins = np.arange(len(targets)) * max(int(each.max(initial=0)) for each in joined)
    laid_out = [
        each + np.repeat(begins, [len(part) for part in parts])[:, None]
        for each, parts in zip(joined, sides, strict=True)
    ]
    carried = spread(laid_out[0], np.concatenate([found.weights for found in asked.weights]), laid_out[1])
    bounds = np.cumsum([0, *(len(each) for each in targets)]).tolist()
    return [carried[start:end] for start, end in pairwise(bounds)]
