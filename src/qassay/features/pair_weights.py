"""Answers with their questions, and the weights that a keyphrase model gives their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from qassay.arrays import lengths_of
from qassay.text.tokenisers.spans import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats, Ints
    from qassay.features.batch import Batch
    from qassay.models.base import TokenWeights

_Question = TypeVar("_Question", str, str | None)


class PairWeights(NamedTuple):
    """Distinct (question, text) pairs with their weights; candidates and references point to them."""

    text: Ints
    """The text of each pair, as a row of the batch's texts."""
    candidate: Ints
    """The pair of each example's candidate."""
    reference: Ints
    """The pair of each reference of the flat list."""
    weights: Sequence[TokenWeights]


def pair_weights(batch: Batch, *, with_question: bool) -> PairWeights:
    """Return the keyphrase weights of every answer, for its question where it has one (KPQA) or without it (KP)."""
    return batch.memo((pair_weights, with_question), lambda: _weigh(batch, with_question=with_question))


def _weigh(batch: Batch, *, with_question: bool) -> PairWeights:
    questions = [each if with_question and each.strip() else None for each in batch.questions]
    pairs, candidate, reference = distinct_pairs(batch, questions)
    weigher = batch.resources.weigher(with_question=with_question)
    weights = weigher.weigh([(question, batch.texts[text]) for question, text in pairs])
    batch.take_notes(weigher)
    return PairWeights(np.array([text for _, text in pairs], np.int64), candidate, reference, weights)


def distinct_pairs(batch: Batch, questions: Sequence[_Question]) -> tuple[list[tuple[_Question, int]], Ints, Ints]:
    """Return the distinct pairs of a question and a text's row, and the pair of each candidate and each reference."""
    counts = batch.reference_counts.tolist()
    of_references = [question for question, count in zip(questions, counts, strict=True) for _ in range(count)]
    index: dict[tuple[_Question, int], int] = {}
    candidate, reference = (
        np.array([index.setdefault(pair, len(index)) for pair in zip(side, rows.tolist(), strict=True)], np.int64)
        for side, rows in ((questions, batch.candidate), (of_references, batch.reference))
    )
    return list(index), candidate, reference


def project_weights(pairs: PairWeights, spans: Sequence[Ints]) -> Floats:
    """Project each pair's weights onto its text's tokens; `spans` are every text's character spans.

    The weights of one pair's tokens stand behind the other's.
    """
    targets = [spans[text] for text in pairs.text.tolist()]
    if not targets:
        return np.zeros(0)
    # All texts are laid out one behind the other, each in the room of the longest, so that one pass serves them all.
    sides = [found.spans for found in pairs.weights], targets
    joined = [np.concatenate(parts) for parts in sides]
    begins = np.arange(len(targets)) * max(int(each.max(initial=0)) for each in joined)
    laid_out = [each + np.repeat(begins, lengths_of(parts))[:, None] for each, parts in zip(joined, sides, strict=True)]
    return spread(laid_out[0], np.concatenate([found.weights for found in pairs.weights]), laid_out[1])
